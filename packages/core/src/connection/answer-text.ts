import type { ToolResult } from './tool-connection.js';

/** The text of a tool's answer; its images and links are left out. */
export function textOf({ content }: ToolResult): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The answer with each of its texts changed. */
export function withText(result: ToolResult, change: (text: string) => string): ToolResult {
  const content = result.content.map((part) =>
    part.type === 'text' ? { ...part, text: change(part.text) } : part,
  );
  return { ...result, content };
}

/** The answer with a line of pwpool's own behind it. */
export function withLine(result: ToolResult, text: string): ToolResult {
  return { ...result, content: [...result.content, { type: 'text', text }] };
}
