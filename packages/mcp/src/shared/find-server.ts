import { spawn } from 'node:child_process';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type Clock,
  PwpoolError,
  pause,
  removeFile,
  socketPathOf,
  takeProcessLock,
  withDeadline,
} from '@pwpool/core/light';
import { type SharedAddress, versionIn } from './address.js';
import { type Greeting, greetingLine, isWelcome } from './handshake.js';
import { isListening } from './is-listening.js';

/** Milliseconds that a server may take to start, and one that runs to answer a greeting: the machine may be busy. */
const START_MS = 60_000;
const GREETING_MS = 15_000;

/** How often a server is started that ends without a word. */
const STARTS = 3;

/** Milliseconds between two looks at a server that somebody else is starting. */
const LOOK_MS = 25;

export interface FindOptions {
  greeting: Greeting;
  /** Of the version that is on the disk now, and of the configuration as it is now. */
  address: () => Promise<SharedAddress>;
  /** The arguments of the process that a shared server is. */
  command: readonly string[];
  clock: Clock;
  log: (line: string) => void;
}

/**
 * A connection to the shared server that this window has in common with others; without one, it is started, by one of all
 * who look for it.
 * @throws PwpoolError `BROWSER_NOT_READY` when it does not start or does not answer, `CONFIG_INVALID`, `CANCELLED`
 */
export async function findServer(options: FindOptions, signal: AbortSignal): Promise<Socket> {
  const { clock } = options;
  const end = clock.now() + START_MS;
  let killed = 0;
  while (clock.now() < end) {
    const address = await options.address();
    const found = await greet(address, options, signal);
    if (found) return found;
    await using lock = await takeProcessLock({
      directory: address.directory,
      name: address.name,
      hint: 'Set PWPOOL_RUNTIME_DIR to a directory that can be written to.',
    });
    if (lock) {
      // Between the look and the lock another may have started it.
      const started = (await greet(address, options, signal)) ?? (await start(address, options, signal));
      if (started) return started;
      if (++killed === STARTS) break;
    }
    if (!(await pause(clock, LOOK_MS, signal))) throw new PwpoolError('CANCELLED', 'The window has gone.');
  }
  const why = killed > 0 ? `ended ${killed} times before it served` : `was not there within ${START_MS} ms`;
  throw new PwpoolError('BROWSER_NOT_READY', `The shared server ${why}.`, {
    hint: 'Try again, or leave out --shared.',
  });
}

/** @returns `undefined` when nobody is there, or one that is just ending */
async function greet(
  { socketPath }: SharedAddress,
  { greeting, clock }: FindOptions,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  const socket = connect(socketPath);
  // What cannot be connected to is told by the end of the connection.
  socket.on('error', () => {});
  const onTimeout = () =>
    new PwpoolError('BROWSER_NOT_READY', `The shared server did not answer within ${GREETING_MS} ms.`, {
      hint: 'It may be busy or stopped: try again, or end it; "pwpool status" shows its process.',
    });
  const deadline = { clock, timeoutMs: GREETING_MS, signals: [signal], onTimeout };
  try {
    const welcome = await withDeadline(deadline, 'Looking for the shared server', async () => {
      socket.write(greetingLine(greeting));
      return await firstPiece(socket);
    });
    // The server is silent until it is asked something: what comes is its welcome and no more.
    if (welcome && isWelcome(welcome)) return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.destroy();
  return undefined;
}

/** What comes first; the rest waits. `undefined` when the stream ends without a word. */
async function firstPiece(stream: Readable | null): Promise<Buffer | undefined> {
  if (!stream) return undefined;
  return await new Promise((resolve) => {
    stream.once('data', (piece: Buffer) => {
      stream.pause();
      resolve(piece);
    });
    stream.once('close', () => resolve(undefined));
  });
}

/**
 * Starts the server, whose end is nobody's: not that of this process, nor of the client that started this one.
 * @returns `undefined` when it ended without a word, as one that is killed
 */
async function start(
  address: SharedAddress,
  options: FindOptions,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  const { directory, name } = address;
  const { clock, log, command } = options;
  await tellOthers(address, options);
  const logFile = join(directory, `${name}.log`);
  await using output = await open(logFile, 'w', 0o600);
  const [file = '', ...args] = process.platform === 'win32' ? command : inBackground(command);
  const starter = spawn(file, args, {
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'pipe', output.fd],
  });
  starter.once('error', (error) => log(`The shared server cannot be started: ${error.message}`));
  const onTimeout = () =>
    new PwpoolError('BROWSER_NOT_READY', `The shared server did not start within ${START_MS} ms.`, {
      hint: 'The machine may be busy: try again, or leave out --shared.',
    });
  const deadline = { clock, timeoutMs: START_MS, signals: [signal], onTimeout };
  try {
    const isReady = await withDeadline(deadline, 'Starting the shared server', () =>
      firstPiece(starter.stdout),
    );
    const socket = isReady && (await greet(address, options, signal));
    if (socket) return socket;
  } finally {
    starter.stdout?.destroy();
    starter.unref();
  }
  const told = (await readFile(logFile, 'utf8').catch(() => '')).trim();
  if (told === '') return undefined;
  throw new PwpoolError('BROWSER_NOT_READY', `The shared server did not start: ${told}`, {
    hint: 'Correct what it says, or leave out --shared.',
  });
}

/** Some clients end whatever the processes that they started have started: the shell is gone before they look. */
function inBackground(command: readonly string[]): string[] {
  return ['/bin/sh', '-c', '"$@" &', 'sh', ...command];
}

/** Tells why a server is started although there are others, and removes what those have left that were killed. */
async function tellOthers({ directory, name }: SharedAddress, options: FindOptions): Promise<void> {
  // Named pipes are in no directory.
  if (process.platform === 'win32') return;
  for (const file of await readdir(directory)) {
    const other = file.endsWith('.sock') ? file.slice(0, -'.sock'.length) : '';
    const version = versionIn(other);
    if (version === undefined || other === name) continue;
    if (await isListening(socketPathOf(directory, other))) {
      const difference = version === versionIn(name) ? 'another configuration' : `version ${version}`;
      options.log(`The shared server that runs has ${difference}: this window starts one of its own.`);
    } else if (await isOld(join(directory, file), options.clock)) {
      for (const left of ['.sock', '.log']) await removeFile(join(directory, other + left));
    }
  }
}

/** One that was made just now may begin to listen in a moment. */
async function isOld(path: string, clock: Clock): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && clock.now() - found.mtimeMs > START_MS;
}
