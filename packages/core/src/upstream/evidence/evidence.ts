import type { Locator } from 'playwright';
import type { ToolArguments } from '../../connection/tool-connection.js';
import { selectorOf } from '../embedded-tools.js';
import type { FailureKind, Look } from '../failure-code.js';
import { bareOf, kindOfTarget, targetsOf } from '../references/element-reference.js';
import type { StampedConnection } from '../references/stamped-tools.js';
import type { SeenElement } from '../snapshots/snapshot-elements.js';
import { describeElement, elementsOfRole, nearestElements, wantedBy } from './candidates.js';
import { type ElementState, elementState } from './element-state.js';

/** Milliseconds that the page has for one question. */
const ANSWER_MS = 3_000;

/** Elements of a cover that are named. */
const MOST = 3;

const CONTROLS: ReadonlySet<string> = new Set(['button', 'link', 'checkbox', 'radio', 'tab', 'menuitem']);

/** What the page adds to a failure. */
interface Evidence {
  /** A sentence behind the message. */
  more?: string;
  /** In place of the hint. */
  hint?: string | undefined;
  candidates?: readonly SeenElement[];
}

/** A failed call, and where it failed. */
export interface FailedCall {
  readonly args: ToolArguments;
  readonly failure: FailureKind;
  readonly tools: StampedConnection;
  readonly testIdAttribute?: string | undefined;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

type Finder = (call: FailedCall, target: string) => Promise<Evidence | undefined>;

/** What is looked for, by what went wrong. */
const FINDERS: Readonly<Record<Look, Finder>> = {
  missing: async (call, target) => await nearestTo(call, target),
  covered: async (call, target) => await stateOf(call, target, coverOf),
  hidden: async (call, target) => await stateOf(call, target, hidingOf),
  outside: async (call, target) => await stateOf(call, target, placeOf),
  disabled: async (call, target) => await stateOf(call, target, disablingOf),
  options: async (call, target) => await stateOf(call, target, optionsOf),
};

/**
 * A failure with what the page shows of it now: what was meant, what is in the way, what to do first. It is a look at the
 * page, for failures only; it does nothing to the page. Rejects when the page does not answer.
 */
export async function withEvidence(call: FailedCall): Promise<FailureKind> {
  const { failure, args, redact } = call;
  const targets = targetsOf(args);
  const target = targets.find((each) => failure.message.includes(each)) ?? targets[0] ?? '';
  const found = failure.look && (await FINDERS[failure.look](call, target));
  if (!found) return failure;
  const { more, hint = failure.hint, candidates } = found;
  return {
    ...failure,
    message: more === undefined ? failure.message : `${failure.message} ${redact(more)}`,
    hint: redact(hint),
    ...(candidates ? { details: { ...failure.details, candidates } } : {}),
  };
}

async function nearestTo({ tools, args, redact }: FailedCall, target: string): Promise<Evidence | undefined> {
  const was = kindOfTarget(target).kind === 'stamped' ? tools.given(target) : undefined;
  const elements = withoutSecrets(await tools.see(), redact);
  if (!elements) return undefined;
  const more = was && `It was ${describeElement({ ...was, ref: '' }).replace(' [ref=]', '')}.`;
  const same = was ? elements.filter(({ role, name }) => role === was.role && name === was.name) : [];
  const [only] = same;
  if (only && same.length === 1 && was?.only)
    return {
      ...(more ? { more } : {}),
      hint: `${describeElement(only)} is in its place now: use that reference if it is what you mean.`,
      candidates: same,
    };
  const now = was && (await tools.now(target));
  const [it] = withoutSecrets(now && [now], redact) ?? [];
  if (it)
    return {
      ...(more ? { more } : {}),
      hint: `The same element is ${describeElement(it)} now: use that reference if it is what you mean.`,
      candidates: [it],
    };
  const wanted = was ? { role: was.role, words: [was.name.toLowerCase()] } : wantedBy(target, args);
  const near = nearestElements(elements, wanted);
  const candidates = near.length > 0 ? near : elementsOfRole(elements, wanted.role);
  if (candidates.length === 0) return more ? { more } : undefined;
  const what = near.length > 0 ? 'Nearest on the page now' : `No ${wanted.role} has that name; the page has`;
  return {
    ...(more ? { more } : {}),
    hint: `${what}: ${listed(candidates)}. Use one of these references, or take browser_snapshot.`,
    candidates,
  };
}

type StateEvidence = (state: ElementState, see: See, call: FailedCall) => Promise<Evidence | undefined>;

/** The elements in a part of the document that holds the target. */
type See = (path: string) => Promise<SeenElement[]>;

async function stateOf(
  call: FailedCall,
  target: string,
  evidence: StateEvidence,
): Promise<Evidence | undefined> {
  const { tools, redact } = call;
  const locator = locate(call, target);
  if (!locator) return undefined;
  const state = await elementState(locator, ANSWER_MS);
  const see: See = async (path) => {
    await using handle = await locator.first().elementHandle({ timeout: ANSWER_MS });
    const frame = await handle?.ownerFrame();
    const elements = frame ? await tools.see(frame.locator(path)) : undefined;
    return withoutSecrets(elements, redact) ?? [];
  };
  return await evidence(state, see, call);
}

function locate({ tools, testIdAttribute }: FailedCall, target: string): Locator | undefined {
  const selector =
    kindOfTarget(target).kind === 'stamped'
      ? `aria-ref=${bareOf(target)}`
      : selectorOf(target, testIdAttribute);
  return selector === undefined ? undefined : tools.currentPage?.locator(selector);
}

const coverOf: StateEvidence = async ({ cover, reachable }, see) => {
  if (reachable) return { more: 'Nothing covers it any more.', hint: 'Try again.' };
  if (cover === undefined) return undefined;
  const elements = await see(cover);
  const [whole] = elements;
  const controls = elements.filter(({ role }) => CONTROLS.has(role)).slice(0, MOST);
  return {
    ...(whole && whole.role !== 'generic' ? { more: `The cover is ${describeElement(whole)}.` } : {}),
    hint: controls.length > 0 ? `Close or answer it first: ${listed(controls)}.` : undefined,
  };
};

const hidingOf: StateEvidence = async ({ hiddenBy, opener }, see) => {
  if (!hiddenBy) return { more: 'It is visible now.', hint: 'Try again.' };
  const [control] = opener === undefined ? [] : await see(opener);
  return {
    more: `The cause is ${hiddenBy.tag} (${hiddenBy.how}).`,
    hint: control && `Open that first: ${describeElement(control)}.`,
  };
};

const placeOf: StateEvidence = async ({ box: { x, y, viewport } }) => ({
  more: `It is at (${x}, ${y}), the viewport is ${viewport}.`,
});

const disablingOf: StateEvidence = async ({ disabledBy, invalid }, see) => {
  const fields: SeenElement[] = [];
  for (const path of invalid) fields.push(...(await see(path)).slice(0, 1));
  return {
    ...(disabledBy === undefined ? {} : { more: `The cause is ${disabledBy}.` }),
    hint: fields.length > 0 ? `Fill in first what its form lacks: ${listed(fields)}.` : undefined,
  };
};

const optionsOf: StateEvidence = async ({ options }) => ({
  hint:
    options.length === 0
      ? undefined
      : `It has ${options.map((option) => JSON.stringify(option)).join(', ')}: pass the label or the value of one.`,
});

function withoutSecrets(
  elements: SeenElement[] | undefined,
  redact: (text: string) => string,
): SeenElement[] | undefined {
  return elements?.map((element) => ({ ...element, name: redact(element.name) }));
}

function listed(elements: readonly SeenElement[]): string {
  return elements.map(describeElement).join(', ');
}
