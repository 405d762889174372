import { describe, expect, it } from 'vitest';
import { parseEndpoint, parseHeaders } from '../../src/config/endpoint.js';

describe('parseEndpoint', () => {
  it.each([
    ['ws://127.0.0.1:4444/a1b2', 'playwright-server', 'ws://127.0.0.1:4444/a1b2'],
    ['wss://127.0.0.1/a1b2', 'playwright-server', 'wss://127.0.0.1/a1b2'],
    ['ws://127.0.0.1:9222/devtools/browser/a1', 'cdp', 'ws://127.0.0.1:9222/devtools/browser/a1'],
    ['wss://127.0.0.1/devtools/browser/a1', 'cdp', 'wss://127.0.0.1/devtools/browser/a1'],
    ['cdp+ws://127.0.0.1:3000/?token=x', 'cdp', 'ws://127.0.0.1:3000/?token=x'],
    ['http://[::1]:9222', 'cdp', 'http://[::1]:9222'],
    ['https://127.0.0.1', 'cdp', 'https://127.0.0.1'],
    ['mcp+http://127.0.0.1:8931/mcp', 'mcp-http', 'http://127.0.0.1:8931/mcp'],
    ['mcp+https://127.0.0.1/mcp', 'mcp-http', 'https://127.0.0.1/mcp'],
    ['sse+http://127.0.0.1:8931/sse', 'mcp-sse', 'http://127.0.0.1:8931/sse'],
    ['sse+https://127.0.0.1/sse', 'mcp-sse', 'https://127.0.0.1/sse'],
  ])('%s is a %s', (text, kind, url) => {
    expect(parseEndpoint(text)).toMatchObject({ kind, url });
  });

  it('a scheme may be in upper case, and is passed on in lower case', () => {
    expect(parseEndpoint('WS://127.0.0.1:1/Path')).toEqual({
      kind: 'playwright-server',
      url: 'ws://127.0.0.1:1/Path',
      label: 'ws://127.0.0.1:1/Path',
    });
    expect(parseEndpoint('MCP+HTTP://127.0.0.1:1/Path')).toEqual({
      kind: 'mcp-http',
      url: 'http://127.0.0.1:1/Path',
      label: 'mcp+http://127.0.0.1:1/Path',
    });
  });

  it('the address keeps what the label leaves out', () => {
    expect(parseEndpoint('sse+http://user:secret@127.0.0.1:1/sse?token=x#y')).toEqual({
      kind: 'mcp-sse',
      url: 'http://user:secret@127.0.0.1:1/sse?token=x#y',
      label: 'sse+http://127.0.0.1:1/sse',
    });
  });

  it('devtools in a query or a host makes no CDP address', () => {
    expect(parseEndpoint('ws://devtools:1/?path=/devtools/')?.kind).toBe('playwright-server');
  });

  it.each([
    '',
    '127.0.0.1:9222',
    'localhost',
    'ws:127.0.0.1:1',
    'ws:/127.0.0.1:1',
    'ws:\\\\127.0.0.1:1',
    'ws://',
    'http:///',
    'http:///devtools',
    'http://:9222',
    'http://?token=x',
    'http://user@',
    'http://127.0.0.1:99999',
    'http://127.0.0.1:port',
    'http://127.0.0.999',
    ' http://127.0.0.1',
    'http://127.0.0.1 ',
    'http:// 127.0.0.1',
    'http://127.0.0.1/a b',
    'http://127.0.0.1\n',
    'http://127.0.\t0.1',
    'htp://127.0.0.1',
    'ftp://127.0.0.1',
    'file:///tmp/socket',
    'mcp://127.0.0.1',
    'mcp+ws://127.0.0.1',
    'sse+wss://127.0.0.1',
    'mcp+sse+http://127.0.0.1',
    'cdp+http://127.0.0.1',
  ])('%j is none', (text) => {
    expect(parseEndpoint(text)).toBeUndefined();
  });
});

describe('parseHeaders', () => {
  it.each([
    ['{}', {}],
    ['{ "Authorization": "Bearer x", "X-Team": "" }', { Authorization: 'Bearer x', 'X-Team': '' }],
  ])('%s', (text, headers) => {
    expect(parseHeaders(text)).toEqual(headers);
  });

  it.each([
    '',
    'Authorization: x',
    'null',
    '"x"',
    '["x"]',
    '{"a":1}',
    '{"a":null}',
    '{"a":["x"]}',
    '{"a b":"x"}',
    '{"":"x"}',
    '{"a":"x\\r\\nInjected: y"}',
    '{"a":"中"}',
    '{"a":"x"',
  ])('%j is refused', (text) => {
    expect(parseHeaders(text)).toBeUndefined();
  });
});
