import { describe, expect, it } from 'vitest';
import { isLocal } from '../../src/driver/playwright/local-addresses.js';

describe('a local address', () => {
  it.each([
    ['http://localhost:3000/a', true],
    ['https://127.0.0.1/', true],
    ['ws://localhost/', true],
    ['about:blank', true],
    ['data:text/html,a', true],
    ['http://localhost.example.com/', false],
    ['http://localhost@example.com/', false],
    ['http://127.0.0.1.example.com/', false],
    ['http://0x7f000001/', true],
    ['http://127.0.0.2/', false],
    ['http://[::1]/', false],
    ['http://169.254.169.254/', false],
    ['wss://example.com/', false],
  ])('%s is local: %s', (address, is) => {
    expect(isLocal(address)).toBe(is);
  });
});
