import type { BrowserContextOptions, LaunchOptions } from 'playwright';
import { deviceOptions } from '../../config/devices.js';
import type { InstanceConfig, InstanceSettings } from '../../config/model.js';
import { parseProxy } from '../../config/proxy.js';

/** Playwright's options for every context of an instance, and for its profile. */
export function contextOptions({ settings }: InstanceConfig): BrowserContextOptions {
  const { userAgent, permissions, ignoreHttpsErrors, blockServiceWorkers, storageState } = settings;
  const proxy = proxyOf(settings);
  const emulated: BrowserContextOptions = { ...deviceOptions(settings), ...settings.contextOptions };
  return {
    ...emulated,
    ...viewportOf(settings, emulated),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(permissions.length === 0 ? {} : { permissions: [...permissions] }),
    ...(ignoreHttpsErrors ? { ignoreHTTPSErrors: true } : {}),
    ...(blockServiceWorkers ? { serviceWorkers: 'block' } : {}),
    ...(storageState === undefined ? {} : { storageState }),
    ...(proxy ? { proxy } : {}),
  };
}

/** `PROXY_SERVER` and `PROXY_BYPASS` as Playwright takes them. */
export function proxyOf({ proxyServer, proxyBypass }: InstanceSettings): LaunchOptions['proxy'] {
  const proxy = parseProxy(proxyServer ?? '');
  return proxy && (proxyBypass === undefined ? proxy : { ...proxy, bypass: proxyBypass });
}

/** A person who looks at a window expects pages to fill it, unless they emulate a screen. */
function viewportOf(
  { viewport, headless }: InstanceSettings,
  emulated: BrowserContextOptions,
): Pick<BrowserContextOptions, 'viewport'> {
  const [width, height] = (viewport ?? '').split('x').map(Number);
  if (width && height) return { viewport: { width, height } };
  const emulatesScreen =
    emulated.viewport !== undefined ||
    emulated.isMobile !== undefined ||
    emulated.deviceScaleFactor !== undefined;
  return viewport === 'window' || (!headless && !emulatesScreen) ? { viewport: null } : {};
}
