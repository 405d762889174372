/** A process of its own that saves one state after the other under one name until it is killed. */
import { StateStore } from '../../src/session/state/state-store.js';
import { stateWith } from './state-fixture.js';

const [directory = '', size = '0'] = process.argv.slice(2);
const store = new StateStore({ directory });
for (let round = 0; ; round++) await store.save('ada', stateWith(String(round % 10).repeat(Number(size))));
