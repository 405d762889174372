import type { Command } from '../calls/run-commands.js';
import { nearest } from '../config/suggest.js';
import type { ToolArguments } from '../connection/tool-connection.js';
import { type BulkCommand, checkedCommands, faultsOfCommand } from './bulk-commands.js';
import type { Toolset } from './toolset.js';

/** One action of a sequence: its name, and its arguments beside it [003-sequence-02]. */
export interface SequenceAction extends ToolArguments {
  readonly action: string;
}

interface ActionRow {
  tool: string;
  /** The arguments, all of them texts that must be there, by what the tool calls them. */
  args: Readonly<Record<string, string>>;
  /** Arguments that may only have this value, because it is so anyway. */
  fixed?: Readonly<Record<string, unknown>>;
  /** It is called for what it answers. */
  reads?: true;
}

/** The actions [003-sequence-02], and the tools of Playwright's that do them. */
const ACTIONS: Readonly<Record<string, ActionRow>> = {
  navigate: { tool: 'browser_navigate', args: { url: 'url' } },
  click_element: { tool: 'browser_click', args: { selector: 'target' }, fixed: { scrollToView: true } },
  set_value: { tool: 'browser_type', args: { selector: 'target', value: 'text' } },
  get_visible_elements: { tool: 'browser_snapshot', args: {}, reads: true },
  take_screenshot: { tool: 'browser_take_screenshot', args: {}, reads: true },
};

/** Where the compact tools are called otherwise, or call an argument otherwise. */
const COMPACT: Readonly<Record<string, Pick<ActionRow, 'tool' | 'args'>>> = {
  click_element: { tool: 'browser_click', args: { selector: 'selector' } },
  set_value: { tool: 'browser_type', args: { selector: 'selector', value: 'text' } },
  take_screenshot: { tool: 'browser_screenshot', args: {} },
};

/** What there is in place of other actions that people know from there. */
const INSTEAD: Readonly<Record<string, string>> = {
  tap_element: 'click_element',
  find_element: 'get_visible_elements',
  get_element_text: 'get_visible_elements',
  get_accessibility: 'get_visible_elements',
  scroll: 'click_element, which scrolls to its element',
  swipe: 'click_element, which scrolls to its element',
  drag_and_drop: 'browser_drag in browser_execute_bulk',
  execute_script: 'browser_evaluate in browser_execute_bulk',
  start_browser: 'start_browser, before the sequence',
  close_session: 'close_session, after the sequence',
};

const HINT =
  'An action is { action, … }: navigate {url}, click_element {selector}, set_value {selector, value}, get_visible_elements or take_screenshot; selectors are CSS. Any other browser tool goes into browser_execute_bulk.';

/** Whether an action is called for what it answers. */
export function readsPage(action: string): boolean {
  return rowOf(action)?.reads === true;
}

/**
 * The actions as commands, ready to be run one after the other [003-sequence-01]. All are checked before the first runs.
 * @throws PwpoolError `INVALID_ARGUMENTS` with every fault of every action
 */
export function sequenceCommands(actions: readonly SequenceAction[], toolset: Toolset): Command[] {
  const commands = actions.map((action) => commandOf(action, toolset));
  const problems = actions.flatMap((action, index) => {
    const own = faultsOfAction(action);
    const faults = own.length > 0 ? own : faultsOfCommand(commandOf(action, toolset), index, toolset);
    return faults.map((fault) => `actions[${index}]: ${fault}`);
  });
  return checkedCommands(commands, toolset, problems, HINT);
}

function commandOf({ action, ...given }: SequenceAction, { name }: Toolset): BulkCommand {
  const row = (name === 'compact' ? COMPACT[action] : undefined) ?? rowOf(action);
  const args = Object.entries(row?.args ?? {}).map(([own, ofTool]) => [ofTool, given[own]]);
  return { tool: row?.tool ?? action, args: Object.fromEntries(args) };
}

function faultsOfAction({ action, ...given }: SequenceAction): string[] {
  const row = rowOf(action);
  if (!row) return [`There is no action '${action}'. ${whatInstead(action)}`];
  const { args, fixed = {} } = row;
  const wrong = Object.keys(args).filter((name) => typeof given[name] !== 'string');
  const unknown = Object.keys(given).filter(
    (name) => !(name in args) && !(name in fixed && given[name] === fixed[name]),
  );
  return [
    ...wrong.map((name) => `${action} needs '${name}', a string.`),
    ...unknown.map((name) =>
      name in fixed
        ? `'${name}' of ${action} can only be ${fixed[name]}.`
        : `${action} does not take '${name}'.`,
    ),
  ];
}

function whatInstead(action: string): string {
  const instead = Object.hasOwn(INSTEAD, action) ? INSTEAD[action] : undefined;
  if (instead !== undefined) return `Use ${instead}.`;
  const meant = nearest(action, Object.keys(ACTIONS))?.name;
  return meant === undefined ? `There are: ${Object.keys(ACTIONS).join(', ')}.` : `Did you mean ${meant}?`;
}

function rowOf(action: string): ActionRow | undefined {
  return Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
}
