// Preloaded into a server with an IPC channel: whoever asks is told the bytes that are alive. One collection leaves what finalizers hold.
import { setImmediate } from 'node:timers/promises';

process.on('message', async () => {
  for (let collection = 0; collection < 4; collection++) {
    globalThis.gc();
    await setImmediate();
  }
  process.send(process.memoryUsage().heapUsed);
});
process.channel.unref();
