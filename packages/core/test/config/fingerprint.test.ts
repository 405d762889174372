import { expect, it } from 'vitest';
import { configFingerprint } from '../../src/config/fingerprint.js';
import { loadConfig } from '../../src/config/load-config.js';

const fingerprint = (env: Record<string, string | undefined>, cwd = '/work/a', args: string[] = []) =>
  configFingerprint(loadConfig({ env, cwd, args }), { env, cwd });

it('is the same for what is in force, wherever it was set, and another for any other setting [arch-shared-03]', () => {
  const byVariable = fingerprint({ PW_MCP_PROXY_HEADLESS: 'false', PATH: '/bin' });
  expect(byVariable).toMatch(/^[0-9a-f]{12}$/);
  expect(fingerprint({ PATH: '/elsewhere', PWD: '/work' }, '/work/b', ['--no-headless'])).toBe(byVariable);
  const others = [
    {},
    { PW_MCP_PROXY_HEADLESS: 'false', PW_MCP_PROXY_SESSION_LIMIT: '3' },
    { PW_MCP_PROXY_HEADLESS: 'false', DISPLAY: ':7' },
    { PW_MCP_PROXY_HEADLESS: 'false', https_proxy: 'http://proxy:3128' },
    { PW_MCP_PROXY__A_INSTANCES: '4', PW_MCP_PROXY__A_IS_DEFAULT: 'true' },
  ].map((env) => fingerprint(env));
  expect(new Set([byVariable, ...others]).size).toBe(others.length + 1);
});

it('takes a variable without a value for one that is not set, as TMPDIR in a server that was given none [arch-shared-03]', () => {
  expect(fingerprint({ TMPDIR: undefined })).toBe(fingerprint({}));
  expect(fingerprint({ TMPDIR: '/elsewhere' })).not.toBe(fingerprint({}));
});

it('has the working directory in it only where a setting depends on it [arch-shared-03]', () => {
  const differs = (env: Record<string, string>) =>
    fingerprint(env, '/work/a') !== fingerprint(env, '/work/b');
  expect(differs({})).toBe(false);
  expect(differs({ PW_MCP_PROXY_OUTPUT_DIR: '/out' })).toBe(false);
  expect(differs({ PW_MCP_PROXY_OUTPUT_DIR: 'out' })).toBe(true);
  expect(differs({ PW_MCP_PROXY_ISOLATED: 'false' })).toBe(true);
});
