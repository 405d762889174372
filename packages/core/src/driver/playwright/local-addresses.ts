import type { BrowserContext, Frame, Page, Request, Route } from 'playwright';
import { PwpoolError } from '../../errors.js';

/** The hosts that are reached with `ALLOW_EXTERNAL=false` [002-security-01]. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/** What reaches no host, such as `about:blank`, is local too. */
export function isLocal(address: string): boolean {
  if (!URL.canParse(address)) return true;
  const { protocol, hostname } = new URL(address);
  return !/^(?:https?|wss?|ftp):$/.test(protocol) || LOCAL_HOSTS.has(hostname);
}

/**
 * Keeps the pages of a context from other hosts than this machine's [002-error-07].
 *
 * A request elsewhere is refused, whatever makes it: a call, a link, a script, a picture; the page stays where it is. Two
 * kinds of requests Playwright does not show before they are made: those that a redirect leads to, and those of service
 * workers. A Chromium that pwpool launches refuses them itself (`LOCAL_ONLY_SWITCH`); elsewhere a page that was led away
 * is left at once.
 */
export class LocalAddresses {
  readonly #context: BrowserContext;
  #refused: PwpoolError | undefined;
  /** That they fail, perhaps behind the answer that tells of them, is no news. */
  readonly #told = new WeakSet<Request>();

  private constructor(context: BrowserContext) {
    this.#context = context;
  }

  static async keep(context: BrowserContext): Promise<LocalAddresses> {
    const kept = new LocalAddresses(context);
    await kept.#refuseOthers();
    for (const page of context.pages()) kept.#watch(page);
    context.on('page', (page) => kept.#watch(page));
    return kept;
  }

  /** Once more, in a context whose routes were taken out. */
  async renew(): Promise<void> {
    await this.#refuseOthers();
  }

  /** Why what a call is to open is not opened; `undefined` for a local address. */
  refusalOf(address: string): PwpoolError | undefined {
    const given = address.trim();
    // Upstream puts a scheme in front of a bare host.
    const whole = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(given) ? given : `http://${given}`;
    return isLocal(whole) ? undefined : refused(whole);
  }

  /** That a page was kept from going elsewhere, or was taken back from there, unless it was told; once. */
  take(): PwpoolError | undefined {
    const error = this.#refused;
    this.#refused = undefined;
    return error;
  }

  async #refuseOthers(): Promise<void> {
    await this.#context.route(
      (url) => !isLocal(url.href),
      (route) => this.#refuse(route),
    );
    // Every one that is routed is talked to through Playwright, so only those that are refused are.
    await this.#context.routeWebSocket(
      (url) => !isLocal(url.href),
      (socket) => void socket.close({ code: 1008, reason: 'Not a local address.' }),
    );
  }

  async #refuse(route: Route): Promise<void> {
    const request = route.request();
    const page = pageOf(request);
    // The profile of a browser that others use as well: their pages are none of ours.
    if (page && !this.#context.pages().includes(page)) return await route.fallback();
    if (!request.isNavigationRequest() || (page && request.frame() !== page.mainFrame()))
      return await route.abort('blockedbyclient');
    this.#refused = refused(request.url());
    this.#told.add(request);
    // An answer without content: the page goes nowhere, where an aborted one goes to an error page.
    await route.fulfill({ status: 204 });
  }

  #watch(page: Page): void {
    page.on('requestfailed', (request: Request) => {
      const isPage = request.isNavigationRequest() && pageOf(request)?.mainFrame() === request.frame();
      if (isPage && !isLocal(request.url()) && !this.#told.has(request))
        this.#refused = refused(request.url());
    });
    page.on('framenavigated', (frame: Frame) => {
      if (frame !== page.mainFrame() || isLocal(frame.url())) return;
      this.#refused = refused(frame.url());
      // Its renderer may be gone, or on its way elsewhere by itself.
      void page.goto('about:blank').catch(() => {});
    });
  }
}

/** `undefined` of a request that no page made, or that opens one. */
function pageOf(request: Request): Page | undefined {
  try {
    return request.frame().page();
  } catch {
    return undefined;
  }
}

function refused(address: string): PwpoolError {
  const { host } = URL.canParse(address) ? new URL(address) : { host: address };
  return new PwpoolError('URL_BLOCKED', `${host} was not opened: only localhost and 127.0.0.1 are allowed.`, {
    hint: 'Use a local address. Whoever runs pwpool can set ALLOW_EXTERNAL=true.',
    details: { url: address },
  });
}
