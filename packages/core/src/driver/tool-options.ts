import { join } from 'node:path';
import type { Capability } from '../config/capabilities.js';
import type { InstanceConfig, ServerSettings } from '../config/model.js';
import type { EmbeddedToolsOptions } from '../upstream/embedded-tools.js';
import type { WorkFolders } from '../upstream/workspace.js';

/** The instance's own deadline comes first: it also stops the navigation, which upstream's does not. */
const NAVIGATION_MARGIN_MS = 1_000;

/** What the tools of every instance are told alike. */
export interface ToolSettings {
  /** Root of the folders that tools write files to; one below it for each instance. */
  outputDir: string;
  /** Which tools there are. Default: upstream's. */
  toolset?: ServerSettings['toolset'] | undefined;
  /** The groups of tools beside the core ones. Default: none. */
  capabilities?: readonly Capability[] | undefined;
  /** Playwright has one for all browsers of a process. Default: its own. */
  testIdAttribute?: string | undefined;
}

/** The name of the folder for the files of an instance's tools, below `OUTPUT_DIR`. */
export function outputFolder({ pool, id }: InstanceConfig): string {
  return `${pool}-${id}`;
}

/** Where the tools of an instance work unless a holder has folders of its own. */
export function ownFolders(config: InstanceConfig, { outputDir }: ToolSettings): WorkFolders {
  return { root: process.cwd(), outputDir: join(outputDir, outputFolder(config)) };
}

/** What upstream's tools are told for an instance, wherever they run. */
export function toolOptions(
  config: InstanceConfig,
  { capabilities = [], testIdAttribute }: ToolSettings,
  { root, outputDir }: WorkFolders,
): EmbeddedToolsOptions {
  const { settings } = config;
  return {
    capabilities,
    root,
    outputDir,
    settle: settings.settle,
    timeouts: {
      action: settings.timeoutAction,
      navigation: settings.timeoutNavigation + NAVIGATION_MARGIN_MS,
      settle: settings.timeoutSettle,
      expect: settings.timeoutExpect,
    },
    outputMaxSize: settings.outputMaxSize,
    filePaths: settings.filePaths,
    saveSession: settings.saveSession,
    codegen: settings.codegen,
    console: { level: settings.consoleLevel },
    snapshot: { mode: settings.snapshotMode, boxes: settings.snapshotBoxes },
    snapshotsInAnswers: settings.snapshotInlineKb > 0,
    imageResponses: settings.imageResponses,
    secrets: settings.secrets,
    redactUrlParams: settings.redactUrlParams,
    network: { allowedOrigins: settings.allowedOrigins, blockedOrigins: settings.blockedOrigins },
    allowUnrestrictedFileAccess: settings.allowUnrestrictedFileAccess,
    browser: { initScript: settings.initScript, initPage: settings.initPage },
    testIdAttribute,
  };
}
