import type { InstanceConfig } from '../config/model.js';
import { PwpoolError, reasonOf } from '../errors.js';
import { engineOf } from './launch/engine.js';
import { launchFailure } from './launch/launch-failure.js';
import { profileDirectory } from './launch/launch-options.js';
import { profileLocked } from './profile-lock.js';

/** The browser of an instance is gone without having been closed. */
export function crashed({ pool, id }: InstanceConfig): PwpoolError {
  return new PwpoolError(
    'INSTANCE_CRASHED',
    `The browser of instance '${id}' of pool '${pool}' ended unexpectedly.`,
    {
      hint: 'Its pages are lost. The pool starts a new one: take a new lease, or start a new session.',
      details: { pool, instance: id },
    },
  );
}

/** The browser of an instance was given up, in mid-call, since nothing got it going again. */
export function unresponsive({ pool, id }: InstanceConfig): PwpoolError {
  return new PwpoolError(
    'INSTANCE_CRASHED',
    `The browser of instance '${id}' of pool '${pool}' was given up: it does not answer.`,
    {
      hint: 'Its pages are lost. The pool starts a new one: take a new lease, or start a new session.',
      details: { pool, instance: id, cause: 'unresponsive' },
    },
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

/** Playwright's words for a browser with a window and nowhere to show it. */
const NO_DISPLAY = /without having a XServer/;

function hintFor({ settings }: InstanceConfig, error: unknown): string {
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && path !== undefined) {
    return 'Make that a place that can be written to and has room, or set PROFILE_DIR for profiles or TMPDIR for temporary files.';
  }
  if (!settings.headless && NO_DISPLAY.test(reasonOf(error))) {
    return 'Use a browser without a window: headless true. For one with a window, ask whoever runs the server to start it where there is a display, or under xvfb-run.';
  }
  return `Check that the browser runs on this machine, or install one with "npx playwright install ${engineOf(settings.browser)}".`;
}

/**
 * What follows in Playwright's message is the whole command line and its log: of no use to a caller. Where it knows a
 * reason it draws a box around that.
 */
export function playwrightReason(error: unknown): string {
  const message = reasonOf(error);
  const boxed = [...message.matchAll(/^║ (.*) ║$/gm)].map(([, line = '']) => line.trim());
  const known = boxed.filter((line) => line !== '' && !line.startsWith('<3'));
  if (known.length > 0) return known.join(' ');
  return message.split(/\n(?:Browser logs|Call log|=+)/)[0]?.trim() ?? '';
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
