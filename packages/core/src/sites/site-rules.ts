import type { z } from 'zod';
import { nearest } from '../config/suggest.js';
import type { Violation } from '../config/violations.js';
import type { YamlFile } from '../config/yaml-file.js';
import { normalHost } from './site.js';

/** What each field of a site takes, in words that follow "must be". */
export type Fields = Readonly<Record<string, string>>;

export function noSites(file: YamlFile, fields: Fields): Violation {
  return {
    code: 'INVALID_VALUE',
    message: 'The file of sites names no site',
    variable: file.place([]),
    fix: `Write the name of each site, and below it some of: ${Object.keys(fields).join(', ')}.`,
  };
}

/** A field that there is not, or one of the wrong form. */
export function fieldViolations(
  file: YamlFile,
  site: string,
  issue: z.core.$ZodIssue,
  fields: Fields,
): Violation[] {
  const names = Object.keys(fields).join(', ');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const meant = nearest(key, Object.keys(fields))?.name;
      return {
        code: 'UNKNOWN_KEY',
        message: `Unknown field '${key}' of site '${site}'`,
        variable: file.place([site, key]),
        fix: meant === undefined ? `Remove it; there are: ${names}.` : `Did you mean ${meant}?`,
      };
    });
  }
  const [field, ...inside] = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  const variable = file.place([site, ...(field === undefined ? [] : [field, ...inside])]);
  if (field === undefined) {
    return [
      {
        code: 'INVALID_VALUE',
        message: `Site '${site}' has no fields`,
        variable,
        fix: `Give it some of: ${names}.`,
      },
    ];
  }
  return [
    {
      code: 'INVALID_VALUE',
      message: `Wrong value for ${field} of site '${site}'`,
      variable,
      fix: `It must be ${fields[field]}.`,
    },
  ];
}

/** A site that nothing limits was meant to have a limit. */
export function limitViolations(
  file: YamlFile,
  site: string,
  limits: { min_interval?: number | undefined; concurrency?: number | undefined },
): Violation[] {
  if ((limits.min_interval ?? 0) > 0 || limits.concurrency !== undefined) return [];
  return [
    {
      code: 'INVALID_VALUE',
      message: `Site '${site}' has no limit`,
      variable: file.place([site]),
      fix: 'Give it min_interval (seconds), concurrency, or both, or remove it.',
    },
  ];
}

/** Hosts that are none, and those that are in the file twice. */
export function hostViolations(
  file: YamlFile,
  sites: readonly [site: string, value: unknown][],
): Violation[] {
  const firstPlaces = new Map<string, string>();
  return sites.flatMap(([site, value]) =>
    namedHosts(site, value).flatMap(({ text, path }): Violation[] => {
      const variable = file.place(path);
      const host = normalHost(text);
      if (path.length === 1 && host === '') return [noHosts(site, variable)];
      if (host === '') {
        return [
          {
            code: 'INVALID_VALUE',
            message: `'${text}' of site '${site}' is not a host name`,
            variable,
            fix: 'Write the name alone, such as example.com: its subdomains are meant too. No scheme, port, path or "*".',
          },
        ];
      }
      const first = firstPlaces.get(host);
      firstPlaces.set(host, first ?? variable);
      if (first === undefined) return [];
      return [
        {
          code: 'INVALID_VALUE',
          message: `Host '${host}' of site '${site}' is in the file already (${first})`,
          variable,
          fix: 'Name each host once: its site is the one that limits it.',
        },
      ];
    }),
  );
}

/** The hosts as they are written, each with its path in the file; without any, the site's name. */
function namedHosts(site: string, value: unknown): { text: string; path: (string | number)[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  const hosts: unknown = Reflect.get(value, 'hosts');
  if (hosts === undefined) return [{ text: site, path: [site] }];
  if (!Array.isArray(hosts)) return [];
  return hosts.flatMap((text: unknown, index) =>
    typeof text === 'string' ? [{ text, path: [site, 'hosts', index] }] : [],
  );
}

function noHosts(site: string, variable: string): Violation {
  return {
    code: 'INVALID_VALUE',
    message: `Site '${site}' has no hosts, and its name cannot be part of one`,
    variable,
    fix: 'Add its hosts, such as: hosts: [example.com].',
  };
}
