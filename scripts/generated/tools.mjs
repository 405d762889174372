import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';
import { ROOT } from '../workspace.mjs';
import { markdownTable } from './markdown.mjs';

/** Each of pwpool's own tools with its arguments and an example. */
export async function ownTools() {
  const { POOL_TOOLS } = await mcpModule('tools/pool-tools.ts');
  const { describePoolTool } = await mcpModule('tools/pool-tool.ts');
  const offer = { pools: [] };
  return POOL_TOOLS.filter(({ aliasOf }) => aliasOf === undefined)
    .map((tool) => {
      const { name, description, inputSchema } = describePoolTool(tool, offer);
      const section = [`### ${name}`, description];
      const rows = Object.entries(inputSchema.properties ?? {}).map(([argument, schema]) => [
        `\`${argument}\`${inputSchema.required?.includes(argument) ? ', required' : ''}`,
        schema.default === undefined ? schema.type : `${schema.type}, default ${schema.default}`,
        tool.help?.[argument] ?? '',
      ]);
      if (rows.length > 0) section.push(markdownTable(['Argument', 'Takes', 'Meaning'], rows));
      section.push(example({ name, arguments: tool.example ?? {} }));
      return section.join('\n\n');
    })
    .join('\n\n');
}

/** A line for each tool of upstream's, in the order of their groups. */
export async function browserTools() {
  const core = (path) => tsImport(`../../packages/core/src/${path}`, import.meta.url);
  const { TOOL_LIST } = await core('upstream/tool-list.ts');
  const { traitsOf } = await core('upstream/tool-table.ts');
  const groupOf = ({ name }) => traitsOf(name).capability;
  const tools = TOOL_LIST.filter((tool) => groupOf(tool).startsWith('core')).concat(
    TOOL_LIST.filter((tool) => !groupOf(tool).startsWith('core')).sort((one, other) =>
      groupOf(one).localeCompare(groupOf(other)),
    ),
  );
  const rows = tools.map((tool) => [
    `\`${tool.name}\``,
    traitsOf(tool.name).unsafe ? 'ALLOW_UNSAFE_CODE' : groupOf(tool).startsWith('core') ? '' : groupOf(tool),
    argumentsOf(tool),
    firstSentence(tool.description),
  ]);
  return markdownTable(['Tool', 'Only with', 'Takes', 'Does'], rows);
}

/** The prompts, with what they take. */
export async function prompts() {
  const { PROMPTS } = await mcpModule('prompts.ts');
  const rows = PROMPTS.map((prompt) => [
    `\`${prompt.name}\``,
    prompt.arguments.map(({ name, required }) => (required ? name : `${name} (optional)`)).join(', '),
    prompt.description,
  ]);
  return markdownTable(['Prompt', 'Takes', 'For'], rows);
}

function argumentsOf({ inputSchema: { properties = {}, required = [] } }) {
  return Object.entries(properties)
    .map(([name, { default: value }]) =>
      required.includes(name) && value === undefined ? `**${name}**` : name,
    )
    .join(', ');
}

function firstSentence(text) {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

function example(call) {
  return `\`\`\`json\n${JSON.stringify(call, null, 2)}\n\`\`\``;
}

async function mcpModule(path) {
  return await tsImport(join(ROOT, 'packages/mcp/src', path), import.meta.url);
}
