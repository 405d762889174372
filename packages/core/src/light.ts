// For pwpool's own processes that have to be there at once: nothing here loads Playwright, the SDK or zod. As `internal`
// otherwise.
export { type Clock, systemClock } from './clock.js';
export { configFingerprint } from './config/fingerprint.js';
export { loadConfig } from './config/load-config.js';
export type { PwpoolConfig } from './config/model.js';
export { removeFile } from './control/remove-file.js';
export { makeRuntimeDirectory } from './control/runtime-directory.js';
export { socketPathOf } from './control/socket-path.js';
export { errnoOf, PwpoolError, reasonOf } from './errors.js';
export { givenEnvironment } from './temporary-directory.js';
export { failureResult } from './upstream/failure.js';
export { withDeadline, within } from './waiting/deadline.js';
export { pause } from './waiting/pause.js';
export { takeProcessLock } from './waiting/process-lock.js';
