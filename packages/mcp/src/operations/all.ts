import type { ControlOperations } from '@pwpool/core/internal';
import { callOperations } from './calls.js';
import { instanceOperations } from './instances.js';
import type { OperatedServer } from './operated-server.js';
import { reloadOperation } from './reload.js';
import { sessionOperations } from './sessions.js';
import { stopOperation } from './stop.js';
import { tellingOperations } from './telling.js';

/** Everything that the person who runs a server can have it do, over its control endpoint or as an administrator over HTTP. */
export function operationsOf(server: OperatedServer): ControlOperations {
  return {
    ...instanceOperations(server),
    ...sessionOperations(server),
    ...reloadOperation(server),
    ...stopOperation(server),
    ...tellingOperations(server),
    ...callOperations(server),
  };
}
