import { createRequire } from 'node:module';
import type { BrowserContextOptions } from 'playwright';
import type { InstanceSettings, PoolConfig } from './model.js';
import { nearest } from './suggest.js';
import type { Violation } from './violations.js';

/** What is emulated with `MOBILE`. */
const PHONES = { chromium: 'Pixel 10', webkit: 'iPhone 17' } as const;

/** The options of a context that `DEVICE` and `MOBILE` stand for. */
export function deviceOptions({ device, mobile, browser }: InstanceSettings): BrowserContextOptions {
  const name = device ?? (mobile ? PHONES[browser === 'webkit' ? 'webkit' : 'chromium'] : undefined);
  if (name === undefined) return {};
  const { defaultBrowserType: _, ...options } = knownDevices()[name] ?? {};
  return options;
}

/** Every device is one that Playwright knows. */
export function checkDevices(pools: readonly PoolConfig[]): Violation[] {
  const named = new Map(
    pools
      .flatMap(({ instances }) => instances)
      .flatMap(({ settings, origins }) =>
        settings.device === undefined ? [] : [[origins.device.name, settings.device] as const],
      ),
  );
  return [...named].flatMap(([variable, device]): Violation[] => {
    const known = knownDevices();
    if (Object.hasOwn(known, device)) return [];
    const near = nearest(device, Object.keys(known))?.name;
    return [
      {
        code: 'UNKNOWN_DEVICE',
        message: `${variable} is ${JSON.stringify(device)}, which Playwright does not know`,
        variable,
        fix: near
          ? `Did you mean ${near}?`
          : 'Use one of the names in devices of Playwright, such as iPhone 15.',
      },
    ];
  });
}

/** Loaded when a device is named: Playwright takes its time. */
function knownDevices(): Readonly<Record<string, BrowserContextOptions & { defaultBrowserType?: string }>> {
  return (createRequire(import.meta.url)('playwright') as typeof import('playwright')).devices;
}
