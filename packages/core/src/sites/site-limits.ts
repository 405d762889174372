import { type Clock, systemClock } from '../clock.js';
import { type Violation, violationsOfWork } from '../config/violations.js';
import { domainsOf, hostOf, type Site } from './site.js';
import { readSiteFile } from './site-file.js';
import { SiteLine, type TurnOptions } from './site-line.js';

/** One request to a site, from its start to the end of its turn: `using visit = await limits.enter(url)`. */
export interface Visit extends Disposable {
  /** `undefined` when no limit holds for the address. */
  readonly site: string | undefined;
}

/** The two lines at a site. */
interface Gate {
  site: Site;
  /** For callers that would take a browser only to wait with it. */
  outside: SiteLine;
  /** For callers that have their browser: here the limits are kept. */
  inside: SiteLine;
}

/**
 * How often, and how many at once, the sites of a file may be visited [004-site-01, 004-site-02]. Requests to
 * different sites, and to those that are not in the file, never wait for each other [004-site-03]. The limits hold
 * within this process.
 *
 * A caller waits for its turn with its browser in hand, just before it navigates: so the interval is between real starts,
 * and nobody who has a turn waits for a browser that a waiter for the same turn holds. A caller that has no browser
 * yet waits in front of that with `admit`, so that at most `concurrency` browsers of such callers stand in the line.
 */
export class SiteLimits {
  readonly #gates = new Map<string, Gate>();
  readonly #gatesByLabel = new Map<string, Gate>();

  constructor(sites: readonly Site[], { clock = systemClock }: { clock?: Clock } = {}) {
    for (const site of sites) {
      const gate = { site, outside: new SiteLine(site, clock), inside: new SiteLine(site, clock) };
      for (const host of site.hosts) this.#gates.set(host, gate);
      if (site.label !== undefined) this.#gatesByLabel.set(site.label, gate);
    }
  }

  /**
   * The limits that stand in a file (`SITES_FILE`).
   * @throws PwpoolError `CONFIG_INVALID` with every fault, its line and what to change
   */
  static async load(path: string, options: { clock?: Clock } = {}): Promise<SiteLimits> {
    return new SiteLimits(await readSiteFile(path), options);
  }

  /** Every fault of such a file; none of one that `load` takes. */
  static async inspect(path: string): Promise<readonly Violation[]> {
    return await violationsOfWork(() => readSiteFile(path));
  }

  /**
   * Waits until a request to that address may start, in order of arrival at its site. The visit lasts until it is disposed of.
   * @throws PwpoolError `CALL_TIMEOUT` with the site, its limits and how many wait; `CANCELLED`, `INVALID_ARGUMENTS`
   *   (`timeoutMs`)
   */
  async enter(url: string, options: TurnOptions = {}): Promise<Visit> {
    const gate = this.#gateOf(url);
    const turn = await gate?.inside.enter(options);
    return { site: gate?.site.name, [Symbol.dispose]: () => turn?.[Symbol.dispose]() };
  }

  /**
   * For a caller without a browser: waits until it is worth taking one for a request to that address. It then takes its
   * browser, enters, and disposes of this when the request is over. Throws as `enter`.
   */
  async admit(url: string, options: TurnOptions = {}): Promise<Disposable> {
    const turn = await this.#gateOf(url)?.outside.enter(options);
    return { [Symbol.dispose]: () => turn?.[Symbol.dispose]() };
  }

  /** A host within another one's domain may be a site of its own: the narrowest counts, and a whole host before a label. */
  #gateOf(url: string): Gate | undefined {
    const host = hostOf(url);
    const domain = domainsOf(host).find((each) => this.#gates.has(each));
    if (domain !== undefined) return this.#gates.get(domain);
    const label = host.split('.').find((each) => this.#gatesByLabel.has(each));
    return label === undefined ? undefined : this.#gatesByLabel.get(label);
  }
}
