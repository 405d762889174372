import type { BrowserContext, Page } from 'playwright';
import { answered } from '../calls/call-answer.js';
import type { ToolArguments } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import { factsOf } from '../toolset/command-references.js';
import type { RowBrowser } from './row-browser.js';
import type { RowTask, RowWork, StepWorkParts } from './row-work.js';

/** What a script in JavaScript or TypeScript is given for an attempt at a row. */
export interface RowTools {
  /** Playwright's own. */
  page: Page;
  context: BrowserContext;
  /** Empty without data. */
  row: Readonly<Record<string, unknown>>;
  /** Of the row, from 1. */
  number: number;
  /** From 1. */
  attempt: number;
  /** The folder of the row's files. It is made with the first of them. */
  files: string;
  /** Aborts when the attempt is to end. */
  signal: AbortSignal;
  /**
   * Calls a browser tool on the same page.
   * @returns what references of a script would find: `url`, `title`, `result`, `snapshot`, `text`
   * @throws PwpoolError what the tool failed with
   */
  call(tool: string, args?: ToolArguments): Promise<Record<string, unknown>>;
  /** Tells something on stderr, with the number of the row. */
  log(...what: readonly unknown[]): void;
}

/** What a script in JavaScript or TypeScript exports. */
export interface CodeScript {
  default: (tools: RowTools) => unknown;
  pool?: string | undefined;
  /** As in a script of steps. */
  clean?: 'row' | 'lease' | undefined;
  /** Milliseconds that an attempt at a row may take. */
  timeout?: number | undefined;
  /** Run with each browser before its first row. */
  setup?: ((tools: SetupTools) => unknown) | undefined;
  /** Run with each browser after its last row. */
  teardown?: ((tools: SetupTools) => unknown) | undefined;
}

export type SetupTools = Pick<RowTools, 'page' | 'context' | 'call'>;

export interface CodeWorkParts extends StepWorkParts {
  log(row: number, ...what: readonly unknown[]): void;
}

/**
 * The work on rows that a module does.
 * @throws PwpoolError `INVALID_ARGUMENTS` for a module that does none
 */
export function codeWork(
  module: Readonly<Record<string, unknown>>,
  name: string,
  parts: CodeWorkParts,
): RowWork {
  const { default: work, pool, clean = 'row', timeout, setup, teardown } = checked(module, name);
  const callOf = (browser: RowBrowser, signal?: AbortSignal): RowTools['call'] => {
    return async (tool, args = {}) => {
      const given = parts.toolset.check(tool, args).args;
      const answer = answered(await browser.call({ tool, args: given, signal }));
      if (!answer.success) throw answer.error;
      return factsOf(answer.result);
    };
  };
  const around = async (tools: SetupTools, step: CodeScript['setup']) => void (await step?.(tools));
  const toolsOf = async (browser: RowBrowser, signal?: AbortSignal): Promise<SetupTools> => {
    const page = await browser.page();
    return { page, context: browser.context(), call: callOf(browser, signal) };
  };
  return {
    pool,
    clean,
    timeoutMs: timeout,
    setUp: async (browser, signal) => setup && (await around(await toolsOf(browser, signal), setup)),
    tearDown: async (browser) => teardown && (await around(await toolsOf(browser), teardown)),
    async run({ browser, row, attempt, files, signal }: RowTask) {
      const { value, number } = row;
      const tools = await toolsOf(browser, signal);
      const log = (...what: readonly unknown[]) => parts.log(number, ...what);
      return plain(await work({ ...tools, row: value, number, attempt, files, signal, log }));
    },
  };
}

/** As it will be read: what JSON cannot say is a failure of the row, not of the file of results. */
function plain(result: unknown): unknown {
  try {
    const text = JSON.stringify(result);
    return text === undefined ? null : (JSON.parse(text) as unknown);
  } catch (cause) {
    throw new PwpoolError('EXECUTION_ERROR', 'The script returned what JSON cannot say.', { cause });
  }
}

function checked(module: Readonly<Record<string, unknown>>, name: string): CodeScript {
  const { default: work, pool, clean, timeout, setup, teardown } = module;
  const problems = [
    typeof work === 'function' ? '' : 'it has no default export that is a function',
    pool === undefined || typeof pool === 'string' ? '' : 'pool is not a string',
    clean === undefined || clean === 'row' || clean === 'lease' ? '' : "clean is neither 'row' nor 'lease'",
    timeout === undefined || (typeof timeout === 'number' && timeout > 0)
      ? ''
      : 'timeout is not a number of milliseconds',
    setup === undefined || typeof setup === 'function' ? '' : 'setup is not a function',
    teardown === undefined || typeof teardown === 'function' ? '' : 'teardown is not a function',
  ].filter((problem) => problem !== '');
  if (problems.length === 0) return { default: work, pool, clean, timeout, setup, teardown } as CodeScript;
  throw new PwpoolError(
    'INVALID_ARGUMENTS',
    `${name} is not a script that can be run: ${problems.join('; ')}.`,
    {
      hint: 'Write: export default async ({ page, row, call, log }) => { … return result; }',
    },
  );
}
