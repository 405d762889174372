/** A process of its own that serves the control endpoint until it is killed; says so on stdout. */
import { systemClock } from '../../src/clock.js';
import { serveControl } from '../../src/control/serve-control.js';

await serveControl({
  source: { status: () => ({ of: process.pid }) },
  version: '1.2.3',
  clock: systemClock,
});
process.stdout.write('serving\n');
