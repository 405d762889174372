import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { PwpoolError } from '@pwpool/core';
import { reasonOf } from '@pwpool/core/internal';

/** A script as it was read. */
export interface ScriptFile {
  /** For messages. */
  name: string;
  text: string;
  sha256: string;
  /** What it exports, if it is code. */
  module?: Readonly<Record<string, unknown>>;
}

const TYPESCRIPT = new Set(['.ts', '.mts']);
const CODE = new Set(['.js', '.mjs', ...TYPESCRIPT]);

/** @throws PwpoolError `INVALID_ARGUMENTS` when it cannot be read, or fails when it is loaded */
export async function readScript(file: string): Promise<ScriptFile> {
  const name = file === '-' ? 'stdin' : file;
  const bytes = await readBytes(file, name);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const text = textOf(bytes, name);
  return CODE.has(extname(file)) ? { name, text, sha256, module: await load(file) } : { name, text, sha256 };
}

async function readBytes(file: string, name: string): Promise<Buffer> {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw unreadable(name, error);
  }
}

function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(name, error);
  }
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(resolve(file)).href;
  try {
    return (
      TYPESCRIPT.has(extname(file)) && !nodeReadsTypeScript()
        ? await importTypeScript(url)
        : await import(url)
    ) as Record<string, unknown>;
  } catch (error) {
    throw new PwpoolError('INVALID_ARGUMENTS', `The script ${file} cannot be loaded: ${reasonOf(error)}`, {
      hint: 'Mend what the message says.',
      cause: error,
    });
  }
}

/** From 22.18 on it does. */
function nodeReadsTypeScript(): boolean {
  return Boolean((process.features as { typescript?: unknown }).typescript);
}

/** Imports a script, and what it imports in TypeScript itself. */
async function importTypeScript(url: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  return await createJiti(url, { fsCache: false }).import(url);
}

function unreadable(name: string, error: unknown): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `The script ${name} cannot be read: ${reasonOf(error)}`, {
    hint: 'Name a file in UTF-8 that exists, or "-" for stdin.',
    cause: error,
  });
}
