import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../src/config/capabilities.js';
import { PlaywrightToolset } from '../../src/toolset/playwright-toolset.js';
import { listEmbeddedTools } from '../../src/upstream/embedded-tools.js';

/** Names of what a schema asks for although it has a default, at any depth. */
function requiredWithDefault(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { required = [], properties = {} } = schema as {
    required?: string[];
    properties?: Record<string, object>;
  };
  return [
    ...(Array.isArray(required) ? required : []).filter((name) => 'default' in (properties[name] ?? {})),
    ...Object.values(schema).flatMap(requiredWithDefault),
  ];
}

describe('arguments of upstream’s tools', () => {
  it('are optional when they have a default, in the list and in the check', async () => {
    const upstream = (await listEmbeddedTools(CAPABILITIES)).flatMap(({ inputSchema }) =>
      requiredWithDefault(inputSchema),
    );
    expect(upstream).toEqual(expect.arrayContaining(['level', 'static', 'scale', 'deltaX']));
    const toolset = await PlaywrightToolset.load({ allowUnsafeCode: true, caps: CAPABILITIES });
    expect(toolset.list().flatMap(({ inputSchema }) => requiredWithDefault(inputSchema))).toEqual([]);
    expect(toolset.check('browser_mouse_wheel', {})).toEqual({ args: {}, ignored: [] });
    expect(toolset.list().find(({ name }) => name === 'browser_resize')?.inputSchema.required).toEqual([
      'width',
      'height',
    ]);
  });

  it('that a tool does not know are left out and told, those inside of others too', async () => {
    const toolset = await PlaywrightToolset.load({ allowUnsafeCode: false });
    const field = { target: '#a', name: 'A', type: 'textbox', value: '1', ref: 'e1' };
    expect(toolset.check('browser_fill_form', { fields: [field], ref: 'e2' })).toEqual({
      args: { fields: [field] },
      ignored: ['ref', 'fields[0].ref'],
    });
    expect(toolset.check('browser_drop', { target: '#a', data: { 'text/plain': 'x' } }).ignored).toEqual([]);
  });
});
