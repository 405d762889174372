import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runMain } from './run.mjs';
import { setup } from './setup.mjs';
import { ROOT } from './workspace.mjs';

/** `npm start`: from a fresh clone to the quickstart's result. Arguments and exit status are the quickstart's. */
await runMain(async () => {
  await setup();
  const child = spawn(process.execPath, ['src/main.mjs', ...process.argv.slice(2)], {
    cwd: join(ROOT, 'examples/quickstart'),
    stdio: 'inherit',
  });
  // Ctrl-C reaches both; the quickstart decides how to end, and this waits for it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
});
