import * as z from 'zod';

const nameValueSchema = z.object({ name: z.string(), value: z.string() });

/** Loose: a field that Playwright adds, such as the key of a partitioned cookie, comes back with the cookie. */
export const cookieSchema = z.looseObject({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  /** Unix time in seconds; -1 for a cookie that ends with its browser. */
  expires: z.number(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.enum(['Strict', 'Lax', 'None']),
});

/** What a site keeps for all its pages. Shared by the tabs of a context. */
export const originStateSchema = z.object({
  origin: z.string(),
  localStorage: z.array(nameValueSchema),
  /** Databases in Playwright's own form, which only Playwright reads. */
  indexedDB: z.array(z.unknown()).optional(),
});

/** One open tab. */
export const pageStateSchema = z.object({
  url: z.string(),
  /** Of the tab and the origin of its URL. */
  sessionStorage: z.array(nameValueSchema),
});

export const browserStateSchema = z.object({
  version: z.literal(1),
  /** ISO 8601. */
  capturedAt: z.iso.datetime(),
  cookies: z.array(cookieSchema),
  origins: z.array(originStateSchema),
  /** The open pages, the current one first. */
  pages: z.array(pageStateSchema),
  /** What the capture could not read, in sentences. Empty when it read everything. */
  incomplete: z.array(z.string()),
});

/**
 * What survives of a session when its browser does not: logins, storage and URLs. Plain JSON.
 *
 * It holds secrets: session cookies and tokens. Never log it.
 */
export type BrowserState = z.infer<typeof browserStateSchema>;
export type OriginState = z.infer<typeof originStateSchema>;
export type PageState = z.infer<typeof pageStateSchema>;

/** A URL as messages show it: without the parts that may hold a password or a token. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'without a valid URL';
  const { protocol, host, pathname } = new URL(url);
  // All of a data: or blob: URL is content.
  return host === '' ? `${protocol}…` : `${protocol}//${host}${pathname}`;
}
