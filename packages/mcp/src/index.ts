export { runStdio } from './run-stdio.js';
export { type ServeStdioOptions, serveStdio } from './serve-stdio.js';
export { VERSION } from './version.js';
