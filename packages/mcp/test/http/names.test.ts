import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { Names } from '../../src/http/names.js';

const FOREIGN = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example:8931',
  '',
  'a b',
];

describe('the names of a server', () => {
  it('on loopback are those of loopback, with any port [arch-security-03]', () => {
    const names = new Names('127.0.0.1', []);
    for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:8931', '[::1]:8931']) {
      expect(names.allowHost(host), host).toBe(true);
      expect(names.allowOrigin(`http://${host}`), host).toBe(true);
    }
    for (const host of [...FOREIGN, '192.0.2.7', hostname()]) {
      expect(names.allowHost(host), host).toBe(false);
      expect(names.allowOrigin(`http://${host}`), host).toBe(false);
    }
    expect(names.allowHost(undefined)).toBe(false);
    expect(names.allowOrigin('null')).toBe(false);
    // No browser.
    expect(names.allowOrigin(undefined)).toBe(true);
  });

  it('on every address are any address, and the name of this machine', () => {
    for (const host of ['0.0.0.0', '::']) {
      const names = new Names(host, []);
      for (const allowed of ['192.0.2.7:8931', '[2001:db8::7]', hostname(), 'localhost']) {
        expect(names.allowHost(allowed), allowed).toBe(true);
      }
      for (const foreign of FOREIGN) expect(names.allowHost(foreign), foreign).toBe(false);
    }
  });

  it('are also those that HTTP_ALLOWED_HOSTS has, or any with *', () => {
    const names = new Names('127.0.0.1', ['Browsers.Example']);
    expect(names.allowHost('browsers.example')).toBe(true);
    expect(names.allowOrigin('https://browsers.example')).toBe(true);
    expect(names.allowHost('evil.example')).toBe(false);
    expect(new Names('127.0.0.1', ['*']).allowHost('evil.example')).toBe(true);
  });
});
