import { describe, expect, it } from 'vitest';
import { type ConfigInput, resolveConfig } from '../../src/config/config-input.js';
import { explainConfig } from '../../src/config/explain.js';
import type { KeyName } from '../../src/config/keys.js';
import { inspectConfig } from '../../src/config/load-config.js';
import { formatViolations } from '../../src/config/violations.js';
import { configOf, directoryWith, violationsOf } from './sources.js';

/** What `explainConfig` shows of the first instance. */
function shown(key: KeyName, value: string) {
  const config = configOf({ [key]: value, ...(key === 'ENDPOINT' ? {} : { ENDPOINT: 'ws://127.0.0.1:1/' }) });
  const explained = explainConfig(config).pools[0]?.instances[0]?.settings.find((each) => each.key === key);
  return explained?.value;
}

describe('what is secret in a setting is not shown by explainConfig', () => {
  it.each([
    ['ws://127.0.0.1:1/a1b2', 'ws://127.0.0.1:1/a1b2'],
    ['http://127.0.0.1:9222', 'http://127.0.0.1:9222'],
    ['ws://127.0.0.1:1/?token=secret', 'ws://127.0.0.1:1/?***'],
    ['ws://user:secret@127.0.0.1:1/a', 'ws://***@127.0.0.1:1/a'],
    ['ws://secret@127.0.0.1:1/a', 'ws://***@127.0.0.1:1/a'],
    ['ws://user:secret@127.0.0.1:1/a?token=secret#secret', 'ws://***@127.0.0.1:1/a?***'],
    ['mcp+https://user:s%40ecret@127.0.0.1/mcp?secret', 'mcp+https://***@127.0.0.1/mcp?***'],
    ['MCP+HTTP://127.0.0.1/mcp#secret', 'mcp+http://127.0.0.1/mcp?***'],
  ])('ENDPOINT %s', (endpoint, text) => {
    expect(shown('ENDPOINT', endpoint)).toBe(text);
  });

  it('ENDPOINT_HEADERS', () => {
    expect(shown('ENDPOINT_HEADERS', '{"Authorization":"secret"}')).toBe('***');
  });

  it('the settings themselves keep it', () => {
    const endpoint = 'ws://user:secret@127.0.0.1:1/?token=secret';
    expect(configOf({ ENDPOINT: endpoint }).pools[0]?.instances[0]?.settings.endpoint).toBe(endpoint);
  });
});

describe('nor by a violation, when the value is refused', () => {
  it.each([
    ['htp://user:secret@host?token=secret', 'htp://***'],
    ['http://user:secret@?token=secret', 'http://***'],
    ['http://user:se/cret@host', 'http://***'],
    ['mcp+ws://host?secret', 'mcp+ws://***'],
    ['user:secret@host:9222', '***'],
    [' ws://secret@host', '***'],
    ['htp://host:9222/', 'htp://host:9222/'],
  ])('ENDPOINT %s', (endpoint, text) => {
    expect(violationsOf({ ENDPOINT: endpoint })).toMatchObject([
      { code: 'INVALID_VALUE', message: expect.stringContaining(`ENDPOINT is "${text}", but must be a URL`) },
    ]);
    const { violations } = inspectConfig({
      env: {},
      cwd: directoryWith(`PW_MCP_PROXY_ENDPOINT='${endpoint}'`),
    });
    expect(formatViolations(violations)).toContain(`ENDPOINT is "${text}" in .env`);
    expect(JSON.stringify(violations)).not.toContain('secret');
  });

  it.each([
    { endpoint: { url: 'http://127.0.0.1/?secret' } },
    { endpoint: ['ws://secret@127.0.0.1'] },
    { endpoint: new URL('ws://secret@127.0.0.1') },
    { endpointHeaders: { Authorization: 'secret' } },
    { endpointHeaders: '{"Authorization": secret}' },
    { pools: { A: { instances: 1, isDefault: true, instance: { 0: { endpointHeaders: ['secret'] } } } } },
  ])('in code: %j', (input) => {
    const resolve = () => resolveConfig(input as unknown as ConfigInput);
    expect(resolve).toThrow('is "***", but must be');
    expect(resolve).not.toThrow('secret');
  });

  it('headers that are no JSON', () => {
    const violations = violationsOf({
      ENDPOINT: 'ws://127.0.0.1:1/',
      ENDPOINT_HEADERS: 'Authorization: secret',
    });
    expect(violations).toMatchObject([
      {
        code: 'INVALID_VALUE',
        message: 'PW_MCP_PROXY_ENDPOINT_HEADERS is "***", but must be a JSON object of texts by header name',
      },
    ]);
  });
});

it('nor by the rules over several settings', () => {
  const violations = violationsOf({
    _A_INSTANCES: '2',
    _A_IS_DEFAULT: 'true',
    _A_ENDPOINT: 'http://user:secret@127.0.0.1:9222/?token=secret',
    _A_BROWSER: 'firefox',
    _B_INSTANCES: '1',
    _B_ENDPOINT: 'ws://secret@127.0.0.1/',
    _B_DRIVER: 'process',
    _C_INSTANCES: '1',
    _C_ENDPOINT_HEADERS: '{"a":"secret"}',
  });
  expect(violations).toHaveLength(4);
  expect(JSON.stringify(violations)).not.toContain('secret');
});
