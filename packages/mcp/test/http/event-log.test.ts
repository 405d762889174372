import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { EventLog } from '../../src/http/event-log.js';

function message(text: string): JSONRPCMessage {
  return { jsonrpc: '2.0', method: 'notifications/message', params: { text } };
}

async function replayed(log: EventLog, after: string): Promise<unknown[]> {
  const sent: unknown[] = [];
  await log.replayEventsAfter(after, {
    send: async (id, { params }: JSONRPCMessage & { params?: unknown }) => void sent.push([id, params]),
  });
  return sent;
}

it('gives again what came on the same stream after an event', async () => {
  const log = new EventLog(1_000);
  const [first] = [await log.storeEvent('a', message('1')), await log.storeEvent('b', message('2'))];
  const third = await log.storeEvent('a', message('3'));
  expect(await log.getStreamIdForEventId(first)).toBe('a');
  expect(await replayed(log, first)).toEqual([[third, { text: '3' }]]);
  expect(await replayed(log, third)).toEqual([]);
  expect(await log.getStreamIdForEventId('99')).toBeUndefined();
});

it('forgets the oldest beyond its size, and always has the latest', async () => {
  const log = new EventLog(300);
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) ids.push(await log.storeEvent('a', message(`number ${n}`)));
  expect(await log.getStreamIdForEventId(ids[0] ?? '')).toBeUndefined();
  expect(await log.getStreamIdForEventId(ids[19] ?? '')).toBe('a');
  const large = await log.storeEvent('a', message('x'.repeat(1_000)));
  expect(await log.getStreamIdForEventId(large)).toBe('a');
  expect(await log.getStreamIdForEventId(ids[19] ?? '')).toBeUndefined();
});
