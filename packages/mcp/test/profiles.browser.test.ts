import { describe, expect, it } from 'vitest';
import { pool, poolsOf, StdioServer, temporaryDirectory } from './fixtures/stdio-server.js';

/** Servers of one user, as two windows of a client start them, each in its own working directory. */
describe('profiles (ISOLATED=false)', () => {
  const PROFILE = pool('WORK', 1, { ISOLATED: 'false' });
  const url = 'data:text/html,<title>here</title>';

  it('belong to a project: servers in two directories run at the same time [arch-profile-01]', {
    tags: ['at-length'],
  }, async () => {
    await using data = await temporaryDirectory();
    const variables = { ...PROFILE, XDG_DATA_HOME: data.path };
    await using one = await StdioServer.start(variables);
    await using other = await StdioServer.start(variables);
    for (const server of [one, other])
      expect(await server.text('browser_navigate', { url })).toContain('Page Title: here');
  });

  it('of another process are refused, with who has them and what to set [arch-profile-02]', async () => {
    await using data = await temporaryDirectory();
    const variables = { ...PROFILE, PW_MCP_PROXY_PROFILE_DIR: data.path };
    await using one = await StdioServer.start(variables);
    await using other = await StdioServer.start({ ...variables, PW_MCP_PROXY_AUTO_RESTART: 'false' });
    await one.text('browser_navigate', { url });
    const [work] = await poolsOf(one);
    const holder = `process ${work?.instances[0]?.process_id} (`;
    for (const _ of ['that starts it', 'that comes later']) {
      const error = await other.error('browser_navigate', { url });
      const told = `${error.message} ${error.hint}`;
      expect(told).toContain(holder);
      expect(told).toContain('uses the profile');
      expect(told).toContain('ISOLATED=true');
      expect(told).toContain('PROFILE_DIR');
    }
  });
});
