export { FakeClock, settle } from './fake-clock.js';
export { FakeBrowser, type FakeCall, FakeDriver, FakeStep } from './fake-driver.js';
