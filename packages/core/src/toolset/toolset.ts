import type { ServerSettings } from '../config/model.js';
import type { Tool, ToolArguments } from '../connection/tool-connection.js';
import type { CheckedArguments } from './argument-check.js';
import type { ToolChoice } from './tool-choice.js';

/** The browser tools that a server offers. */
export interface Toolset {
  /** As `TOOLSET` has it. */
  readonly name: ServerSettings['toolset'];
  /** Which tools, these and pwpool's own, the configuration lets be called. */
  readonly choice: ToolChoice;
  list(): Tool[];
  has(name: string): boolean;
  /**
   * Checks a call before it costs anything. Arguments that the tool does not know are left out, and told.
   * @throws PwpoolError `TOOL_NOT_FOUND`, `INVALID_ARGUMENTS` with the names and types expected
   */
  check(name: string, args: ToolArguments): CheckedArguments;
}
