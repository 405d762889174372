import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { configInvalid } from '../config/violations.js';
import { YamlFile } from '../config/yaml-file.js';
import { reasonOf } from '../errors.js';
import { isWholeHost, normalHost, type Site } from './site.js';
import { fieldViolations, hostViolations, limitViolations, noSites } from './site-rules.js';

/** Longest interval that Node's timers can wait for. */
const MAX_SECONDS = 2_147_483;

const siteSchema = z.strictObject({
  hosts: z.array(z.string()).min(1).optional().describe('a list of host names, such as [example.com]'),
  min_interval: z
    .number()
    .min(0)
    .max(MAX_SECONDS)
    .optional()
    .describe(`a number of seconds from 0 to ${MAX_SECONDS}`),
  concurrency: z.int().min(1).optional().describe('a whole number, 1 or more'),
});

/** What each field takes. */
const FIELDS = Object.fromEntries(
  Object.entries(siteSchema.shape).map(([field, { description = '' }]) => [field, description]),
);

/**
 * Reads a file of sites: YAML or JSON, by site name `hosts`, `min_interval` (seconds) and `concurrency` [004-site-04].
 * @throws PwpoolError `CONFIG_INVALID` with every fault, its line and what to change
 */
export async function readSiteFile(path: string): Promise<Site[]> {
  return parseSites(await readText(path), path);
}

/**
 * @param name of the file, for messages
 * @throws PwpoolError as `readSiteFile`
 */
export function parseSites(text: string, name: string): Site[] {
  const file = new YamlFile(text, name, 'docs/sites.md');
  if (file.violations.length > 0) throw configInvalid(file.violations);
  const { content } = file;
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw configInvalid([noSites(file, FIELDS)]);
  }
  const parsed = Object.entries(content).map(([site, value]) => ({
    site,
    fields: siteSchema.safeParse(value),
  }));
  const violations = parsed.flatMap(({ site, fields }) =>
    fields.success
      ? limitViolations(file, site, fields.data)
      : fields.error.issues.flatMap((issue) => fieldViolations(file, site, issue, FIELDS)),
  );
  violations.push(...hostViolations(file, Object.entries(content)));
  if (violations.length > 0) throw configInvalid(violations);
  return parsed.flatMap(({ site, fields }) => (fields.success ? [siteFrom(site, fields.data)] : []));
}

function siteFrom(name: string, fields: z.infer<typeof siteSchema>): Site {
  return {
    name,
    ...namesOf(fields.hosts ?? [name], fields.hosts === undefined),
    minIntervalMs: Math.ceil((fields.min_interval ?? 0) * 1000),
    concurrency: fields.concurrency ?? Number.POSITIVE_INFINITY,
  };
}

/** A site without hosts is known by its name, which need be no whole host: `duckduckgo` [004-site-04]. */
function namesOf(names: readonly string[], byName: boolean): Pick<Site, 'hosts' | 'label'> {
  const hosts = names.map(normalHost);
  const [label = ''] = hosts;
  return byName && !isWholeHost(label) ? { hosts: [], label } : { hosts };
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw configInvalid([
      {
        code: 'INVALID_VALUE',
        message: `The file of sites ${path} cannot be read: ${reasonOf(error)}`,
        variable: path,
        fix: 'Point SITES_FILE at a UTF-8 text file, or leave it out.',
      },
    ]);
  }
}
