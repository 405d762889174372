import { type InstanceSettings, type PwpoolConfig, PwpoolError } from '@pwpool/core';
import { discoverBrowser } from '@pwpool/core/internal';

/** A browser that instances of the configuration start, and where it is on this machine. */
export interface ProbedBrowser {
  browser: InstanceSettings['browser'];
  /** `EXECUTABLE_PATH`, or what was found; `null` for one that Playwright downloaded, or for none. */
  executablePath: string | null;
  found: boolean;
  /** Why it cannot be started, and what to do; `null` when it was found. */
  error: { code: string; message: string; hint?: string | undefined } | null;
}

/** Looks for each browser that the configuration starts here, once: not for those that run already, or under Windows. */
export function probeBrowsers({ pools }: PwpoolConfig): ProbedBrowser[] {
  const wanted = new Map<string, Pick<InstanceSettings, 'browser' | 'executablePath'>>();
  for (const { settings } of pools.flatMap(({ instances }) => instances)) {
    const { browser, executablePath, endpoint, wslWindows } = settings;
    if (endpoint !== undefined || wslWindows) continue;
    wanted.set(JSON.stringify([browser, executablePath]), { browser, executablePath });
  }
  return [...wanted.values()].map(probe);
}

/** Looks for one browser. */
export function probe({
  browser,
  executablePath,
}: Pick<InstanceSettings, 'browser' | 'executablePath'>): ProbedBrowser {
  try {
    const found = discoverBrowser({ browser, executablePath });
    return { browser, executablePath: found.executablePath ?? null, found: true, error: null };
  } catch (error) {
    if (!(error instanceof PwpoolError)) throw error;
    const { code, message, hint } = error;
    return {
      browser,
      executablePath: executablePath ?? null,
      found: false,
      error: { code, message, hint },
    };
  }
}
