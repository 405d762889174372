import type { InstanceConfig } from '../config/model.js';
import { PwpoolError, reasonOf } from '../errors.js';
import { engineOf } from './launch/engine.js';
import { launchFailure } from './launch/launch-failure.js';
import { profileDirectory } from './launch/launch-options.js';
import { profileLocked } from './launch/profile-lock.js';

/** The browser of an instance is gone without having been closed. What its holder can do is the pool's to tell. */
export function crashed({ pool, id }: InstanceConfig): PwpoolError {
  return new PwpoolError(
    'INSTANCE_CRASHED',
    `The browser of instance '${id}' of pool '${pool}' ended unexpectedly.`,
    { details: { pool, instance: id } },
  );
}

/** The browser of an instance was given up, in mid-call, since nothing got it going again. */
export function unresponsive({ pool, id }: InstanceConfig): PwpoolError {
  return new PwpoolError(
    'INSTANCE_CRASHED',
    `The browser of instance '${id}' of pool '${pool}' was given up: it does not answer.`,
    { details: { pool, instance: id, cause: 'unresponsive' } },
  );
}

/**
 * Why a launch failed, and what to do about it. A PwpoolError stays as it is.
 * @param profile its directory; default `profileDirectory` for `ISOLATED=false`
 */
export function notStarted(
  config: InstanceConfig,
  error: unknown,
  profile = config.settings.isolated ? undefined : profileDirectory(config),
): PwpoolError {
  if (error instanceof PwpoolError) return error;
  const locked = profile === undefined ? undefined : profileLocked(profile);
  const { reason, hint = hintFor(config, error) } = locked ?? launchFailure(error);
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `The ${config.settings.browser} of instance '${config.id}' of pool '${config.pool}' did not start: ${reason}`,
    {
      hint,
      details: { pool: config.pool, instance: config.id, browser: config.settings.browser },
      cause: error,
    },
  );
}

function hintFor({ settings }: InstanceConfig, error: unknown): string {
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && path !== undefined) {
    return 'Make that a place that can be written to and has room, or set PROFILE_DIR for profiles or TMPDIR for temporary files.';
  }
  return `Check that the browser runs on this machine, or install one with "npx playwright install ${engineOf(settings.browser)}".`;
}

/** What follows in Playwright's message is the whole command line and its log: of no use to a caller. */
export function playwrightReason(error: unknown): string {
  return (
    reasonOf(error)
      .split(/\n(?:Browser logs|Call log|=+)/)[0]
      ?.trim() ?? ''
  );
}

/** A tool that waits for a person in Playwright's dashboard, in a browser that no dashboard shows. */
export function unattended(tool: string): PwpoolError {
  return new PwpoolError(
    'EXECUTION_ERROR',
    `${tool} waits for a person to draw in Playwright's dashboard, which does not show this browser.`,
    {
      hint: 'browser_take_screenshot shows you the page, browser_highlight marks an element in it. An operator can have dashboards with DRIVER=process and HEADLESS=false.',
      details: { tool },
    },
  );
}
