import type { Page } from 'playwright';

/** A field that takes values of one form only, with what it held after it was filled. */
interface FilledField {
  type: string;
  value: string;
  /** Its tag as the page has it, shortened. */
  tag: string;
}

/** How a value has to look, by the type of the field. */
const FORMS: Readonly<Record<string, string>> = {
  date: '2026-11-22',
  time: '13:45',
  month: '2026-11',
  week: '2026-W47',
  'datetime-local': '2026-11-22T13:45',
  color: '#ff8800',
  range: 'a number from its minimum to its maximum, in its steps',
  number: 'a number',
};

export interface FieldWatch {
  /** A sentence for each field that took none of the values. Ends the watch. */
  refusals(values: readonly string[]): Promise<string[]>;
}

/**
 * Watches, in every frame, what the browser makes of values for fields with a form of their own. It looks before the
 * page's own handlers do, so what a page makes of its input is no refusal.
 */
export async function watchFields(page: Page): Promise<FieldWatch> {
  const watches = await Promise.allSettled(
    page.frames().map((frame) =>
      frame.evaluateHandle((types) => {
        const filled = new Map<HTMLInputElement, string>();
        const note = (field: unknown) => {
          if (field instanceof HTMLInputElement && types.includes(field.type)) filled.set(field, field.value);
        };
        const onInput = (event: Event) => note(event.composedPath()[0]);
        window.addEventListener('input', onInput, true);
        return {
          end() {
            window.removeEventListener('input', onInput, true);
            // Keys that mean nothing to a field make no event: the one that has the focus got them.
            const { activeElement } = document;
            if (activeElement instanceof HTMLInputElement && !filled.has(activeElement)) note(activeElement);
            return [...filled].map(([field, value]) => ({
              type: field.type,
              value,
              tag: field.outerHTML.slice(0, 120),
            }));
          },
        };
      }, Object.keys(FORMS)),
    ),
  );
  const handles = watches.flatMap((watch) => (watch.status === 'fulfilled' ? [watch.value] : []));
  return {
    async refusals(values) {
      const fields = await Promise.allSettled(
        handles.map((handle) => handle.evaluate((watch) => watch.end())),
      );
      const filled = fields.flatMap((field) => (field.status === 'fulfilled' ? field.value : []));
      return filled.filter((field) => !tookOne(field, values)).map((field) => describe(field, values));
    },
  };
}

/** Whether the value that the field holds is one that was given to it. A page may have had it in another form before. */
function tookOne({ type, value }: FilledField, values: readonly string[]): boolean {
  if (type === 'color') return values.some((given) => given.trim().toLowerCase() === value);
  if (type === 'range') return values.some((given) => given.trim() !== '' && Number(given) === Number(value));
  return value !== '' || values.some((given) => given.trim() === '');
}

function describe({ type, value, tag }: FilledField, values: readonly string[]): string {
  const given = values.length === 1 ? ` "${values[0]}"` : ' its value';
  return `${tag} did not take${given}: it holds "${value}". It takes ${FORMS[type]}.`;
}
