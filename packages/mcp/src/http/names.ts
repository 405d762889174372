import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isLoopback } from '@pwpool/core/internal';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/**
 * The names that the server may be called by, against DNS rebinding [arch-security-03]: a page on a name of its own, which it
 * lets point to this machine, would be let in by a browser.
 */
export class Names {
  readonly #names: ReadonlySet<string>;
  readonly #isAny: boolean;
  /** Listens on every address, so that any of them may be meant. None is a name that could be pointed elsewhere. */
  readonly #isEveryAddress: boolean;

  /**
   * @param host what the server listens on
   * @param allowed names beside it; `*` for any
   */
  constructor(host: string, allowed: readonly string[]) {
    const bound = isLoopback(host) ? LOOPBACK_NAMES : [...LOOPBACK_NAMES, hostname()];
    this.#names = new Set([host, ...bound, ...allowed].map((name) => name.toLowerCase()));
    this.#isAny = allowed.includes('*');
    this.#isEveryAddress = host === '0.0.0.0' || host === '::';
  }

  /** @param header `Host`: a name or an address, perhaps with a port */
  allowHost(header: string | undefined): boolean {
    return this.#allow(header === undefined ? undefined : `http://${header}`);
  }

  /** @param header `Origin`, which only browsers send */
  allowOrigin(header: string | undefined): boolean {
    return header === undefined || this.#allow(header);
  }

  #allow(url: string | undefined): boolean {
    if (this.#isAny) return true;
    if (url === undefined || !URL.canParse(url)) return false;
    const name = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
    return this.#names.has(name) || (this.#isEveryAddress && isIP(name) !== 0);
  }
}
