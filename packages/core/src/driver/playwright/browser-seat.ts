import type { Browser, BrowserContext, Page } from 'playwright';

/** The tab of somebody else that an instance works in. It is never closed by pwpool. */
export interface TheirTab {
  has(page: Page): boolean;
  /** Works from now on in the tab that is open now. @returns whether there is one */
  take(): Promise<boolean>;
}

/** An instance's place in a browser that Playwright drives; a browser may have several. */
export interface BrowserSeat {
  readonly browser: Browser;
  /** True when pwpool started the browser and may kill it; false when it may only disconnect. */
  readonly owned: boolean;
  /** `null` where it cannot be known. */
  readonly processId: number | null;
  /** How many sit in the browser, this one included. */
  readonly sharedBy: number;
  /** The one context of a profile, which cannot be replaced; `undefined` where contexts are made as needed. */
  readonly profile: BrowserContext | undefined;
  /** With `ATTACH_TAB=existing`; else every page of the profile is the instance's. */
  readonly theirTab?: TheirTab | undefined;
  /** The context is that of others as well: what holds for all of it is left as it is. */
  readonly sharesContext?: boolean | undefined;
  /** Nobody new comes into the browser. */
  retire(): void;
  /**
   * Gives the place up, once: closes the context if it is the instance's own, and the browser if it was the last place
   * in use and pwpool's to close.
   */
  leave(context: BrowserContext | undefined): Promise<void>;
}
