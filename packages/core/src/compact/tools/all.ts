import type { CompactTool } from '../compact-tool.js';
import { click } from './click.js';
import { close } from './close.js';
import { consoleLogs } from './console-logs.js';
import { executeJs } from './execute-js.js';
import { navigate } from './navigate.js';
import { screenshot } from './screenshot.js';
import { snapshot } from './snapshot.js';
import { type } from './type.js';

const TOOLS: readonly CompactTool[] = [
  navigate,
  click,
  type,
  screenshot,
  snapshot,
  executeJs,
  consoleLogs,
  close,
];

/** The eight tools of the compact toolset by their names, in the order in which they are listed [002-tools-01]. */
export const COMPACT_TOOLS: ReadonlyMap<string, CompactTool> = new Map(
  TOOLS.map((tool) => [tool.definition.name, tool]),
);
