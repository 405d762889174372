import { browserType } from './engine.js';

/** Sent for every new context since Playwright 1.65. Firefox up to 153, at least, does not know it. */
const MEDIA_FEATURES = 'emulation.setMediaFeaturesOverride';

interface Message {
  id?: number;
  method?: string;
  params?: { features?: Record<string, unknown> };
  error?: string;
}

type Receive = (message: Message) => void;

interface Transport {
  send(message: Message): void;
  onmessage?: Receive | undefined;
}

/** Playwright's way to a Firefox that it did not build: WebDriver BiDi. Not part of its public API. */
interface BidiFirefox {
  connectToTransport(transport: Transport, ...rest: unknown[]): Promise<unknown>;
}

interface Internals {
  _connection?: { toImpl?(object: unknown): { _bidiFirefox?: BidiFirefox } | undefined };
}

let tolerant: BidiFirefox | undefined;

/**
 * Lets Playwright open contexts in a Firefox that cannot be told which colour scheme pages are to see.
 *
 * Playwright asks every new context for a light one, gets "unknown command" and gives the context up. That refusal is
 * taken for a success here, where nothing but the default was asked for; everything else passes as it is. The place is
 * Playwright's own, and its version is pinned: `firefox.browser.test.ts` is the contract. Where it is not found, nothing
 * is done, and the launch fails with Firefox's own answer. To be removed once Firefox ESR knows the command.
 */
export function tolerateMissingMediaFeatures(): void {
  const firefox = browserType('firefox');
  const bidi = (firefox as unknown as Internals)._connection?.toImpl?.(firefox)?._bidiFirefox;
  if (!bidi?.connectToTransport || bidi === tolerant) return;
  tolerant = bidi;
  const connect = bidi.connectToTransport.bind(bidi);
  bidi.connectToTransport = (transport, ...rest) => connect(withTolerance(transport), ...rest);
}

function withTolerance(transport: Transport): Transport {
  const asked = new Set<number>();
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    if (message.id !== undefined && asksForDefault(message)) asked.add(message.id);
    send(message);
  };
  let receive = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set(next: Receive | undefined) {
      receive = next && ((message) => next(answered(message, asked)));
    },
  });
  return transport;
}

function asksForDefault({ method, params }: Message): boolean {
  const scheme = params?.features?.['prefers-color-scheme'] ?? 'light';
  return method === MEDIA_FEATURES && scheme === 'light';
}

function answered(message: Message, asked: Set<number>): Message {
  const { id } = message;
  if (id === undefined || !asked.delete(id) || message.error !== 'unknown command') return message;
  return { id, type: 'success', result: {} } as Message;
}
