import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { type Clock, PwpoolError } from '@pwpool/core';
import { pause } from '@pwpool/core/internal';

/** Milliseconds between two looks at the files. */
const INTERVAL_MS = 5_000;

/** A certificate and its key: the files, or what is in them. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/**
 * What is in the files.
 * @throws PwpoolError `CONFIG_INVALID` for files that cannot be read, or hold no certificate and its key
 */
export async function readKeyPair(files: KeyPair): Promise<KeyPair> {
  try {
    const [cert, key] = await Promise.all([readFile(files.cert, 'utf8'), readFile(files.key, 'utf8')]);
    // Each by itself first: an empty one, as a file is while it is written, is none to Node, and no error.
    new X509Certificate(cert);
    createPrivateKey(key);
    // Throws when they do not belong together.
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PwpoolError('CONFIG_INVALID', `The certificate cannot be used: ${reason}.`, {
      hint: 'Name a certificate and its key, both in PEM: HTTP_TLS_CERT, HTTP_TLS_KEY.',
      details: { ...files },
      cause: error,
    });
  }
}

/**
 * Tells of every other certificate in the files until the signal aborts: who renews one writes it there and tells nobody. One
 * that cannot be used is told to the log; it may be half of a change.
 */
export async function followKeyPair(
  files: KeyPair,
  {
    current,
    clock,
    signal,
    log,
  }: { current: KeyPair; clock: Clock; signal: AbortSignal; log: (line: string) => void },
  onChange: (changed: KeyPair) => void,
): Promise<void> {
  let last = textOf(current);
  while (await pause(clock, INTERVAL_MS, signal)) {
    const found = await readKeyPair(files).catch((error: unknown) => error);
    const text = found instanceof Error ? found.message : textOf(found as KeyPair);
    if (text === last) continue;
    last = text;
    if (found instanceof Error) log(`${found.message} The one before goes on.`);
    else {
      onChange(found as KeyPair);
      log('The certificate was read again.');
    }
  }
}

function textOf({ cert, key }: KeyPair): string {
  return cert + key;
}
