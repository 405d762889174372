// What a program uses, and the types of what it gives and gets; a part of such a type is reached through it. What only
// pwpool's own packages need is in internal.ts.
export type { Clock } from './clock.js';
export type { ConfigChange } from './config/config-change.js';
export type { ConfigInput, InstanceInput, PoolInput } from './config/config-input.js';
export { resolveConfig } from './config/config-input.js';
export { type ConfigSources, inspectConfig, type LoadOptions, loadConfig } from './config/load-config.js';
export type {
  InstanceConfig,
  InstanceSettings,
  PoolConfig,
  PoolSettings,
  PwpoolConfig,
  ServerSettings,
} from './config/model.js';
export type { ConfigInspection } from './config/resolve.js';
export type { ConfigWarning, Violation } from './config/violations.js';
export { textOf } from './connection/answer-text.js';
export type { ConnectionTarget } from './connection/connection-target.js';
export { PlaywrightSession } from './connection/playwright-session.js';
export type {
  CallToolOptions,
  PlaywrightSessionMetrics,
  PlaywrightSessionOptions,
  RequestOptions,
} from './connection/playwright-session-options.js';
export type { ReturnMode } from './connection/return-mode.js';
export type { Tool, ToolArguments, ToolResult } from './connection/tool-connection.js';
export type { BrowserDriver, BrowserHandle } from './driver/browser-driver.js';
export { ERROR_CODES, type ErrorCode, PwpoolError } from './errors.js';
export type { InstanceState } from './instance/instance-state.js';
export { type PoolFigures, PoolMetrics } from './metrics/pool-metrics.js';
export {
  BrowserPools,
  type BrowserPoolsParts,
  type LeaseUse,
  type PoolsLeaseOptions,
  type ReloadReport,
} from './pool/browser-pools.js';
export type { Lease, ReleaseOptions } from './pool/lease.js';
export type { LeaseOptions, LeaseWait } from './pool/lease-options.js';
export type { MapOptions, MapProgress, MapTask } from './pool/map-items.js';
export type {
  CloseOptions,
  OperationOptions,
  OperationStep,
  PoolOperationOptions,
} from './pool/operation-options.js';
export type { Pool } from './pool/pool.js';
export type { PoolEvents } from './pool/pool-events.js';
export type { InstanceStatus, PoolStatus, PoolsStatus, WaitingCaller } from './pool/pool-status.js';
export type { CodeScript, RowTools, SetupTools } from './script/code-work.js';
export {
  type RunScriptOptions,
  runScript,
  type ScriptReport,
  type StepReport,
} from './script/run-script.js';
export {
  type Expectation,
  type NeededColumn,
  type ParseScriptOptions,
  parseScript,
  type Script,
  type ScriptStep,
} from './script/script.js';
export type { CallOptions, Session } from './session/session.js';
export { SessionManager } from './session/session-manager.js';
export type {
  ClosedSession,
  CloseSessionOptions,
  StartedSession,
  StartSessionOptions,
} from './session/session-options.js';
export type { Restored, SessionAnswer, SessionInfo } from './session/session-report.js';
export type { BrowserState } from './session/state/browser-state.js';
export type { RestoredState } from './session/state/restore-state.js';
export type { StatefulLeaseOptions } from './session/stateful-leases.js';
export type { Site } from './sites/site.js';
export { SiteLimits, type Visit } from './sites/site-limits.js';
export type { TurnOptions } from './sites/site-line.js';
export type { Tab } from './tabs/tab.js';
export { type BorrowOptions, TabPool, type TabPoolOptions, type UseOptions } from './tabs/tab-pool.js';
export { loadToolset } from './toolset/load-toolset.js';
export { PlaywrightToolset } from './toolset/playwright-toolset.js';
export type { Toolset } from './toolset/toolset.js';
export type { WorkFolders } from './upstream/workspace.js';
