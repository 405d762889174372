import { describe, expect, it } from 'vitest';
import { inspectConfig } from '../../src/config/load-config.js';
import { configOf, directoryWith, violationsOf } from './sources.js';

const POOL = { _A_INSTANCES: '2', _A_IS_DEFAULT: 'true' };
const COMPACT = { ...POOL, TOOLSET: 'compact' };

const externalOf = (env: Record<string, string>, dotenv?: string) =>
  inspectConfig({ env, cwd: directoryWith(dotenv) }).config?.pools[0]?.instances[0]?.settings.allowExternal;

describe('TOOLSET', () => {
  it('compact keeps to local addresses and lets sessions rest for five minutes unless told [002-security-01]', () => {
    const { server, pools } = configOf(COMPACT);
    expect(server).toMatchObject({ toolset: 'compact', sessionIdleTimeout: 300_000 });
    expect(pools[0]?.instances[0]?.settings.allowExternal).toBe(false);
    const told = configOf({ ...COMPACT, _A__1_ALLOW_EXTERNAL: 'true', SESSION_IDLE_TIMEOUT: '1000' });
    expect(told.pools[0]?.instances.map(({ settings }) => settings.allowExternal)).toEqual([false, true]);
    expect(told.server.sessionIdleTimeout).toBe(1000);
  });

  it('playwright reaches any address unless told [002-security-01]', () => {
    expect(externalOf({})).toBe(true);
    expect(externalOf({ PW_MCP_PROXY_ALLOW_EXTERNAL: 'false' })).toBe(false);
  });

  it("is told by the seed's BROWSER_ALLOW_EXTERNAL too, in .env or not; pwpool's own name comes first [002-security-01]", () => {
    const compact = { PW_MCP_PROXY_TOOLSET: 'compact' };
    expect(externalOf({ ...compact, BROWSER_ALLOW_EXTERNAL: 'true' })).toBe(true);
    expect(externalOf(compact, 'BROWSER_ALLOW_EXTERNAL=true\n')).toBe(true);
    const both = { BROWSER_ALLOW_EXTERNAL: 'true', PW_MCP_PROXY_ALLOW_EXTERNAL: 'false' };
    expect(externalOf({ ...compact, ...both })).toBe(false);
  });

  it.each([
    [{ _A_DRIVER: 'process' }, 'PW_MCP_PROXY__A_DRIVER'],
    [{ _A_ENDPOINT: 'mcp+http://127.0.0.1:1/mcp' }, 'PW_MCP_PROXY__A_ENDPOINT'],
  ])('compact is refused where the tools are those of another server: %o', (driver, name) => {
    expect(violationsOf({ ...COMPACT, ...driver })).toEqual([
      {
        code: 'REMOTE_TOOLS',
        message: 'TOOLSET=compact is not for pool A: the tools there are those of another server',
        variable: `PW_MCP_PROXY_TOOLSET, ${name}`,
        fix: 'Remove TOOLSET, or use browsers that pwpool drives itself: DRIVER=embedded, or ENDPOINT with ws:// or http://.',
      },
    ]);
    expect(violationsOf({ ...POOL, ...driver, ALLOW_EXTERNAL: 'false' })).toMatchObject([
      { code: 'REMOTE_TOOLS', variable: 'PW_MCP_PROXY_ALLOW_EXTERNAL' },
    ]);
    expect(violationsOf({ ...POOL, ...driver })).toEqual([]);
  });

  it("compact refuses settings of Playwright's own tools by name", () => {
    expect(
      violationsOf({ ...COMPACT, CAPS: 'pdf', _A_SECRETS: '{"A":"b"}', _A__1_CODEGEN: 'none' }),
    ).toMatchObject([
      {
        code: 'UNUSED_SETTING',
        variable: 'PW_MCP_PROXY_CAPS, PW_MCP_PROXY__A_SECRETS, PW_MCP_PROXY__A__1_CODEGEN',
      },
    ]);
  });
});
