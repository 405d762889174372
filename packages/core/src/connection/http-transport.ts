import { AsyncLocalStorage } from 'node:async_hooks';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** From a request to its transport, and no further: a ping that the end of a stream calls for is none of its own. */
const sending = new AsyncLocalStorage<(() => void) | undefined>();

/**
 * Sends a request. Over Streamable HTTP each answer comes as a stream of events of its own; for one that ends before its
 * answer, and cannot be resumed, the SDK's client would wait for ever.
 * @param abandon ends the request when that has happened
 */
export async function untilEnd<Result>(abandon: () => void, send: () => Promise<Result>): Promise<Result> {
  let isAnswered = false;
  return await new Promise<Result>((resolve, reject) => {
    const onEnd = () => {
      if (isAnswered) return;
      reject(new Error('the connection was cut before the answer came'));
      abandon();
    };
    sending
      .run(onEnd, send)
      .finally(() => {
        isAnswered = true;
      })
      .then(resolve, reject);
  });
}

/** Streamable HTTP that tells `untilEnd` of the end of a request's stream, after all that it brought was read. */
export class HttpTransport extends StreamableHTTPClientTransport {
  override async send(
    ...[message, options]: Parameters<StreamableHTTPClientTransport['send']>
  ): Promise<void> {
    const onEnd = sending.getStore();
    const onRequestStreamEnd = onEnd && (() => void setImmediate(onEnd));
    await sending.run(undefined, () =>
      super.send(message, onRequestStreamEnd ? { ...options, onRequestStreamEnd } : options),
    );
  }
}
