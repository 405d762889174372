/**
 * Who a caller is: what it may use, and how much of it. Sessions, artifacts and waits in line count by its name, over all its
 * connections. Where a file of tokens says what it may, the object follows the file: ask it each time.
 */
export interface Principal {
  /** No two principals of a server have the same. */
  readonly name: string;
  /** The pools that there are for it. */
  readonly pools: 'all' | readonly string[];
  readonly limits: PrincipalLimits;
  /** Whether it may operate the server. Default: it may not. */
  readonly admin?: boolean | undefined;
  /**
   * The folder of its own for what is kept for it on the disk: saved states in `STATE_DIR`, files in `OUTPUT_DIR`, the only
   * ones that it may upload. Default: it works on this machine as whoever runs the server, as over stdio.
   */
  readonly folder?: string | undefined;
}

/** Whether there is that pool for a caller; without a principal it is whoever runs the server. */
export function mayUse(principal: Principal | undefined, pool: string): boolean {
  return principal === undefined || principal.pools === 'all' || principal.pools.includes(pool);
}

/** Who calls over HTTP without a token: one is told from another, and what is kept on the disk is common to all of them. */
export function anonymous(name: string): Principal {
  return { name, pools: 'all', limits: {}, folder: 'anonymous' };
}

/** No limit where one is left out. */
export interface PrincipalLimits {
  /** Sessions that are open at a time. */
  readonly sessions?: number | undefined;
  /** Calls that wait for a browser at a time. */
  readonly waitingCalls?: number | undefined;
  readonly callsPerMinute?: number | undefined;
}
