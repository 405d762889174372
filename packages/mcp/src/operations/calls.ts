import { PwpoolError } from '@pwpool/core';
import { type ControlOperations, defineOperation, parseArtifactUri } from '@pwpool/core/internal';
import * as z from 'zod';
import type { ConnectedClient } from '../server-parts.js';
import type { OperatedServer } from './operated-server.js';

/**
 * The client that all calls from the command are of: one command finds the session that another has started. It runs on this
 * machine.
 */
export const COMMAND: ConnectedClient = { id: 'command', sharesDisk: true };

/** The tools, for people and scripts, as a client of their own. */
export function callOperations(server: OperatedServer): ControlOperations {
  const tools = server.toolsFor(COMMAND);
  return {
    tools: defineOperation(z.strictObject({}), async () => ({ tools: tools.list() })),
    call: defineOperation(
      z.strictObject({ tool: z.string(), args: z.record(z.string(), z.unknown()).default({}) }),
      async ({ tool, args }, { left }) => await tools.call(tool, args, { signal: left }),
    ),
    artifact: defineOperation(z.strictObject({ uri: z.string() }), async ({ uri }) => {
      const reference = parseArtifactUri(uri);
      const found = reference && (await server.artifacts.read(COMMAND.id, reference.id, reference));
      if (found)
        return { path: found.artifact.path, name: found.artifact.name, mimeType: found.artifact.mimeType };
      throw new PwpoolError(
        'INVALID_ARGUMENTS',
        `There is no artifact ${uri}: it has expired, or never was.`,
        { hint: 'Call the tool again: its answer links it anew.' },
      );
    }),
  };
}
