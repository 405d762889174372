import type { Locator } from 'playwright';

/** Why an element cannot be acted on, as far as its page shows. Elements are told by selectors of Playwright's. */
export interface ElementState {
  /** A click on the middle of the element would meet it. */
  reachable: boolean;
  /** What lies over the middle of the element: the whole of it, such as a dialog with what is in it. */
  cover: string | undefined;
  /** What hides the element, as its opening tag, and how. */
  hiddenBy: { tag: string; how: string } | undefined;
  /** What opens the part of the page that hides it. */
  opener: string | undefined;
  /** Where it is, in CSS pixels from the top left of the viewport, and how large that is. */
  box: { x: number; y: number; viewport: string };
  /** A group around the element that is disabled. */
  disabledBy: string | undefined;
  /** Fields of its form that do not take what they hold, such as one that is required and empty. */
  invalid: string[];
  /** The options of a dropdown. */
  options: string[];
}

/** Fields that are told of. */
const MAX_FIELDS = 3;

/** Options that are told of. */
const MAX_OPTIONS = 20;

/** Asks the page; rejects when the element is gone. */
export async function elementState(locator: Locator, timeout: number): Promise<ElementState> {
  return await locator.first().evaluate(look, { fields: MAX_FIELDS, options: MAX_OPTIONS }, { timeout });
}

/** Runs in the page, so it uses nothing from outside. */
function look(element: Element, most: { fields: number; options: number }): ElementState {
  const pathOf = (node: Element): string => {
    const root = node.getRootNode();
    const steps: string[] = [];
    let at: Element | null = node;
    for (; at; at = at.parentElement) {
      const place = [...(at.parentNode?.children ?? [])].indexOf(at) + 1;
      steps.unshift(at.parentElement ? `${at.localName}:nth-child(${place})` : at.localName);
    }
    const path = steps.join(' > ');
    return root instanceof ShadowRoot ? `${pathOf(root.host)} ${path}` : path;
  };
  const parentOf = (node: Element): Element | null => {
    const root = node.getRootNode();
    return node.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  };
  const upwards = (node: Element | null): Element[] => {
    const found: Element[] = [];
    for (let at = node; at; at = parentOf(at)) found.push(at);
    return found;
  };
  const tagOf = (node: Element): string =>
    (node.cloneNode(false) as Element).outerHTML.replace(/<\/[^>]*>$/, '');

  const ancestors = upwards(element);
  const rect = element.getBoundingClientRect();
  const [x, y] = [rect.x + rect.width / 2, rect.y + rect.height / 2];

  // The topmost element there, through shadow roots.
  let hit = document.elementFromPoint(x, y);
  while (hit?.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  const over = upwards(hit);
  // A label of the element, or what is in it, does not cover it.
  const cover = over.includes(element) ? undefined : over.filter((each) => !ancestors.includes(each)).at(-1);

  const isClosed = (node: Element) => node.localName === 'details' && !node.hasAttribute('open');
  let hiddenBy: { node: Element; how: string } | undefined;
  for (const node of ancestors) {
    const { display, visibility } = getComputedStyle(node);
    if (display === 'none') hiddenBy = { node, how: 'display: none' };
    else if (isClosed(node) && node !== element) hiddenBy = { node, how: 'closed' };
    else if (visibility !== 'visible' && !hiddenBy) hiddenBy = { node, how: `visibility: ${visibility}` };
  }
  if (!hiddenBy && (rect.width === 0 || rect.height === 0)) hiddenBy = { node: element, how: 'no size' };
  const hidden = hiddenBy ? upwards(hiddenBy.node) : [];
  const openers = hidden.flatMap((node) => {
    const labels = node.getAttribute('role') === 'tabpanel' ? node.getAttribute('aria-labelledby') : null;
    const label = labels === null ? null : document.getElementById(labels);
    return [
      ...(isClosed(node) ? node.querySelectorAll(':scope > summary') : []),
      ...(node.id === '' ? [] : document.querySelectorAll(`[aria-controls~="${CSS.escape(node.id)}"]`)),
      ...(label ? [label] : []),
    ];
  });

  const disabledBy = ancestors
    .slice(1)
    .find((node) => node.matches('fieldset:disabled, [aria-disabled="true" i]'));
  const form = element.closest('form');
  const invalid = form ? [...form.querySelectorAll('input:invalid, select:invalid, textarea:invalid')] : [];
  const options = element instanceof HTMLSelectElement ? [...element.options].map(({ label }) => label) : [];
  const viewport = `${innerWidth} x ${innerHeight}`;
  return {
    reachable: over.includes(element),
    cover: cover && pathOf(cover),
    hiddenBy: hiddenBy && { tag: tagOf(hiddenBy.node), how: hiddenBy.how },
    opener: openers[0] && pathOf(openers[0]),
    box: { x: Math.round(rect.x), y: Math.round(rect.y), viewport },
    disabledBy: disabledBy && tagOf(disabledBy),
    invalid: invalid.slice(0, most.fields).map(pathOf),
    options: options.slice(0, most.options),
  };
}
