import type { Selectors } from 'playwright';

/** The name of the selector engine that finds an element by any reference that it has had. */
const ENGINE = 'pwpool-reference';

/** Matches the element that has or had a bare reference, in the frame that the reference is of. */
export function hadReference(bare: string): string {
  return `${ENGINE}=${bare}`;
}

/** Matches nothing, and notes which references the elements of a frame have now. */
export const NOTE_REFERENCES = hadReference('none');

const knowing = new WeakSet<Selectors>();

/**
 * Lets Playwright find elements by references that they have had. Upstream keeps the last reference of an element only,
 * on the element itself, and gives it another one when its name changes. To be called before a browser is opened; the
 * documents of a browser that somebody else opened may not know of it.
 */
export function findFormerReferences(selectors: Selectors): void {
  if (knowing.has(selectors)) return;
  knowing.add(selectors);
  // In the world of Playwright's own scripts, which no page sees.
  void selectors.register(ENGINE, formerReferences, { contentScript: true }).catch(() => {});
}

/** Runs in the page. */
function formerReferences() {
  const former = new WeakMap<Element, Set<string>>();
  const queryAll = (scope: ParentNode, wanted: string) => {
    const scopes = [scope];
    const found: Element[] = [];
    for (const each of scopes) {
      for (const element of each.querySelectorAll('*')) {
        if (element.shadowRoot) scopes.push(element.shadowRoot);
        const { _ariaRef: last } = element as Element & { _ariaRef?: { ref: string } };
        if (!last) continue;
        const references = former.get(element) ?? new Set();
        former.set(element, references.add(last.ref));
        if (references.has(wanted)) found.push(element);
      }
    }
    return found;
  };
  return { queryAll, query: (scope: ParentNode, wanted: string) => queryAll(scope, wanted)[0] };
}
