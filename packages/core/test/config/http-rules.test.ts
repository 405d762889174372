import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../src/config/http-rules.js';
import { inspectConfig } from '../../src/config/load-config.js';

function violationsOf(variables: Record<string, string>) {
  const env = Object.fromEntries(
    Object.entries(variables).map(([key, value]) => [`PW_MCP_PROXY_${key}`, value]),
  );
  return inspectConfig({ env, cwd: '/' }).violations.map(
    ({ code, message, fix }) => `${code} ${message}. ${fix}`,
  );
}

describe('where the HTTP server listens', () => {
  it('is loopback unless somebody sets it [arch-security-02]', () => {
    expect(inspectConfig({ env: {}, cwd: '/' }).config?.server).toMatchObject({
      httpHost: '127.0.0.1',
      httpPort: 8931,
    });
  });

  it.each(['0.0.0.0', '::', '192.0.2.7', 'browsers.example'])(
    'beyond loopback, at %s, needs tokens, and TLS or a proxy that has it [arch-security-02]',
    (host) => {
      expect(violationsOf({ HTTP_HOST: host })).toEqual([
        expect.stringMatching(/^HTTP_EXPOSED .*no tokens.*pwpool token add/),
        expect.stringMatching(/^HTTP_EXPOSED .*without TLS.*HTTP_TLS_CERT.*HTTP_BEHIND_PROXY/),
      ]);
      const tokens = { HTTP_HOST: host, HTTP_TOKENS_FILE: '/tokens.json' };
      expect(violationsOf(tokens)).toEqual([expect.stringContaining('without TLS')]);
      expect(violationsOf({ ...tokens, HTTP_BEHIND_PROXY: 'true' })).toEqual([]);
      expect(violationsOf({ ...tokens, HTTP_TLS_CERT: '/cert.pem', HTTP_TLS_KEY: '/key.pem' })).toEqual([]);
    },
  );

  it.each(['127.0.0.1', '127.1.2.3', 'localhost', 'LOCALHOST', '::1'])('%s is loopback', (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(violationsOf({ HTTP_HOST: host })).toEqual([]);
  });

  it('a certificate needs its key, and the other way round', () => {
    expect(violationsOf({ HTTP_TLS_CERT: '/cert.pem' })).toEqual([
      expect.stringContaining('HTTP_TLS_CERT means nothing without HTTP_TLS_KEY'),
    ]);
    expect(violationsOf({ HTTP_TLS_KEY: '/key.pem' })).toEqual([
      expect.stringContaining('HTTP_TLS_KEY means nothing without HTTP_TLS_CERT'),
    ]);
  });
});
