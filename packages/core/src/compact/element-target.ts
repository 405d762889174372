import type { Locator, Page } from 'playwright';
import { PwpoolError } from '../errors.js';
import { within } from '../waiting/deadline.js';
import type { CompactBrowser } from './compact-browser.js';
import { isTimeout } from './element-failure.js';
import { shortened } from './shortened.js';

/** How a caller names an element; `text` beside `role` is the element's name. */
export interface ElementTarget {
  selector?: string | undefined;
  text?: string | undefined;
  role?: string | undefined;
  ref?: string | undefined;
}

/** An element as answers tell it. */
export interface ElementFacts {
  tag: string;
  text: string;
  id: string;
}

/** Milliseconds that a page has to say what it offers. */
const ANSWER_MS = 3_000;

/** Names in a hint, of each kind. */
const MAX_NAMES = 10;

/** Candidates that are shown when several elements match. */
const MAX_CANDIDATES = 5;

/** What is wrong with a target, in a sentence. */
export function faultOf({ selector, text, role, ref }: ElementTarget): string | undefined {
  const ways = [selector, ref, role ?? text].filter((way) => way !== undefined);
  return ways.length === 1
    ? undefined
    : 'Pass one of selector, text, role and ref; only role and text go together.';
}

/** The target in words: `selector '#login'`. */
function inWords({ selector, text, role, ref }: ElementTarget): string {
  if (selector !== undefined) return `selector '${selector}'`;
  if (ref !== undefined) return `ref '${ref}'`;
  if (role === undefined) return `text '${text}'`;
  return text === undefined ? `role '${role}'` : `role '${role}' and text '${text}'`;
}

/**
 * The one element of a target, as soon as it is there. Of several the one that can be seen is meant.
 * @throws PwpoolError `ELEMENT_NOT_FOUND` with what the page offers, `INVALID_ARGUMENTS` for a target that several
 *   elements match or that is no selector
 */
export async function findElement(
  browser: CompactBrowser,
  page: Page,
  target: ElementTarget,
  timeoutMs: number,
): Promise<Locator> {
  const locator = locate(browser, page, target);
  try {
    // A reference is of an element that was there.
    if (target.ref === undefined) await locator.first().waitFor({ state: 'attached', timeout: timeoutMs });
    const count = await locator.count();
    if (count === 1) return locator;
    if (count === 0) throw await notFound(browser, page, target);
  } catch (error) {
    if (isTimeout(error)) throw await notFound(browser, page, target);
    throw noSelector(error, target) ?? error;
  }
  const visible = locator.filter({ visible: true });
  const count = await visible.count();
  if (count > 1) throw await ambiguous(visible, count, target);
  return count === 1 ? visible : locator.first();
}

function locate({ references }: CompactBrowser, page: Page, target: ElementTarget): Locator {
  const { selector, text, role, ref } = target;
  if (ref !== undefined) return page.locator(`aria-ref=${references.resolve(page, ref)}`);
  if (selector !== undefined) return page.locator(`css=${selector}`);
  if (role === undefined) return page.getByText(text ?? '', { exact: true });
  // Any role may be asked for; one that there is not matches nothing.
  const known = role as Parameters<Page['getByRole']>[0];
  return page.getByRole(known, text === undefined ? {} : { name: text, exact: true });
}

/** What an element is, while it is there. */
export async function describeElement(locator: Locator): Promise<ElementFacts> {
  const { tag, text, id } = await locator.evaluate((element) => ({
    tag: element.localName,
    text: element.textContent ?? '',
    id: element.id,
  }));
  return { tag, text: shortened(text.replace(/\s+/g, ' ').trim(), 200), id };
}

async function notFound(browser: CompactBrowser, page: Page, target: ElementTarget): Promise<PwpoolError> {
  const offer = await within(browser.clock, ANSWER_MS, () => offerOf(page, target), []);
  const found = offer.map(({ kind, names }) => `Available ${kind}: [${names.join(', ')}].`);
  return new PwpoolError('ELEMENT_NOT_FOUND', `No element matching ${inWords(target)} found on the page.`, {
    hint: [...found, 'browser_snapshot shows the whole page.'].join(' '),
  });
}

interface Offer {
  kind: string;
  names: string[];
}

/** What of that kind the page has, or else its buttons and links. */
async function offerOf(page: Page, { role, text }: ElementTarget): Promise<Offer[]> {
  const roles = [...new Set([...(role === undefined ? [] : [role]), 'button', 'link'])];
  const offers = await Promise.all(
    roles.map(async (each) => ({ kind: pluralOf(each), names: await namesOf(page, each, text) })),
  );
  const [own, ...others] = offers.filter(({ names }) => names.length > 0);
  if (own === undefined) return [];
  return role !== undefined && own.kind === pluralOf(role) ? [own] : [own, ...others];
}

function pluralOf(role: string): string {
  return /(?:s|x|ch|sh)$/.test(role) ? `${role}es` : `${role}s`;
}

/** The names of what can be seen, those like the text that was looked for in front. */
async function namesOf(page: Page, role: string, wanted = ''): Promise<string[]> {
  const names = await page.getByRole(role as Parameters<Page['getByRole']>[0]).evaluateAll((elements) =>
    elements.map((element) => {
      const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
      const label = isField ? (element.labels?.[0]?.textContent ?? element.placeholder) : element.textContent;
      const written = isField && /^(?:button|submit|reset)$/.test(element.type) ? element.value : label;
      return element.getAttribute('aria-label') ?? (written?.trim() || element.id);
    }),
  );
  const isLike = (name: string) => wanted !== '' && name.toLowerCase().includes(wanted.toLowerCase());
  const given = [...new Set(names.map((name) => name.trim()))].filter((name) => name !== '');
  return [...given.filter(isLike), ...given.filter((name) => !isLike(name))]
    .slice(0, MAX_NAMES)
    .map((name) => `'${shortened(name.replace(/\s+/g, ' '), 60)}'`);
}

async function ambiguous(locator: Locator, count: number, target: ElementTarget): Promise<PwpoolError> {
  const first = await locator.evaluateAll(
    (elements, most) =>
      elements.slice(0, most).map(({ localName, id, textContent }) => ({ localName, id, textContent })),
    MAX_CANDIDATES,
  );
  const shown = first
    .map(({ localName, id, textContent }) => {
      const text = shortened(textContent?.replace(/\s+/g, ' ').trim() ?? '', 60);
      return `${localName}${id === '' ? '' : `#${id}`}${text === '' ? '' : ` '${text}'`}`;
    })
    .join(', ');
  return new PwpoolError('INVALID_ARGUMENTS', `${count} elements match ${inWords(target)}: ${shown}.`, {
    hint: 'Pass a selector that matches one of them, role together with text, or a ref of browser_snapshot.',
  });
}

/** The error for a selector that is none. */
function noSelector(error: unknown, { selector }: ElementTarget): PwpoolError | undefined {
  const isNone =
    error instanceof Error && /is not a valid selector|while parsing css selector/.test(error.message);
  if (!isNone) return undefined;
  return new PwpoolError('INVALID_ARGUMENTS', `selector '${selector}' is not a CSS selector.`, {
    hint: "Pass one such as '#login' or 'form button', or target by text, role or ref.",
  });
}
