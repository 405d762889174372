import type { Browser, BrowserContext } from 'playwright';

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
  /** Nobody new comes into the browser. */
  retire(): void;
  /**
   * Gives the place up, once: closes the context if it is the instance's own, and the browser if it was the last place
   * in use and pwpool's to close.
   */
  leave(context: BrowserContext | undefined): Promise<void>;
}
