import { PwpoolError } from '@pwpool/core';
import { EXIT } from '../exit-status.js';
import { type OperateOptions, operate } from '../operate.js';
import { complain } from '../output.js';

/** Has a running server take the configuration in that its files say now. */
export async function reload(options: OperateOptions): Promise<number> {
  try {
    return await operate(options, 'reload', {});
  } catch (error) {
    if (!(error instanceof PwpoolError && error.code === 'CONFIG_INVALID')) throw error;
    complain(`Nothing has changed: the server goes on with the configuration that it has.\n${error.message}`);
    return EXIT.config;
  }
}
