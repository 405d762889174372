import { expect, it } from 'vitest';
import { BROWSER_LOG, readBrowserLog } from '../../src/upstream/browser-log.js';

const at = (text: string) => readBrowserLog(`2026-01-02T10:15:30.000Z ${text}`);

it('tells of browsers that were launched, that exited and that were lost, each with its process', () => {
  expect(at('pw:browser <launched> pid=4711')).toEqual({ event: 'launched', processId: 4711 });
  expect(at('pw:browser [pid=4711] <process did exit: exitCode=0, signal=null>')).toEqual({
    event: 'exited',
    processId: 4711,
  });
  expect(at('pw:mcp:backend browser disconnected')).toEqual({ event: 'disconnected' });
});

it('is not misled by what the browser itself writes, and leaves all other words of the server alone', () => {
  expect(at('pw:browser [pid=4711][err] <launched> pid=1')).toEqual({ event: 'other' });
  expect(at('pw:browser [pid=4711] <launched> pid=1')).toEqual({ event: 'other' });
  expect(readBrowserLog('Error: Cannot find module')).toBeUndefined();
  expect(BROWSER_LOG.split(',')).toEqual(['pw:browser', 'pw:mcp:backend']);
});
