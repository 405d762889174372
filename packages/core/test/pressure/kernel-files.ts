import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory laid out like the root of a machine, as far as the test needs it, and removed after it. */
export function kernelFiles(files: Record<string, string>): {
  root: string;
  write: (files: Record<string, string>) => void;
} {
  const root = mkdtempSync(join(tmpdir(), 'pwpool-health-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (more: Record<string, string>) => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  };
  write(files);
  return { root, write };
}
