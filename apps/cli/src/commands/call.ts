import { copyFile, writeFile } from 'node:fs/promises';
import { PwpoolError, type Tool, type ToolResult, textOf } from '@pwpool/core';
import { systemClock, toolNotFound, within } from '@pwpool/core/internal';
import { EXIT, statusOfCode } from '../exit-status.js';
import { Interruption } from '../interruption.js';
import { complain, describeError, print, printJson, tell } from '../output.js';
import { formatTable, printable, terminalWidth } from '../table.js';
import { type Ask, onToolHost, type ToolHostOptions } from '../tool-host.js';

/** Milliseconds that a session has to be closed. */
const CLOSE_MS = 5_000;

interface CallOptions extends ToolHostOptions {
  args?: string;
  json?: true;
}

interface ScreenshotOptions extends ToolHostOptions {
  out: string;
  fullPage?: true;
}

/** An error as an answer tells it. */
interface Told {
  code: string;
  message: string;
  hint?: string;
}

/** Calls one tool, and prints its answer: exit status 0, or that of the code with which it has failed. */
export async function call(tool: string, pairs: readonly string[], options: CallOptions): Promise<number> {
  const args = { ...objectIn(options.args), ...argumentsIn(pairs) };
  return await interruptible(options, async (ask) => {
    const result = await callTool(ask, tool, args);
    if (options.json) printJson(result);
    else print(textOf(result));
    return statusOf(result);
  });
}

/** Opens an address in a session of its own, and writes a picture of the page. */
export async function screenshot(
  url: string,
  { out, fullPage, ...options }: ScreenshotOptions,
): Promise<number> {
  return await interruptible(options, async (ask) => {
    const started = await callTool(ask, 'start_browser', { navigationUrl: url });
    const sessionId = sessionOf(started);
    if (started.isError || sessionId === undefined) return failed(started);
    try {
      const taken = await callTool(ask, 'browser_take_screenshot', {
        sessionId,
        type: 'png',
        ...(fullPage ? { fullPage } : {}),
      });
      if (taken.isError) return failed(taken);
      await writePicture(ask, taken, out);
      print(out);
      const notOpened = navigationErrorOf(started);
      if (!notOpened) return EXIT.ok;
      complain(`The picture is of a page that did not open. ${describeError(notOpened)}`);
      return statusOfCode(notOpened.code);
    } finally {
      // Also for who has interrupted it: on a server the session would keep its browser.
      await within(systemClock, CLOSE_MS, (signal) => callTool(ask, 'close_session', { sessionId }, signal));
    }
  });
}

/** Lists the tools, or shows what one of them takes. */
export async function tools(
  name: string | undefined,
  options: ToolHostOptions & { json?: true },
): Promise<number> {
  return await interruptible(options, async (ask) => {
    const { tools: offered } = (await ask('tools', {})) as { tools: Tool[] };
    const shown = name === undefined ? offered : offered.filter((tool) => tool.name === name);
    if (shown.length === 0) {
      throw toolNotFound(
        name ?? '',
        offered.map((tool) => tool.name),
      );
    }
    if (options.json) printJson({ tools: shown });
    else if (name === undefined) print(formatTable(shown.map(rowOf), '', terminalWidth()));
    else tell(shown.map(describeTool).join('\n'));
    return EXIT.ok;
  });
}

async function interruptible(options: ToolHostOptions, work: (ask: Ask) => Promise<number>): Promise<number> {
  using interruption = new Interruption();
  const status = await onToolHost(options, interruption.signal, work);
  return interruption.exitStatus ?? status;
}

async function callTool(
  ask: Ask,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<ToolResult> {
  return (await ask('call', { tool, args }, signal)) as ToolResult;
}

function failed(result: ToolResult): number {
  complain(textOf(result));
  return statusOf(result);
}

function statusOf({ isError, structuredContent }: ToolResult): number {
  if (!isError) return EXIT.ok;
  const { error } = { ...(structuredContent as { error?: { code: string } } | undefined) };
  return error ? statusOfCode(error.code) : EXIT.failure;
}

/** Why the address of `start_browser` was not opened: the session is there all the same. */
function navigationErrorOf({ structuredContent }: ToolResult): Told | undefined {
  return (structuredContent as { navigation?: { error: Told } } | undefined)?.navigation?.error;
}

function sessionOf({ structuredContent }: ToolResult): string | undefined {
  const { sessionId } = { ...(structuredContent as { sessionId?: unknown } | undefined) };
  return typeof sessionId === 'string' ? sessionId : undefined;
}

/** A small picture is in the answer, a large one is an artifact on this machine. */
async function writePicture(ask: Ask, { content }: ToolResult, out: string): Promise<void> {
  const image = content.find((part) => part.type === 'image');
  if (image) return await writeFile(out, Buffer.from(image.data, 'base64'));
  const link = content.find((part) => part.type === 'resource_link');
  if (!link) throw new PwpoolError('EXECUTION_ERROR', 'The answer has no picture.');
  const { path } = (await ask('artifact', { uri: link.uri })) as { path: string };
  await copyFile(path, out);
}

function rowOf({ name, description = '' }: Tool): string[] {
  return [name, description.split('\n')[0] ?? ''];
}

function describeTool({ name, description = '', inputSchema }: Tool): string {
  const required = new Set(inputSchema.required ?? []);
  const rows = Object.entries(inputSchema.properties ?? {}).map(([argument, schema]) => {
    const { type = '', description: meaning = '' } = schema as { type?: string; description?: string };
    return [argument, String(type), required.has(argument) ? 'required' : '', meaning.split('\n')[0] ?? ''];
  });
  return `${printable(name)}: ${printable(description)}\n\n${formatTable(rows, '  ')}`;
}

/** `key=value`: a value that is JSON is taken as that, any other as text. */
function argumentsIn(pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at > 0) return [pair.slice(0, at), parsed(pair.slice(at + 1))];
      throw new PwpoolError('INVALID_ARGUMENTS', `'${pair}' is not a tool argument.`, {
        hint: 'Write key=value, or all of them as --args JSON.',
      });
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function objectIn(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value));
  throw new PwpoolError('INVALID_ARGUMENTS', '--args is not a JSON object.', {
    hint: `For example --args '{"url":"https://example.com"}'.`,
  });
}
