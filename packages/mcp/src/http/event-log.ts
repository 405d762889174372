import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

interface Entry {
  streamId: string;
  message: JSONRPCMessage;
  bytes: number;
}

/**
 * The latest messages to one client, so that a stream which was cut is taken up where it broke (`Last-Event-ID`). The oldest
 * go first.
 */
export class EventLog implements EventStore {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #count = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const id = String(++this.#count);
    const bytes = JSON.stringify(message).length;
    this.#entries.set(id, { streamId, message, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes || this.#entries.size === 1) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
    return id;
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.#entries.get(eventId)?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const streamId = this.#entries.get(lastEventId)?.streamId ?? '';
    let isAfter = false;
    for (const [id, entry] of [...this.#entries]) {
      // What only marks the beginning of a stream is no message.
      if (isAfter && entry.streamId === streamId && 'jsonrpc' in entry.message) await send(id, entry.message);
      isAfter ||= id === lastEventId;
    }
    return streamId;
  }
}
