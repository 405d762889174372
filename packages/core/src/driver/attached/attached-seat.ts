import type { Browser } from 'playwright';
import type { Clock } from '../../clock.js';
import { type Endpoint, parseHeaders } from '../../config/endpoint.js';
import type { InstanceConfig, InstanceSettings } from '../../config/model.js';
import { unlessAborted } from '../../waiting/abort.js';
import { within } from '../../waiting/deadline.js';
import { browserType, engineOf } from '../launch/engine.js';
import type { BrowserSeat, TheirTab } from '../playwright/browser-seat.js';
import { AttachedProfile, leaveDialogs } from './attached-profile.js';

/**
 * Milliseconds for each step of leaving a browser: one that is gone or frozen cannot be left in good order, and need
 * not be.
 */
const LEAVE_MS = 3_000;

export interface AttachOptions {
  config: InstanceConfig;
  endpoint: Endpoint;
  clock: Clock;
  /** Milliseconds to connect in. */
  timeoutMs: number;
}

/**
 * Connects to a browser that runs already, and takes a seat in it, with a connection of its own. It is never more than
 * disconnected from. Rejects as Playwright does.
 * @param signal the seat is not wanted any more: a connection that still comes is ended
 */
export async function attach(
  { config, endpoint, clock, timeoutMs }: AttachOptions,
  signal: AbortSignal,
): Promise<BrowserSeat> {
  const { settings } = config;
  const overCdp = endpoint.kind === 'cdp';
  const connecting = (overCdp ? connectOverCdp : connect)(endpoint, settings, timeoutMs);
  const browser = await unlessAborted(signal, connecting).catch(async (error) => {
    await within(clock, LEAVE_MS, async () => await (await connecting).close());
    throw error;
  });
  const [whole] = browser.contexts();
  let profile: AttachedProfile | undefined;
  let theirTab: TheirTab | undefined;
  if (overCdp && !settings.isolated) {
    if (!whole) {
      await disconnect(browser, clock);
      throw new Error('the browser has no profile to share: set ISOLATED=true');
    }
    profile = new AttachedProfile(whole);
    theirTab = settings.attachTab === 'existing' ? profile.theirTab(clock) : undefined;
    await unlessAborted(signal, Promise.resolve(theirTab?.take())).catch(async (error) => {
      await disconnect(browser, clock);
      throw error;
    });
  } else if (whole) leaveDialogs(whole);
  return {
    browser,
    owned: false,
    processId: null,
    sharedBy: 1,
    profile: profile?.context,
    theirTab,
    retire() {},
    async leave(context) {
      await within(
        clock,
        LEAVE_MS,
        async () => await (profile ? profile.closePages(clock) : context?.close()),
      );
      await disconnect(browser, clock);
    },
  };
}

/** `noDefaults` leaves the browser's own profile as its user has set it up. */
async function connectOverCdp(endpoint: Endpoint, settings: InstanceSettings, timeout: number) {
  const headers = headersOf(settings);
  return await browserType('chromium').connectOverCDP(endpoint.url, { headers, timeout, noDefaults: true });
}

/** A server that runs browsers on demand is told which one; one that has a browser already does not look at that. */
async function connect(endpoint: Endpoint, settings: InstanceSettings, timeout: number): Promise<Browser> {
  const { browser, headless, executablePath } = settings;
  const branded = engineOf(browser) === 'chromium' && browser !== 'chromium';
  const launch = {
    ...settings.launchOptions,
    headless,
    ...(branded ? { channel: browser } : {}),
    ...(executablePath === undefined ? {} : { executablePath }),
  };
  const headers = { 'x-playwright-launch-options': JSON.stringify(launch), ...headersOf(settings) };
  return await browserType(browser).connect(endpoint.url, { headers, timeout });
}

function headersOf({ endpointHeaders }: InstanceSettings): Record<string, string> {
  const headers = parseHeaders(endpointHeaders ?? '{}') ?? {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** `close` only disconnects here: the browser was not launched over this connection. */
async function disconnect(browser: Browser, clock: Clock): Promise<void> {
  await within(clock, LEAVE_MS, () => browser.close());
}
