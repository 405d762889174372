// For pwpool's own packages, of the same version: what the library's users are not promised. It may change in any release.
export { describeArtifact } from './artifacts/artifact-link.js';
export { ARTIFACT_TEMPLATE, parseArtifactUri } from './artifacts/artifact-uri.js';
export { Artifacts } from './artifacts/artifacts.js';
export { replaceFile } from './atomic-file.js';
export { type HaltPolicy, parseHalt } from './bulk/halt-policy.js';
export type { ItemTask, ItemWorker, RunReport } from './bulk/run-items.js';
export type { Client, Target } from './calls/call.js';
export type { CallAnswer, SessionNews } from './calls/call-answer.js';
export { Calls, type FirstPage } from './calls/calls.js';
export type { Command } from './calls/run-commands.js';
export { runTool, type Stages } from './calls/run-tool.js';
export { type CancelTimer, systemClock } from './clock.js';
export {
  type ChangedKey,
  changedKeys,
  compareConfigs,
  keyOf,
  serverSettingsToCome,
} from './config/config-change.js';
export { CONFIG_FILE_NAMES } from './config/config-file.js';
export { configSchema } from './config/config-schema.js';
export { type ConfigExplanation, explainConfig } from './config/explain.js';
export { isLoopback } from './config/http-rules.js';
export { describeKeys, type KeyDescription } from './config/key-descriptions.js';
export { BROWSERS, type KeyName } from './config/keys.js';
export { maskingOf } from './config/masking.js';
export { migrate } from './config/migrate.js';
export type { ConfigLevel } from './config/model.js';
export { optionsHelp } from './config/playwright-mcp/options-help.js';
export { configOrThrow } from './config/resolve.js';
export { formatViolations } from './config/violations.js';
export { watchFiles } from './config/watch-files.js';
export {
  asConfigFile,
  asVariables,
  inspectSettings,
  type WrittenSetting,
  writtenSettings,
} from './config/written-settings.js';
export { withLine } from './connection/answer-text.js';
export { type Control, type ControlSource, controlHandler } from './control/control-endpoint.js';
export {
  type Asker,
  type ControlOperations,
  defineOperation,
} from './control/control-operation.js';
export { askOperation } from './control/operation-client.js';
export { type OperationReport, readReport, readStep, type ToldStep } from './control/operation-report.js';
export { runningServers, type ServerEntry } from './control/runtime-registry.js';
export { serveControl } from './control/serve-control.js';
export {
  askStatus,
  type ServerReport,
  type ServerStatus,
  type SharingWindow,
  type ToldDetails,
} from './control/server-status.js';
export { discoverBrowser } from './driver/launch/browser-discovery.js';
export { profileDirectory } from './driver/launch/launch-options.js';
export { profileLocked } from './driver/launch/profile-lock.js';
export { keepTemporaryFiles } from './driver/launch/scratch-directory.js';
export { asPwpoolError, errnoOf, reasonOf } from './errors.js';
export type { Grant } from './lease/grant.js';
export { LeaseQueue } from './lease/lease-queue.js';
export type { Unsubscribe } from './pool/emitter.js';
export { LeaseWorker } from './pool/lease-worker.js';
export { type LeakEvent, POOL_EVENTS } from './pool/pool-events.js';
export { OPERATIONS } from './pool/slot-owner.js';
export { CallRates } from './principals/call-rates.js';
export { anonymous, type Principal } from './principals/principal.js';
export { Principals } from './principals/principals.js';
export { hashToken, newToken } from './principals/token.js';
export {
  formatTokenFile,
  inspectTokenFile,
  parseTokenFile,
  readTokenFile,
  type TokenEntry,
} from './principals/token-file.js';
export { isRunning, readProcessStart } from './process-identity.js';
export { codeWork } from './script/code-work.js';
export { OwnBrowsers } from './script/own-browsers.js';
export { faultsOfExpression } from './script/references.js';
export {
  type JournalEntry,
  ResultsFile,
  type ResultsMode,
  type RowResult,
  type RunIdentity,
} from './script/results-file.js';
export type { BrowserUse, RowBrowser, RowBrowsers } from './script/row-browser.js';
export { previewRow, type RowWork, stepWork } from './script/row-work.js';
export {
  type DataFormat,
  type DataRow,
  fileSource,
  inspectDataFile,
  openRows,
  type Rows,
} from './script/rows.js';
export { runRows } from './script/run-rows.js';
export { stagesOf } from './script/run-script.js';
export { checkColumns, toolsetOf } from './script/script.js';
export { scriptJsonSchema } from './script/script-schema.js';
export { LeftOut, type SelectedRow, selectRows } from './script/select-rows.js';
export { isShownAs, shownName } from './session/shown-name.js';
export { shownUrl } from './session/state/browser-state.js';
export { CheckpointStore } from './session/state/checkpoint-store.js';
export { SnapshotCache } from './snapshot/snapshot-cache.js';
export { inspectToolset } from './toolset/load-toolset.js';
export { OWN_TOOLS, type OwnTool } from './toolset/tool-choice.js';
export { toolNotFound } from './toolset/tool-not-found.js';
export { TOOL_LIST } from './upstream/tool-list.js';
export { untilAborted } from './waiting/abort.js';
export { withDeadline, within } from './waiting/deadline.js';
export { pause } from './waiting/pause.js';
export { takeProcessLock } from './waiting/process-lock.js';
