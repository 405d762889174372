import { PwpoolError } from '@pwpool/core';
import { type OperateOptions, operate } from '../operate.js';

interface TimedOptions extends OperateOptions {
  timeout?: number;
}

/** Replaces the browsers of a pool, a few at a time, or that of one instance. */
export async function restart(target: string, options: TimedOptions): Promise<number> {
  return await operate(options, 'restart', inputOf(target, options));
}

/** Takes instances out of service. */
export async function drain(target: string, options: TimedOptions): Promise<number> {
  return await operate(options, 'drain', inputOf(target, options));
}

/** Takes drained and given-up instances back into service. */
export async function resume(target: string, options: TimedOptions): Promise<number> {
  return await operate(options, 'resume', inputOf(target, options));
}

/** Gives a pool more instances, or fewer. */
export async function scale(pool: string, instances: number, options: TimedOptions): Promise<number> {
  return await operate(options, 'scale', { pool, instances, ...timeIn(options) });
}

/** `POOL` or `POOL/ID`, as the instance is shown. */
function inputOf(target: string, options: TimedOptions): Record<string, unknown> {
  const [pool = '', instance, ...more] = target.split('/');
  if (pool === '' || instance === '' || more.length > 0) {
    throw new PwpoolError('INVALID_ARGUMENTS', `'${target}' names no instance.`, {
      hint: 'Write POOL for all of a pool, or POOL/ID with the id or the alias of one instance.',
    });
  }
  return { pool, ...(instance === undefined ? {} : { instance }), ...timeIn(options) };
}

function timeIn({ timeout }: TimedOptions): { timeoutMs?: number } {
  return timeout === undefined ? {} : { timeoutMs: Math.round(timeout * 1000) };
}
