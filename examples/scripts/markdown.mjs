// Each page as Markdown, from its accessibility snapshot, in the folder of its row.
//   pwpool run markdown.mjs --data urls.csv --out markdown.jsonl      (a column: url)
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export default async ({ page, row, call, files }) => {
  await page.goto(row.url);
  const { snapshot } = await call('browser_snapshot');
  const markdown = toMarkdown(snapshot);
  await mkdir(files, { recursive: true });
  await writeFile(join(files, 'page.md'), markdown);
  return { url: row.url, title: await page.title(), file: join(files, 'page.md'), length: markdown.length };
};

/** A line of a snapshot is `- role "name" [attributes]: text`; what is in an element stands below it, further in. */
const LINE =
  /^\s*- (?<role>\w+)(?: "(?<name>(?:[^"\\]|\\.)*)")?(?<attributes>(?: \[[^\]]*\])*)(?::(?: (?<text>.*))?)?$/;

function toMarkdown(snapshot) {
  const lines = snapshot.split('\n').flatMap((line, index, all) => {
    const { role, name, attributes, text } = LINE.exec(line)?.groups ?? {};
    const content = (name ?? text ?? '').replaceAll('\\"', '"').replace(/^"(.*)"$/, '$1');
    if (content === '') return [];
    switch (role) {
      case 'heading':
        return ['', `${'#'.repeat(Number(/level=(\d)/.exec(attributes)?.[1] ?? 1))} ${content}`, ''];
      case 'link':
        return [`- [${content}](${/\/url: (\S+)/.exec(all[index + 1] ?? '')?.[1] ?? ''})`];
      case 'listitem':
        return [`- ${content}`];
      case 'paragraph':
      case 'text':
        return [content, ''];
      default:
        return [];
    }
  });
  return `${lines
    .join('\n')
    .trim()
    .replaceAll(/\n{3,}/g, '\n\n')}\n`;
}
