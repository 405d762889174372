import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ConnectionTarget } from '../../src/connection/connection-target.js';
import { PlaywrightSession } from '../../src/connection/playwright-session.js';

const make = (target: unknown) => () => new PlaywrightSession(target as ConnectionTarget);

describe('the connection parameters of a session', () => {
  it.each([
    [undefined, 'expected a URL or an object, not undefined'],
    [null, 'not null'],
    [8931, 'not number'],
    ['localhost:8931', 'url: use http:// or https://'],
    ['not a url', 'url: this is not a URL'],
    [new URL('file:///etc/passwd'), 'url: use http:// or https://'],
    ['http://user:secret@localhost/', 'url: put user and password into "headers"'],
    [{}, 'exactly one of "command", "url", "sse", "transport"'],
    [{ command: 'node', url: 'http://localhost/' }, 'exactly one of'],
    [{ command: '' }, 'command: '],
    [{ command: 'node', args: 'server.js' }, 'args: '],
    [{ command: 'node', args: ['server.js', 8080] }, 'args: 1: '],
    [{ command: 'node', env: { DEBUG: true } }, 'env: DEBUG: '],
    [{ command: 'node', cwd: 5 }, 'cwd: '],
    [{ command: 'node', arguments: [] }, '"arguments"'],
    [{ url: 'http://localhost/', headers: { 'X Y': 'z' } }, 'headers: X Y: '],
    [{ sse: 'ftp://localhost/' }, 'sse: use http:// or https://'],
    [{ transport: 'stdio' }, 'transport: expected a function'],
  ])('[001-weakness-05] refuses %o, naming the field', (target, message) => {
    expect(make(target)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining(message) }),
    );
  });

  it('[001-weakness-05] names every field that is wrong at once, and no secret', () => {
    expect(make({ url: 'x:y', headers: { authorization: 'Bearer secret\n', other: 3 } })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^(?!.*secret).*url: .*headers: /s),
        details: { problems: expect.objectContaining({ length: 2 }) },
      }),
    );
  });

  it.each(['connectTimeout', 'callTimeout'])('refuses a %s that is no time', (field) => {
    for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new PlaywrightSession('http://localhost/', { [field]: value })).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining(field) }),
      );
    }
  });

  it('[001-life-01] does no input or output before the first use', async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections++;
      socket.on('data', () => socket.destroy());
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as { port: number };
    const session = new PlaywrightSession(`http://127.0.0.1:${port}/`);
    expect(session.connected).toBe(false);
    expect(await session.ping()).toBe(false);
    expect(connections).toBe(0);
    await expect(session.callTool('any')).rejects.toMatchObject({ code: 'BROWSER_NOT_READY' });
    expect(connections).toBe(1);
    await session.close();
    await new Promise((resolve) => listener.close(resolve));
  });
});
