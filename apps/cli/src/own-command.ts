import { fileURLToPath } from 'node:url';
import type { ServerCommand } from './agent-clients/clients.js';

const BIN = fileURLToPath(new URL('../bin/pwpool.js', import.meta.url));

/** How another program starts this command: by npx where npm has installed it, else from where it lies. */
export function ownCommand(args: readonly string[]): ServerCommand {
  const isInstalled = /[\\/]node_modules[\\/]/.test(BIN);
  if (isInstalled) return { command: 'npx', args: ['-y', 'pwpool', ...args] };
  return { command: process.execPath, args: [BIN, ...args] };
}
