import type { Capability } from '../config/capabilities.js';
import type { ToolArguments } from '../connection/tool-connection.js';

/** What one of upstream's tools does, as far as anything in pwpool depends on it. What is left out is not so. */
export interface ToolTraits {
  readonly capability: Capability;
  /** Opens a page or goes to another one; a function where its arguments decide. */
  readonly navigates?: true | ((args: ToolArguments) => boolean);
  /** The argument that holds the address which it opens. */
  readonly address?: string;
  /** Does something to the page and waits until that has settled. */
  readonly acts?: true;
  /** Changes nothing: it could be repeated, and a session has no more to save after it. */
  readonly repeatable?: true;
  /** May make another tab the current one. */
  readonly changesTab?: (args: ToolArguments) => boolean;
  /** Closes every page of the context. */
  readonly closesPages?: true;
  /** The argument that holds the seconds for which it waits. */
  readonly waits?: string;
  /**
   * Its answer holds a snapshot, or a link to one, whose references are stamped: beside what it did, as all of it, or the
   * parts that were found.
   */
  readonly snapshot?: 'beside' | 'whole' | 'found';
  /** The argument that names a file to write. */
  readonly writes?: string;
  /** The tool that ends what this one sets going for the whole context. */
  readonly undoneBy?: string;
  /** Waits for a person at the browser's window. */
  readonly attended?: true;
  /** Runs code of the caller in the process of the server, not in the page. */
  readonly unsafe?: true;
}

const opensTab = (args: ToolArguments): boolean => args['action'] === 'new' && args['url'] !== undefined;

/**
 * Every tool of upstream's server, in one place: deadlines, site limits, element references and capabilities ask here.
 * `tool-table.test.ts` fails when upstream adds, renames or regroups one.
 */
const TOOLS = {
  browser_navigate: {
    capability: 'core-navigation',
    navigates: true,
    address: 'url',
    acts: true,
    snapshot: 'beside',
  },
  browser_navigate_back: { capability: 'core-navigation', navigates: true, acts: true, snapshot: 'beside' },
  browser_tabs: {
    capability: 'core-tabs',
    navigates: opensTab,
    address: 'url',
    changesTab: (args) => args['action'] !== 'list',
    snapshot: 'beside',
  },

  browser_press_key: { capability: 'core-input', acts: true, snapshot: 'beside' },
  browser_type: { capability: 'core-input', acts: true, snapshot: 'beside' },

  browser_click: { capability: 'core', acts: true, snapshot: 'beside' },
  browser_close: { capability: 'core', closesPages: true },
  browser_console_messages: { capability: 'core', repeatable: true, writes: 'filename' },
  browser_drag: { capability: 'core', acts: true, snapshot: 'beside' },
  browser_drop: { capability: 'core', acts: true, snapshot: 'beside' },
  browser_emulate_media: { capability: 'core' },
  browser_evaluate: { capability: 'core', acts: true, writes: 'filename' },
  browser_file_upload: { capability: 'core', acts: true, snapshot: 'beside' },
  browser_fill_form: { capability: 'core', acts: true },
  browser_find: { capability: 'core', repeatable: true, snapshot: 'found', writes: 'filename' },
  browser_handle_dialog: { capability: 'core', acts: true },
  browser_hover: { capability: 'core', acts: true, snapshot: 'beside' },
  browser_network_request: { capability: 'core', repeatable: true, writes: 'filename' },
  browser_network_requests: { capability: 'core', repeatable: true, writes: 'filename' },
  browser_resize: { capability: 'core', acts: true },
  browser_run_code_unsafe: { capability: 'core', acts: true, unsafe: true },
  browser_select_option: { capability: 'core', acts: true, snapshot: 'beside' },
  browser_snapshot: { capability: 'core', repeatable: true, snapshot: 'whole', writes: 'filename' },
  browser_take_screenshot: { capability: 'core', repeatable: true, writes: 'filename' },
  browser_wait_for: { capability: 'core', repeatable: true, waits: 'time', snapshot: 'beside' },

  browser_get_config: { capability: 'config', repeatable: true },

  browser_network_state_set: { capability: 'network' },
  browser_route: { capability: 'network', undoneBy: 'browser_unroute' },
  browser_route_list: { capability: 'network', repeatable: true },
  browser_unroute: { capability: 'network' },

  browser_cookie_clear: { capability: 'storage' },
  browser_cookie_delete: { capability: 'storage' },
  browser_cookie_get: { capability: 'storage', repeatable: true },
  browser_cookie_list: { capability: 'storage', repeatable: true },
  browser_cookie_set: { capability: 'storage' },
  browser_localstorage_clear: { capability: 'storage' },
  browser_localstorage_delete: { capability: 'storage' },
  browser_localstorage_get: { capability: 'storage', repeatable: true },
  browser_localstorage_list: { capability: 'storage', repeatable: true },
  browser_localstorage_set: { capability: 'storage' },
  browser_sessionstorage_clear: { capability: 'storage' },
  browser_sessionstorage_delete: { capability: 'storage' },
  browser_sessionstorage_get: { capability: 'storage', repeatable: true },
  browser_sessionstorage_list: { capability: 'storage', repeatable: true },
  browser_sessionstorage_set: { capability: 'storage' },
  browser_set_storage_state: { capability: 'storage' },
  browser_storage_state: { capability: 'storage', repeatable: true, writes: 'filename' },

  browser_annotate: { capability: 'devtools', attended: true },
  browser_hide_highlight: { capability: 'devtools' },
  browser_highlight: { capability: 'devtools' },
  browser_resume: { capability: 'devtools' },
  browser_start_recording: { capability: 'devtools', undoneBy: 'browser_stop_recording' },
  browser_start_tracing: { capability: 'devtools', undoneBy: 'browser_stop_tracing' },
  browser_start_video: {
    capability: 'devtools',
    writes: 'filename',
    undoneBy: 'browser_stop_video',
  },
  browser_stop_recording: { capability: 'devtools', snapshot: 'beside' },
  browser_stop_tracing: { capability: 'devtools' },
  browser_stop_video: { capability: 'devtools' },
  browser_video_chapter: { capability: 'devtools' },
  browser_video_hide_actions: { capability: 'devtools' },
  browser_video_show_actions: { capability: 'devtools' },

  browser_generate_locator: { capability: 'testing', repeatable: true },
  browser_verify_element_visible: { capability: 'testing', repeatable: true },
  browser_verify_list_visible: { capability: 'testing', repeatable: true },
  browser_verify_text_visible: { capability: 'testing', repeatable: true },
  browser_verify_value: { capability: 'testing', repeatable: true },

  browser_mouse_click_xy: { capability: 'vision', acts: true, snapshot: 'beside' },
  browser_mouse_down: { capability: 'vision' },
  browser_mouse_drag_xy: { capability: 'vision', acts: true, snapshot: 'beside' },
  browser_mouse_move_xy: { capability: 'vision' },
  browser_mouse_up: { capability: 'vision' },
  browser_mouse_wheel: { capability: 'vision' },

  browser_pdf_save: { capability: 'pdf', repeatable: true, writes: 'filename' },
} as const satisfies Readonly<Record<string, ToolTraits>>;

