import { readFile } from 'node:fs/promises';
import type { ToolResult } from '../../src/connection/tool-connection.js';
import type { Row } from './row.js';

/** What an answer tells its reader of the browser. Two answers that tell the same are equal. */
export interface PageState {
  readonly url: string;
  readonly title: string;
  readonly tabs: string;
  readonly modals: string;
  readonly snapshot: string;
  readonly result: string;
  readonly error: string;
}

type Call = (tool: string) => Promise<ToolResult>;

/** The state that an action's answer tells; where it holds no snapshot, what its caller reads next. */
export async function stateAfter(answer: ToolResult, call: Call): Promise<PageState> {
  const told = await sectionsOf(answer);
  const isComplete = told.has('Snapshot') || told.has('Modal state');
  const read = isComplete ? told : await sectionsOf(await call('browser_snapshot'));
  const section = (name: string) => read.get(name) ?? '';
  const line = (name: string) => new RegExp(`^- ${name}: (.*)$`, 'm').exec(section('Page'))?.[1] ?? '';
  return {
    url: line('Page URL'),
    title: line('Page Title'),
    tabs: section('Open tabs'),
    modals: section('Modal state'),
    snapshot: withoutReferences(section('Snapshot')),
    result: told.get('Result') ?? '',
    error: told.get('Error') ?? '',
  };
}

/** Whether the state is what the action is to come to: as a rule not to its being given up, on a machine too busy for it. */
export function isExpected(state: PageState, { shows = 'done', lacks }: Row): boolean {
  if (state.error.startsWith('CALL_TIMEOUT') && shows !== 'CALL_TIMEOUT') return false;
  const tells = (text: string) => Object.values(state).some((part: string) => part.includes(text));
  return tells(shows) && !(lacks !== undefined && tells(lacks));
}

async function sectionsOf({ content }: ToolResult): Promise<Map<string, string>> {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const sections = new Map<string, string>();
  for (const section of text.split(/^### /m).slice(1)) {
    const end = section.indexOf('\n');
    sections.set(section.slice(0, end), section.slice(end + 1).trim());
  }
  const file = /^- \[Snapshot\]\((.*)\)$/m.exec(sections.get('Snapshot') ?? '')?.[1];
  if (file) sections.set('Snapshot', await readFile(file, 'utf8'));
  return sections;
}

/** References count the elements that there have been, and say whose page they are of: not what is on the page. */
function withoutReferences(snapshot: string): string {
  return snapshot
    .replaceAll(/ \[(ref=[^\]]*|cursor=pointer)\]/g, '')
    .replaceAll(/^```(yaml)?$/gm, '')
    .trim();
}
