import type { Toolset } from '@pwpool/core';
import type { RowWork, SelectedRow } from '@pwpool/core/internal';
import type { ScriptFile } from './script-file.js';

/** What a script is, once it has been checked. */
export interface CheckedScript {
  file: ScriptFile;
  pool?: string | undefined;
  clean: RowWork['clean'];
  /** The tools that it names. */
  toolset: Toolset;
  /** It is code that works on Playwright's own page. */
  needsPage: boolean;
  /** @throws PwpoolError `INVALID_ARGUMENTS` for columns that are not there */
  checkData?(columns: readonly string[], data: string): void;
  /** @param tell for what it says on the way */
  work(tell: (text: string) => void): RowWork;
  /** What `--dry-run` shows of a row. */
  preview(row: SelectedRow, files: string): unknown;
}
