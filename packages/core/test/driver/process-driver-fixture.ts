import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import type { Capability } from '../../src/config/capabilities.js';
import { type ConfigInput, resolveConfig } from '../../src/config/config-input.js';
import type { InstanceConfig } from '../../src/config/model.js';
import type { ToolArguments, ToolResult } from '../../src/connection/tool-connection.js';
import type { BrowserHandle } from '../../src/driver/browser-driver.js';
import { ProcessDriver } from '../../src/driver/tool-server/process-driver.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { descendantsOf, isRunning } from '../connection/fixtures/processes.js';

type PoolInput = NonNullable<ConfigInput['pools']>[string];

/** The one instance of a pool `WEB` with these settings, isolated and quick unless they say otherwise. */
export function instanceConfig(settings: Partial<PoolInput> = {}): InstanceConfig {
  // A busy machine takes long to start a tool server and its browser.
  const patient = { startTimeout: 100_000 };
  const pool = { instances: 1, isDefault: true, isolated: true, timeoutSettle: 0, ...patient, ...settings };
  const config = resolveConfig({ pools: { WEB: pool } }).pools[0]?.instances[0];
  if (!config) throw new Error('A configuration has an instance.');
  return config;
}

/** A directory of the test's own, removed at its end. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pw-process-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** Starts a browser. At the end of the test it is disposed of, and nothing of it may be left. */
export async function startProcess(
  settings: Partial<PoolInput> = {},
  clock: Clock = systemClock,
  capabilities: readonly Capability[] = [],
) {
  const directory = await temporaryDirectory();
  const before = new Set(await scratchDirectories());
  const driver = new ProcessDriver({ clock, outputDir: directory, capabilities });
  const config = instanceConfig({ profileDir: join(directory, 'profiles'), ...settings });
  const browser = await driver.start(config, new AbortController().signal);
  const pid = browser.processId ?? 0;
  const processes = new Set([pid, ...descendantsOf(pid)]);
  onTestFinished(async () => {
    if (isRunning(pid)) for (const descendant of descendantsOf(pid)) processes.add(descendant);
    await browser[Symbol.asyncDispose]();
    await expect.poll(() => [...processes].filter(isRunning)).toEqual([]);
    expect((await scratchDirectories()).filter((name) => !before.has(name))).toEqual([]);
  });
  return { browser, directory, config, pid, call: caller(browser) };
}

/** Calls tools and gives back their first text. */
export function caller(browser: BrowserHandle) {
  return async (name: string, args: ToolArguments = {}, signal = new AbortController().signal) =>
    textOf(await browser.callTool(name, args, signal));
}

export function textOf({ content: [first] }: ToolResult): string {
  return first?.type === 'text' ? first.text : '';
}

/** The process of the browser that a tool server launched. */
export function browserOf(pid: number): number {
  const [browser] = descendantsOf(pid);
  if (browser === undefined) throw new Error('The tool server has no browser.');
  return browser;
}

/** What Node warns of while one lease calls that tool a dozen times at once. */
export async function warningsOfManyCalls(
  settings: Partial<PoolInput>,
  tool: string,
  args: ToolArguments = {},
): Promise<string[]> {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  const pool = { instances: 1, isDefault: true, isolated: true, timeoutSettle: 0, ...settings };
  const pools = await BrowserPools.create({ outputDir: await temporaryDirectory(), pools: { WEB: pool } });
  try {
    await using lease = await pools.lease();
    await Promise.all(Array.from({ length: 12 }, () => lease.callTool(tool, args)));
  } finally {
    await pools.close();
    process.off('warning', note);
  }
  return warnings;
}

/** Those of this process. */
export async function scratchDirectories(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith(`pwpool-${process.pid}-`));
}
