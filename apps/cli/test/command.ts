import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { runProgram } from '../src/program.js';

export const BIN = fileURLToPath(new URL('../bin/pwpool.js', import.meta.url));

export interface Outcome {
  /** `null` for a process that a signal ended. */
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  ended: Promise<Outcome>;
}

/** A directory of the running test's own: working directory, home, temporary files and runtime directory of its commands. */
export class Workplace {
  readonly path: string;
  readonly environment: Record<string, string>;

  private constructor(path: string) {
    this.path = path;
    this.environment = {
      PATH: process.env['PATH'] ?? '',
      HOME: path,
      TMPDIR: join(path, 'tmp'),
      PWPOOL_RUNTIME_DIR: join(path, 'run'),
    };
  }

  static async make(files: Record<string, string> = {}): Promise<Workplace> {
    const path = await mkdtemp(join(tmpdir(), 'pwpool-cli-'));
    onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
    await mkdir(join(path, 'tmp'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
    return new Workplace(path);
  }

  /** Runs `pwpool` from a shell: `$0` is node, `$1` the command's file. */
  async runShell(script: string): Promise<Outcome> {
    return await this.#spawn('/bin/sh', ['-c', script, process.execPath, BIN], {}).ended;
  }

  /** Starts `pwpool` as a child process; what is left of it when the test has finished is killed. */
  start(args: readonly string[], variables: Record<string, string> = {}): RunningCommand {
    return this.#spawn(process.execPath, [BIN, ...args], variables);
  }

  #spawn(file: string, args: readonly string[], variables: Record<string, string>): RunningCommand {
    const child = spawn(file, args, {
      cwd: this.path,
      env: { ...this.environment, ...variables },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += String(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += String(chunk);
    });
    // A command that does not read its input may be gone before the input is.
    child.stdin.on('error', () => undefined);
    const ended = new Promise<Outcome>((resolve) => {
      child.once('close', (status) => resolve({ status, stdout, stderr }));
    });
    return { child, ended };
  }

  /**
   * Runs `pwpool` to its end in the test's own process, whose environment, directory and streams it has meanwhile. Half
   * a second faster than a child, which each command has in at least one test.
   */
  async runHere(
    args: readonly string[],
    variables: Record<string, string> = {},
    stdin = '',
  ): Promise<Outcome> {
    const before = {
      cwd: process.cwd(),
      env: process.env,
      listeners: process.listeners('unhandledRejection'),
    };
    let stdout = '';
    let stderr = '';
    const written = [
      vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
        stdout += String(text);
        return true;
      }),
      vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
        stderr += String(text);
        return true;
      }),
      vi
        .spyOn(process, 'stdin', 'get')
        .mockReturnValue(Readable.from([Buffer.from(stdin)]) as typeof process.stdin),
    ];
    const environment: NodeJS.ProcessEnv = { ...this.environment, ...variables };
    process.env = { ...environment };
    process.chdir(this.path);
    try {
      const status = await runProgram([process.execPath, BIN, ...args]);
      return { status, stdout, stderr };
    } finally {
      const { TMPDIR } = process.env;
      // A folder for temporary files of the process, which is there until that ends.
      if (TMPDIR !== undefined && TMPDIR !== environment['TMPDIR'])
        await rm(TMPDIR, { recursive: true, force: true });
      process.chdir(before.cwd);
      process.env = before.env;
      process.removeAllListeners('unhandledRejection');
      for (const listener of before.listeners) process.on('unhandledRejection', listener);
      for (const spy of written) spy.mockRestore();
    }
  }

  /** Runs `pwpool` to its end. */
  async run(args: readonly string[], variables: Record<string, string> = {}, stdin = ''): Promise<Outcome> {
    const { child, ended } = this.start(args, variables);
    child.stdin.end(stdin);
    return await ended;
  }

  /** Process ids of every process whose command line or environment names the directory: browsers too. */
  async processes(): Promise<number[]> {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    const named = await Promise.all(
      ids.map(async (id) => {
        const files = ['cmdline', 'environ'].map((file) =>
          readFile(`/proc/${id}/${file}`, 'utf8').catch(() => ''),
        );
        return (await Promise.all(files)).some((text) => text.includes(this.path));
      }),
    );
    return ids.filter((_, index) => named[index]).map(Number);
  }

  /** Names of the temporary files that are there. */
  async temporaryFiles(): Promise<string[]> {
    return await readdir(join(this.path, 'tmp'));
  }
}
