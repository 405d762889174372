import type { ToolResult } from './tool-connection.js';

/** The text of a tool's answer; its images and links are left out. */
export function textOf({ content }: ToolResult): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
