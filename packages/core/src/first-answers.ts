// For a server's first answers, what it is and which tools there are. As in `light`, nothing here loads Playwright, the SDK
// or zod, nor pools. As `internal` otherwise.
export { inspectConfig } from './config/load-config.js';
export { textOf, withLine } from './connection/answer-text.js';
export { keepTemporaryFiles } from './driver/launch/scratch-directory.js';
export { asPwpoolError } from './errors.js';
export { mayUse } from './principals/principal.js';
export { NOT_RESTORED } from './session/state/not-restored.js';
export { describeIgnored } from './toolset/argument-check.js';
export { bulkCommands } from './toolset/bulk-commands.js';
export { loadToolset } from './toolset/load-toolset.js';
export { readsPage, sequenceCommands } from './toolset/sequence-actions.js';
