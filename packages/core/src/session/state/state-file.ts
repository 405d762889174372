import * as z from 'zod';
import { PwpoolError } from '../../errors.js';
import { type BrowserState, browserStateSchema } from './browser-state.js';
import { seal, sealedSchema, unseal } from './state-cipher.js';

/** Bytes of a state as JSON. A larger one is no login any more, and would stall the server. */
export const MAX_STATE_BYTES = 64 * 1024 * 1024;

const FORMAT = 'pwpool-state';
const VERSION = 1;

const anyFileSchema = z.object({ format: z.literal(FORMAT), version: z.number() });

const fileSchema = z.discriminatedUnion('encrypted', [
  z.object({ version: z.literal(VERSION), encrypted: z.literal(false), state: browserStateSchema }),
  z.object({ version: z.literal(VERSION), encrypted: z.literal(true), ...sealedSchema.shape }),
]);

/** Authenticated with the data, so that no other header can be put before it. */
const SEALED_HEADER = JSON.stringify({ format: FORMAT, version: VERSION, encrypted: true });

/**
 * The content of a state file: one JSON object that says what it is, encrypted when there is a passphrase.
 * @throws PwpoolError `EXECUTION_ERROR` for a state larger than `MAX_STATE_BYTES`
 */
export async function encodeStateFile(
  name: string,
  state: BrowserState,
  passphrase: string | undefined,
): Promise<string> {
  const plain = JSON.stringify(state);
  const bytes = Buffer.byteLength(plain);
  if (bytes > MAX_STATE_BYTES) {
    throw new PwpoolError(
      'EXECUTION_ERROR',
      `State '${name}' is too large to be saved: ${bytes} bytes, and ${MAX_STATE_BYTES} is the limit.`,
      {
        hint: 'Have the site remove what it keeps in localStorage or IndexedDB and save again.',
        details: { name, bytes, limit: MAX_STATE_BYTES },
      },
    );
  }
  const header = { format: FORMAT, version: VERSION };
  if (passphrase === undefined) return `${JSON.stringify({ ...header, encrypted: false, state })}\n`;
  const sealed = await seal(plain, passphrase, SEALED_HEADER);
  return `${JSON.stringify({ ...header, encrypted: true, ...sealed })}\n`;
}

/**
 * Reads what `encodeStateFile` wrote. A file that is not encrypted is read also when there is a passphrase.
 *
 * No error bears a cause here: the reasons that JSON and zod give quote the content, which is secret.
 * @throws PwpoolError `CONFIG_INVALID` for a missing or wrong passphrase, `EXECUTION_ERROR` for a damaged file
 */
export async function decodeStateFile(
  name: string,
  text: string,
  passphrase: string | undefined,
): Promise<BrowserState> {
  const json = parseJson(text);
  const found = anyFileSchema.safeParse(json);
  if (!found.success) throw damaged(name);
  if (found.data.version !== VERSION) throw unknownVersion(name, found.data.version);
  const file = fileSchema.safeParse(json);
  if (!file.success) throw damaged(name);
  if (!file.data.encrypted) return file.data.state;
  if (passphrase === undefined) {
    throw new PwpoolError('CONFIG_INVALID', `State '${name}' is encrypted, and no key is configured.`, {
      hint: 'Ask whoever runs pwpool to set the STATE_KEY that it was saved with.',
      details: { name },
    });
  }
  const opened = await unseal(file.data, passphrase, SEALED_HEADER);
  if ('problem' in opened) throw opened.problem === 'damaged' ? damaged(name) : wrongKey(name);
  const state = browserStateSchema.safeParse(parseJson(opened.plain));
  if (!state.success) throw damaged(name);
  return state.data;
}

/** The value, or `undefined` for a text that is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function damaged(name: string): PwpoolError {
  return new PwpoolError(
    'EXECUTION_ERROR',
    `State '${name}' cannot be used: its file is damaged, or was changed.`,
    {
      hint: 'Log in again and save the state under the same name, which replaces the file.',
      details: { name },
    },
  );
}

function wrongKey(name: string): PwpoolError {
  return new PwpoolError('CONFIG_INVALID', `State '${name}' was saved with another key than is configured.`, {
    hint: 'Log in again and save the state under the same name, or ask whoever runs pwpool for the STATE_KEY that it was saved with.',
    details: { name },
  });
}

function unknownVersion(name: string, version: number): PwpoolError {
  return new PwpoolError(
    'EXECUTION_ERROR',
    `State '${name}' has format version ${version}; this pwpool reads version ${VERSION}.`,
    {
      hint: 'Log in again and save the state under the same name, which replaces the file.',
      details: { name, version },
    },
  );
}
