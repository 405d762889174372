// For the command, of the same version: what users of the package are not promised. It may change in any release.
export { PoolServer } from './pool-server.js';
