import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RowResult } from '@pwpool/core/internal';
import { seconds } from './figures.js';

/** Of each kind, so many rows are in the table, and so many failures have their picture in the page. */
const MOST_ROWS = 2_000;
const MOST_PICTURES = 100;

const STYLE = `body{font:14px/1.5 system-ui,sans-serif;margin:2rem;max-width:75rem;color:#222}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ddd;padding:.3rem .6rem;text-align:left;vertical-align:top}
code{white-space:pre-wrap;overflow-wrap:anywhere}img{max-width:24rem;border:1px solid #ddd}.bad{color:#a00}
.bar{background:#69c;height:.6rem;min-width:1px}`;

/**
 * Writes all results in a file as one page that needs no other: failures first, with what their pages looked like, then the rest.
 * @param files where rows have their folders
 */
export async function writeReport(
  path: string,
  { title, out, files, summary }: { title: string; out: string; files: string; summary: string },
): Promise<void> {
  const failures: string[] = [];
  const rows: string[] = [];
  let [failed, done, longest] = [0, 0, 1];
  const shown: RowResult[] = [];
  for await (const line of createInterface({ input: createReadStream(out) })) {
    const result = JSON.parse(line) as RowResult;
    longest = Math.max(longest, result.ms);
    if (!result.ok) {
      failed += 1;
      if (failed <= MOST_ROWS)
        failures.push(await failureRow(result, failed <= MOST_PICTURES ? files : undefined));
    } else if (++done <= MOST_ROWS) shown.push(result);
  }
  for (const result of shown) rows.push(resultRow(result, longest));
  const body = [
    `<h1>${escaped(title)}</h1><p>${escaped(summary).replaceAll('\n', '<br>')}</p>`,
    table(`${failed} failed`, ['Row', 'Attempts', 'Time', 'Failure', 'Page'], failures, failed),
    table(`${done} done`, ['Row', 'Attempts', 'Time', '', 'Result'], rows, done),
  ];
  const head = `<meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style>`;
  await writeFile(
    path,
    `<!doctype html><html lang="en"><head>${head}</head><body>${body.join('\n')}</body></html>\n`,
  );
}

function table(title: string, heads: readonly string[], rows: readonly string[], count: number): string {
  if (count === 0) return '';
  const rest = count > rows.length ? `<p>The first ${rows.length} of ${count}.</p>` : '';
  const head = heads.map((text) => `<th>${text}</th>`).join('');
  return `<h2>${title}</h2>${rest}<table><tr>${head}</tr>${rows.join('\n')}</table>`;
}

async function failureRow(
  { row, attempts, ms, ...result }: RowResult,
  files: string | undefined,
): Promise<string> {
  const { code, message, hint = '' } = result.ok ? { code: '', message: '' } : result.error;
  const picture =
    files === undefined
      ? undefined
      : await readFile(join(files, String(row), 'failure.png')).catch(() => undefined);
  const image = picture ? `<img alt="" src="data:image/png;base64,${picture.toString('base64')}">` : '';
  const told = `<b class="bad">${escaped(code)}</b> ${escaped(message)}<br>${escaped(hint)}`;
  return `<tr><td>${row}</td><td>${attempts}</td><td>${seconds(ms)}</td><td>${told}</td><td>${image}</td></tr>`;
}

function resultRow({ row, attempts, ms, ...result }: RowResult, longest: number): string {
  const bar = `<div class="bar" style="width:${((ms / longest) * 8).toFixed(2)}rem"></div>`;
  const shown = result.ok ? JSON.stringify(result.result) : '';
  const short = shown.length > 1_000 ? `${shown.slice(0, 1_000)}…` : shown;
  return `<tr><td>${row}</td><td>${attempts}</td><td>${seconds(ms)}</td><td>${bar}</td><td><code>${escaped(short)}</code></td></tr>`;
}

/** What pages and data say is text here. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
