// For pwpool's own packages, of the same version: what the library's users are not promised. It may change in any release.
export { type CancelTimer, systemClock } from './clock.js';
export { type ConfigExplanation, explainConfig } from './config/explain.js';
export type { ConfigLevel } from './config/model.js';
export { optionsHelp } from './config/playwright-mcp/options-help.js';
export { formatViolations } from './config/violations.js';
export type { ControlSource } from './control/control-endpoint.js';
export { serveControl } from './control/serve-control.js';
export { askStatus, type ServerReport, type ServerStatus } from './control/server-status.js';
export { discoverBrowser } from './driver/launch/browser-discovery.js';
export type { Grant } from './lease/grant.js';
export { LeaseQueue } from './lease/lease-queue.js';
export type { LeakEvent } from './pool/pool-events.js';
export { NOT_RESTORED } from './session/state/restore-state.js';
export { describeIgnored } from './toolset/argument-check.js';
export { toolNotFound } from './toolset/tool-not-found.js';
export { type AnsweredPage, answeredPage } from './upstream/answered-page.js';
export { failureOf, failureResult } from './upstream/failure.js';
export { openedAddress } from './upstream/tool-table.js';
