import { textOf } from '@pwpool/core/first-answers';
import type { Command } from '@pwpool/core/internal';
import * as z from 'zod';
import { newsOf } from '../result.js';
import { sizeInJson } from '../shorten.js';
import { instanceId } from '../target.js';
import type { PoolToolOptions, PoolToolParts } from './pool-tool.js';

/** Longer lists are programs: `pwpool run`. */
export const MAX_COMMANDS = 200;

/** The arguments that say in which browser all commands run. */
export const TARGET = {
  sessionId: z.string().min(1).optional(),
  browser_pool: z.string().optional(),
  browser_instance: z.preprocess(instanceId, z.string().optional()),
};

/** What they mean, for docs/tools.md. */
export const TARGET_HELP = {
  sessionId: 'The session to run in. Default: as for a browser tool',
  browser_pool: 'In place of a session: borrow a browser of this pool',
  browser_instance: 'In place of a session: borrow this instance, by id or alias',
};

export interface RunInTurn {
  commands: readonly Command[];
  /** For each command, what an entry of the answer says which it is, and whether its result is wanted. */
  tellings: readonly { told: Record<string, string>; returns: boolean }[];
  stopOnError: boolean;
  target: z.infer<z.ZodObject<typeof TARGET>>;
  /** The name of the tool that runs them. */
  what: string;
}

/** Runs commands one after the other in one browser, and tells what came of them [000-bulk-04]. */
export async function runInTurn(
  { commands, tellings, stopOnError, target, what }: RunInTurn,
  { client, calls, pools }: PoolToolParts,
  { attach, onProgress, ...options }: PoolToolOptions,
): Promise<Record<string, unknown>> {
  const { sessionId, browser_instance: instance } = target;
  let done = 0;
  const onAnswer = () => {
    done += 1;
    onProgress?.(done, commands.length);
  };
  const { answers, pool, session } = await calls.runAll({
    client,
    target: { sessionId, pool: target.browser_pool, instance },
    commands,
    stopOnError,
    onAnswer,
    what,
    ...options,
  });
  const results = answers.flatMap((answer, index) => {
    const { told, returns } = tellings[index] ?? {};
    if (!answer.success || !returns) return [];
    // A model sees an image as such, and not in letters.
    attach(answer.result.content.filter(({ type }) => type !== 'text'));
    return [{ index, ...told, result: textOf(answer.result) }];
  });
  const errors = answers.flatMap((answer, index) =>
    answer.success ? [] : [{ index, ...tellings[index]?.told, error: answer.error.toJSON() }],
  );
  const last = answers.length - 1;
  const hasStopped = answers[last]?.success === false && (stopOnError || answers.length < commands.length);
  const answer = {
    success: errors.length === 0,
    executed_count: answers.length,
    total_count: commands.length,
    results: results.map((entry) => ({ ...entry, result: '' })),
    errors,
    stopped_at: hasStopped ? last : null,
    ...(session ? newsOf(session, sessionId !== undefined) : {}),
  };
  const limit = pools.config.server.answerMaxKb * 1024 - sizeInJson(answer);
  const texts = results.map(({ result }) => result);
  const fitted = await calls.fit(texts, { client, pool, name: what, limit, sizeOf: sizeInJson });
  attach(fitted.flatMap(({ links }) => links));
  return {
    ...answer,
    results: results.map((entry, index) => ({ ...entry, result: fitted[index]?.text ?? entry.result })),
  };
}
