import type { ToolArguments } from '../connection/tool-connection.js';
import type { SessionBrowser } from '../session/session.js';
import { answered, type CallAnswer, failed } from './call-answer.js';
import { runTool, type Stages } from './run-tool.js';

/** One of several calls that are made one after the other in one browser. */
export interface Command {
  tool: string;
  /**
   * What the tool is given, asked when its turn has come.
   * @param answers of the commands before it
   * @throws PwpoolError what the command then fails with
   */
  args(answers: readonly CallAnswer[]): ToolArguments;
}

export interface RunCommandsOptions {
  signal?: AbortSignal | undefined;
  /** Leave out what comes behind a command that failed. */
  stopOnError: boolean;
  /** Called when a command has its answer. */
  onAnswer?: ((answer: CallAnswer) => void) | undefined;
}

/**
 * Runs commands in a browser one after the other. A command that fails is an answer like another.
 * @param answers where each answer is added as soon as it is there
 * @throws PwpoolError what ended the caller's hold of the browser, or the caller's wait, before all had run: it is the
 *   failure of the command whose answer is missing
 */
export async function runCommands(
  browser: SessionBrowser,
  commands: readonly Command[],
  { signal, stopOnError, onAnswer }: RunCommandsOptions,
  stages: Stages,
  answers: CallAnswer[],
): Promise<void> {
  for (const { tool, args } of commands) {
    signal?.throwIfAborted();
    let answer: CallAnswer;
    try {
      answer = answered(await runTool(browser, { tool, args: args(answers), signal }, stages));
    } catch (error) {
      if (signal?.aborted || browser.ended.aborted) throw error;
      answer = failed(error);
    }
    answers.push(answer);
    onAnswer?.(answer);
    if (!answer.success && stopOnError) return;
  }
}
