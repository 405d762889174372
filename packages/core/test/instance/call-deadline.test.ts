import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/config-input.js';
import { callTimedOut, callTimeout } from '../../src/instance/call-deadline.js';

const config = resolveConfig({ timeout: 10_000, timeoutNavigation: 4_000 });
const settings = config.pools[0]?.instances[0]?.settings;
if (!settings) throw new Error('A configuration has an instance.');

describe('callTimeout', () => {
  it.each([
    ['browser_navigate', { url: 'http://x/' }, 4_000],
    ['browser_navigate_back', {}, 4_000],
    ['browser_tabs', { action: 'new', url: 'http://x/' }, 4_000],
    ['browser_tabs', { action: 'new' }, 10_000],
    ['browser_tabs', { action: 'select', index: 0, url: 'http://x/' }, 10_000],
    ['browser_click', { ref: 'e1' }, 10_000],
    ['browser_wait_for', { text: 'Loaded' }, 10_000],
    ['browser_wait_for', { time: 2.5 }, 12_500],
    ['browser_wait_for', { time: 0 }, 10_000],
    ['browser_wait_for', { time: -3 }, 10_000],
    ['browser_wait_for', { time: '3' }, 10_000],
    // Only browser_wait_for has a time of its own.
    ['browser_evaluate', { time: 60 }, 10_000],
  ])('of %s %j is %i ms', (tool, args, timeoutMs) => {
    expect(callTimeout(tool, args, settings)).toBe(timeoutMs);
  });

  it('is TIMEOUT for a navigation too, unless TIMEOUT_NAVIGATION is set', () => {
    const plain = resolveConfig({ timeout: 7_000 }).pools[0]?.instances[0]?.settings;
    expect(plain && callTimeout('browser_navigate', {}, plain)).toBe(7_000);
  });
});

describe('callTimedOut', () => {
  it('names the address of a navigation and the variable that sets the limit', () => {
    const error = callTimedOut('browser_navigate', { url: 'http://slow.test/' }, 4_000);
    expect(error.code).toBe('NAVIGATION_TIMEOUT');
    expect(error.message).toContain('http://slow.test/');
    expect(error.message).toContain('4000 ms');
    expect(error.hint).toContain('TIMEOUT_NAVIGATION');
  });

  it('names the tool of any other call', () => {
    const error = callTimedOut('browser_click', {}, 10_000);
    expect(error.code).toBe('CALL_TIMEOUT');
    expect(error.message).toContain('browser_click');
    expect(error.details).toEqual({ tool: 'browser_click', timeoutMs: 10_000 });
  });
});
