export { FakeClock, settle } from './fake-clock.js';