const TRAITS: Readonly<Record<string, ToolTraits>> = TOOLS;

export const TOOL_NAMES: readonly string[] = Object.keys(TOOLS);

/** The tools that, called without arguments, end what a holder has left going. */
export const UNDOING_TOOLS: readonly string[] = Object.values(TRAITS).flatMap(
  ({ undoneBy }) => undoneBy ?? [],
);

/** What is known of a tool; `undefined` for one that is not upstream's. */
export function traitsOf(tool: string): ToolTraits | undefined {
  return Object.hasOwn(TRAITS, tool) ? TRAITS[tool] : undefined;
}

/** Whether upstream offers a tool to those who ask for these groups: those of the core in any case. */
export function isOffered(tool: string, groups: readonly Capability[]): boolean {
  const group = traitsOf(tool)?.capability;
  return group !== undefined && (group.startsWith('core') || groups.includes(group));
}

/** Whether a call opens a page or goes to another one. */
export function navigates(tool: string, args: ToolArguments): boolean {
  const navigation = traitsOf(tool)?.navigates;
  return typeof navigation === 'function' ? navigation(args) : navigation === true;
}

/** Whether a tool takes the current page to another address, whatever has become of the page. */
export function leavesPage(tool: string): boolean {
  const traits = traitsOf(tool);
  return traits?.navigates === true && traits.address !== undefined;
}

/** Milliseconds that a call was asked to wait; 0 if none. */
export function waitingTime(tool: string, args: ToolArguments): number {
  const argument = traitsOf(tool)?.waits;
  const seconds = argument === undefined ? undefined : args[argument];
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 0;
}

/**
 * The address that a call is going to open, as it was given; `undefined` if it opens none. What a page opens by itself,
 * or after a click, is not known before.
 */
export function openedAddress(tool: string, args: ToolArguments): string | undefined {
  const argument = traitsOf(tool)?.address;
  const address = argument === undefined || !navigates(tool, args) ? undefined : args[argument];
  return typeof address === 'string' ? address : undefined;
}
