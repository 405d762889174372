import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as z from 'zod';

const PUBLISHED = createRequire(import.meta.url).resolve('@pwpool/core/schema/pwpool.status.schema.json');

/** What `pwpool status --json` has printed, once it was checked by the published schema. */
export function checkedStatus(printed: string): unknown {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(PUBLISHED, 'utf8')));
  return schema.parse(JSON.parse(printed));
}
