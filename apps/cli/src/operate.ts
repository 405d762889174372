import { PwpoolError } from '@pwpool/core';
import {
  askOperation,
  type OperationReport,
  readReport,
  readStep,
  type ServerEntry,
  systemClock,
} from '@pwpool/core/internal';
import { EXIT } from './exit-status.js';
import { Interruption } from './interruption.js';
import { describeReport, describeStep } from './operation-view.js';
import { complain, describeError, printJson, tell } from './output.js';
import { onServer, type ServerOptions } from './running-server.js';

/** What `withServer` declares for commands that change something. */
export interface OperateOptions extends ServerOptions {
  json?: true;
}

/**
 * Has the server that is meant carry an operation out, shows how far it is with each instance, and tells what came of it:
 * exit status 0, or 1 if it failed for an instance. Who interrupts it leaves, and the server goes on.
 */
export async function operate(
  options: OperateOptions,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  afterwards: (entry: ServerEntry, report: OperationReport) => Promise<void> = async () => {},
): Promise<number> {
  return await onServer(options, async (entry) => {
    using interruption = new Interruption();
    const onTold = (told: unknown) => {
      const step = readStep(told);
      if (step && !options.json) tell(describeStep(step));
    };
    try {
      const asking = { clock: systemClock, signal: interruption.signal, onTold };
      const report = readReport(entry, await askOperation(entry, operation, input, asking));
      const outcome = describeReport(operation, report);
      if (options.json) printJson(report);
      else if (outcome !== '') tell(outcome);
      await afterwards(entry, report);
      return report.success ? EXIT.ok : EXIT.failure;
    } catch (error) {
      if (interruption.exitStatus === undefined || !(error instanceof PwpoolError)) throw error;
      if (error.code !== 'CANCELLED') complain(describeError(error));
      else complain(`The server ${entry.pid} goes on with it; "pwpool status" shows how far it is.`);
      return interruption.exitStatus;
    }
  });
}
