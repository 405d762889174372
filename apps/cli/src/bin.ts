import { flushOutput, surviveBrokenPipes } from './output.js';
import { runProgram } from './program.js';

surviveBrokenPipes();
const status = await runProgram(process.argv);
await flushOutput();
// Upstream's tools leave timers behind that would keep the process up for seconds.
process.exit(status);
