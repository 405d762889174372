export { type CancelTimer, type Clock, systemClock } from './clock.js';
export type { ConfigChange, InstanceChange, PoolChange } from './config/config-change.js';
export type { ConfigInput, InstanceInput, PoolInput } from './config/config-input.js';
export { resolveConfig } from './config/config-input.js';
export { type ConfigExplanation, explainConfig } from './config/explain.js';
export { type ConfigSources, inspectConfig, type LoadOptions, loadConfig } from './config/load-config.js';
export type {
  ConfigLevel,
  InstanceConfig,
  InstanceSettings,
  Origin,
  PoolConfig,
  PoolSettings,
  PwpoolConfig,
  ServerSettings,
} from './config/model.js';
export { optionsHelp } from './config/playwright-mcp/options-help.js';
export type { ConfigInspection } from './config/resolve.js';
export { type ConfigWarning, formatViolations, type Violation } from './config/violations.js';
export { textOf } from './connection/answer-text.js';
export type { ConnectMetrics } from './connection/connection-keeper.js';
export type {
  ConnectionTarget,
  HttpTarget,
  SseTarget,
  StdioTarget,
  TransportTarget,
} from './connection/connection-target.js';
export { PlaywrightSession } from './connection/playwright-session.js';
export type {
  CallToolOptions,
  PlaywrightSessionMetrics,
  PlaywrightSessionOptions,
  RequestOptions,
} from './connection/playwright-session-options.js';
export type { ReturnedByMode, ReturnMode } from './connection/return-mode.js';
export type { Tool, ToolArguments, ToolResult } from './connection/tool-connection.js';
export type { AskServersOptions } from './control/control-client.js';
export type { ControlSource } from './control/control-endpoint.js';
export type { ServerEntry } from './control/runtime-registry.js';
export { type ServeControlOptions, serveControl } from './control/serve-control.js';
export { askStatus, type ServerReport, type ServerStatus } from './control/server-status.js';
export type { BrowserDriver, BrowserHandle } from './driver/browser-driver.js';
export {
  type DiscoveredBrowser,
  type DiscoveryOptions,
  discoverBrowser,
} from './driver/launch/browser-discovery.js';
export { ERROR_CODES, type ErrorCode, PwpoolError, type PwpoolErrorOptions } from './errors.js';
export type { RecycleReason } from './health/recycle-policy.js';
export type { InstanceState } from './instance/instance-state.js';
export type { EntryState } from './lease/entry.js';
export type { AcquireOptions, Grant, GrantReleaseOptions } from './lease/grant.js';
export {
  type AddEntryOptions,
  type LeaseCounts,
  LeaseQueue,
  type LeaseQueueOptions,
  type LeaseStrategy,
  type LeaseTimeoutInfo,
  type LineFullInfo,
  type RestoreEntryOptions,
  type WaitingInfo,
} from './lease/lease-queue.js';
export type { HistogramFigures } from './metrics/histogram.js';
export { type Counts, type PoolFigures, PoolMetrics } from './metrics/pool-metrics.js';
export {
  BrowserPools,
  type BrowserPoolsParts,
  type CloseOptions,
  type LeaseUse,
  type PoolsLeaseOptions,
} from './pool/browser-pools.js';
export type { Unsubscribe } from './pool/emitter.js';
export type { Holder, Lease, ReleaseOptions } from './pool/lease.js';
export type { LeaseOptions, LeaseWait } from './pool/lease-options.js';
export type { OperationOptions, Pool } from './pool/pool.js';
export type { InstanceEvent, LeakEvent, LeaseEvent, LossCause, PoolEvents } from './pool/pool-events.js';
export type { InstanceStatus, PoolStatus, PoolsStatus, WaitingCaller } from './pool/pool-status.js';
export type { ReloadReport } from './pool/reload-report.js';
export type { PressureReadings } from './pressure/pressure.js';
export {
  type RunScriptOptions,
  runScript,
  type ScriptReport,
  type StepReport,
} from './script/run-script.js';
export { parseScript, type Script, type ScriptStep } from './script/script.js';
export type { CallOptions, Session } from './session/session.js';
export {
  type ClosedSession,
  type CloseSessionOptions,
  SessionManager,
  type StartedSession,
  type StartSessionOptions,
  type StatefulLeaseOptions,
} from './session/session-manager.js';
export type { Restored, SessionAnswer, SessionInfo } from './session/session-report.js';
export type { BrowserState } from './session/state/browser-state.js';
export { NOT_RESTORED, type RestoredState } from './session/state/restore-state.js';
export type { Site } from './sites/site.js';
export { SiteLimits, type Visit } from './sites/site-limits.js';
export type { TurnOptions } from './sites/site-line.js';
export type { Tab } from './tabs/tab.js';
export {
  type BorrowOptions,
  TabPool,
  type TabPoolOptions,
  type UseOptions,
  type VisitLimits,
} from './tabs/tab-pool.js';
export { type CheckedArguments, describeIgnored } from './toolset/argument-check.js';
export { PlaywrightToolset } from './toolset/playwright-toolset.js';
export { toolNotFound } from './toolset/tool-not-found.js';
export { type AnsweredPage, answeredPage } from './upstream/answered-page.js';
export { type Failure, failureOf, failureResult } from './upstream/failure.js';
export { openedAddress, type ToolName } from './upstream/tool-table.js';
