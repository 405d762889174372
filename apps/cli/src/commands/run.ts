import { loadToolset, type PwpoolConfig, parseScript } from '@pwpool/core';
import {
  checkColumns,
  codeWork,
  previewRow,
  scriptJsonSchema,
  stepWork,
  systemClock,
  toolsetOf,
} from '@pwpool/core/internal';
import { readConfiguration } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { complain, printJson } from '../output.js';
import type { CheckedScript } from '../run/checked-script.js';
import { type RunOptions, wantsRows } from '../run/options.js';
import { runList } from '../run/run-list.js';
import { runData } from '../run/run-rows.js';
import { readScript, type ScriptFile } from '../run/script-file.js';

/**
 * Runs a script on a pool of its own: for each row of data, or once.
 * @throws PwpoolError `INVALID_ARGUMENTS` for the script, the data and the options, before a browser starts; else as
 *   `BrowserPools.lease`
 */
export async function run(path: string | undefined, options: RunOptions): Promise<number> {
  if (options.schema || path === undefined) {
    printJson(scriptJsonSchema());
    return EXIT.ok;
  }
  const file = await readScript(path);
  const config = readConfiguration(options);
  if (!config) return EXIT.config;
  // Code of the script may reject where nobody waits for it: that is told, and the run goes on.
  process.on('unhandledRejection', (reason) => complain(`Unhandled rejection: ${String(reason)}`));
  if (file.module) return await runData(await codeScript(file, file.module, config), config, options);
  return await runSteps(file, config, options);
}

async function runSteps(file: ScriptFile, given: PwpoolConfig, options: RunOptions): Promise<number> {
  const { name, text } = file;
  const config = withToolset(given, toolsetOf(text, name));
  const toolset = await loadToolset(config.server);
  const env = process.env;
  const script = parseScript(text, name, toolset, { env, hasRows: options.data !== undefined });
  for (const warning of script.warnings) complain(warning);
  if (script.isList && !wantsRows(options)) return await runList(script, config, toolset, options);
  const checked: CheckedScript = {
    file,
    pool: script.pool,
    clean: script.clean,
    toolset,
    needsPage: false,
    checkData: (columns, data) => checkColumns(script, columns, data),
    work: () => stepWork(script, { clock: systemClock, toolset, env }),
    preview: (row, files) => ({ steps: previewRow(script, row, files) }),
  };
  return await runData(checked, config, options);
}

async function codeScript(
  file: ScriptFile,
  module: Readonly<Record<string, unknown>>,
  config: PwpoolConfig,
): Promise<CheckedScript> {
  const toolset = await loadToolset(config.server);
  const work: CheckedScript['work'] = (tell) => {
    const log = (row: number, ...what: readonly unknown[]) =>
      tell(`Row ${row}: ${what.map(String).join(' ')}`);
    return codeWork(module, file.name, { clock: systemClock, toolset, env: process.env, log });
  };
  const { pool, clean } = work(complain);
  return {
    file,
    pool,
    clean,
    toolset,
    needsPage: true,
    work,
    preview: ({ value }) => ({ data: value }),
  };
}

function withToolset(config: PwpoolConfig, toolset: ReturnType<typeof toolsetOf>): PwpoolConfig {
  return toolset === undefined ? config : { ...config, server: { ...config.server, toolset } };
}
