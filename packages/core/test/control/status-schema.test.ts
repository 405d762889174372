import { expect, test } from 'vitest';
import * as z from 'zod';
import { statusOutputSchema } from '../../src/control/server-status.js';

test('the published schema of "pwpool status --json" is the one that its answers are read by', async () => {
  const schema = {
    $id: 'https://unpkg.com/@pwpool/core/schema/pwpool.status.schema.json',
    title: 'What "pwpool status --json" prints',
    ...z.toJSONSchema(statusOutputSchema),
  };
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(
    '../../schema/pwpool.status.schema.json',
  );
});
