export { runHttp, runMcp } from './run-server.js';
export { type ReloadableServer, type ServeStdioOptions, serveStdio } from './serve-stdio.js';
export { VERSION } from './version.js';
