import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runMain } from './run.mjs';
import { setup } from './setup.mjs';
import { ROOT } from './workspace.mjs';

/** `npm start`: from a fresh clone to the quickstart's result. Arguments and exit status are the quickstart's. */
await runMain(async () => {
  await setup();
  // The library, built just now, knows which browser pwpool will run: playwright-mcp beside it is to have the same.
  const { discoverBrowser } = await import('@pwpool/core/internal');
  const configured = process.env.PW_MCP_PROXY_EXECUTABLE_PATH;
  const { executablePath } = discoverBrowser({ browser: 'chromium', executablePath: configured });
  const browser = executablePath === undefined ? {} : { PW_MCP_PROXY_EXECUTABLE_PATH: executablePath };
  const child = spawn(process.execPath, ['src/main.mjs', ...process.argv.slice(2)], {
    cwd: join(ROOT, 'examples/quickstart'),
    env: { ...process.env, ...browser },
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
