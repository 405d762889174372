import { AsyncLocalStorage } from 'node:async_hooks';

/** An event with an id: what is missing of its stream can be had over another one. */
const EVENT_ID = /\nid:/;

const sending = new AsyncLocalStorage<() => void>();

/**
 * Sends a request over a transport that has `fetchToEnd` for its fetch. Over Streamable HTTP each answer comes as a stream
 * of events of its own; for one that ends before its answer, and cannot be resumed, the SDK would wait for ever.
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

/** Fetch, which tells `untilEnd` of the end of a stream, after all that it brought was read. */
export async function fetchToEnd(url: string | URL, init?: RequestInit): Promise<Response> {
  const onEnd = sending.getStore();
  const response = await fetch(url, init);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!onEnd || init?.method !== 'POST' || !response.ok || !response.body || !isStream) return response;
  return new Response(passedOn(response.body, onEnd), response);
}

function passedOn(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let resumable = false;
  let lastCharacter = '\n';
  const end = () => void (resumable || setImmediate(onEnd));
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          end();
        } else {
          const text = lastCharacter + decoder.decode(value, { stream: true });
          resumable ||= EVENT_ID.test(text);
          lastCharacter = text.slice(-1);
          controller.enqueue(value);
        }
      } catch (error) {
        controller.error(error);
        end();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
