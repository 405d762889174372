import { connect } from 'node:net';

/** Whether somebody takes connections on that socket. */
export async function isListening(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  return await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
