import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Violation } from '../../src/config/violations.js';
import { PwpoolError } from '../../src/errors.js';
import { parseSites } from '../../src/sites/site-file.js';
import { SiteLimits } from '../../src/sites/site-limits.js';

function violationsOf(text: string): Violation[] {
  try {
    parseSites(text, 'sites.yaml');
  } catch (error) {
    if (!(error instanceof PwpoolError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    return error.details?.['violations'] as Violation[];
  }
  throw new Error('The file was taken.');
}

/** `line: message` of each violation. */
function faultsOf(...lines: string[]): string[] {
  const violations = violationsOf(lines.join('\n'));
  return violations.map(
    ({ variable, message }) => `${variable.replace(/^sites\.yaml:(\d+):\d+$/, '$1')}: ${message}`,
  );
}

/** The site whose limits a first request to the address meets. */
async function siteOf(text: string, url: string): Promise<string | undefined> {
  using visit = await new SiteLimits(parseSites(text, 'sites.yaml')).enter(url);
  return visit.site;
}

async function fileOf(content: string | Buffer): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pwpool-sites-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'sites.yaml');
  await writeFile(path, content);
  return path;
}

/** The contract of [004-site-04], word for word. */
const ENGINES = `duckduckgo:
  # ... engine policy ...
  min_interval: 2.0
  concurrency: 1

mojeek:
  min_interval: 4.0
  concurrency: 1
`;

describe('a file of sites', () => {
  it('may name sites by a label, which is no host, of the hosts that are meant [004-site-04]', async () => {
    const limits = await SiteLimits.load(await fileOf(ENGINES));
    const siteAt = (host: string) => siteOf(ENGINES, `https://${host}/?q=1`);
    for (const host of ['duckduckgo.com', 'html.duckduckgo.com', 'DuckDuckGo.co.uk', 'duckduckgo']) {
      expect(await siteAt(host), host).toBe('duckduckgo');
    }
    expect(await siteAt('www.mojeek.com')).toBe('mojeek');
    for (const host of ['notduckduckgo.com', 'duckduckgo-lite.com', 'example.com']) {
      expect(await siteAt(host), host).toBeUndefined();
    }
    using _visit = await limits.enter('https://html.duckduckgo.com/');
    const second = limits.enter('https://duckduckgo.com/', { timeoutMs: 1 });
    await expect(second).rejects.toThrow("at site 'duckduckgo' (min_interval 2 s, concurrency 1)");
  });

  it('a whole host counts before a label', async () => {
    const file = 'search: { concurrency: 1 }\nown: { hosts: [html.search.example], concurrency: 1 }\n';
    expect(await siteOf(file, 'https://www.search.example/')).toBe('search');
    expect(await siteOf(file, 'https://html.search.example/')).toBe('own');
  });

  it('holds the limits of each site by its name [004-site-04]', async () => {
    const text = [
      'search:',
      '  hosts: [Search.Example, html.example.org.]',
      '  min_interval: 2.0',
      '  concurrency: 1',
      '',
      'news.example:  # its name is its host',
      '  min_interval: 4',
      'localhost:',
      '  concurrency: 3',
    ].join('\n');
    expect(parseSites(text, 'sites.yaml')).toEqual([
      {
        name: 'search',
        hosts: ['search.example', 'html.example.org'],
        minIntervalMs: 2000,
        concurrency: 1,
      },
      {
        name: 'news.example',
        hosts: ['news.example'],
        minIntervalMs: 4000,
        concurrency: Number.POSITIVE_INFINITY,
      },
      { name: 'localhost', hosts: ['localhost'], minIntervalMs: 0, concurrency: 3 },
    ]);
    const limits = await SiteLimits.load(await fileOf(text));
    using visit = await limits.enter('https://www.search.example/?q=1');
    expect(visit.site).toBe('search');
  });

  it('is refused with every fault at once, each with its line and what to do [004-site-04]', () => {
    expect(
      violationsOf(
        [
          'shop:',
          '  hosts: [shop.example]',
          '  min_intervall: 2',
          'search.example:',
          '  concurrency: 0',
        ].join('\n'),
      ),
    ).toEqual([
      {
        code: 'UNKNOWN_KEY',
        message: "Unknown field 'min_intervall' of site 'shop'",
        variable: 'sites.yaml:3:3',
        fix: 'Did you mean min_interval?',
      },
      {
        code: 'INVALID_VALUE',
        message: "Wrong value for concurrency of site 'search.example'",
        variable: 'sites.yaml:5:3',
        fix: 'It must be a whole number, 1 or more.',
      },
    ]);
  });

  it('is refused with values of the wrong type', () => {
    const wrong = ['"2"', '-1', '.inf', 'null', '[2]', '2147484'];
    for (const value of wrong) {
      expect(faultsOf('a.example:', `  min_interval: ${value}`), value).toEqual([
        "2: Wrong value for min_interval of site 'a.example'",
      ]);
    }
    expect(faultsOf('a.example:', '  concurrency: 1.5')).toHaveLength(1);
    expect(faultsOf('a.example: 3', 'b.example:')).toEqual([
      "1: Site 'a.example' has no fields",
      "2: Site 'b.example' has no fields",
    ]);
    expect(faultsOf('a:', '  concurrency: 1', '  hosts: []')).toEqual([
      "3: Wrong value for hosts of site 'a'",
    ]);
    expect(faultsOf('a:', '  concurrency: 1', '  hosts:', '    - a.example', '    - 3')).toEqual([
      "5: Wrong value for hosts of site 'a'",
    ]);
  });

  it('is refused with a site that nothing limits, or that has no host', () => {
    expect(faultsOf('a.example: { min_interval: 0 }')).toEqual(["1: Site 'a.example' has no limit"]);
    expect(faultsOf('web search:', '  concurrency: 1')).toEqual([
      "1: Site 'web search' has no hosts, and its name cannot be part of one",
    ]);
  });

  it('is refused with hosts that are none, or in two sites', () => {
    const hosts = [
      'https://a.example',
      'a.example:80',
      '*.a.example',
      'a.example/b',
      'a b',
      '',
      '::1',
      'a..b',
    ];
    for (const host of hosts) {
      expect(faultsOf('a:', '  concurrency: 1', `  hosts: ["${host}"]`), host).toEqual([
        `3: '${host}' of site 'a' is not a host name`,
      ]);
    }
    const twice = ['a:', '  hosts: [x.example]', '  concurrency: 1', 'X.Example.:', '  concurrency: 1'];
    expect(faultsOf(...twice)).toEqual([
      "4: Host 'x.example' of site 'X.Example.' is in the file already (sites.yaml:2:11)",
    ]);
  });

  it('is refused when it is no YAML, has a site twice, or names none', () => {
    expect(faultsOf('a.example:', '  concurrency: 1', 'a.example:', '  concurrency: 2')).toEqual([
      '3: This is not YAML: Map keys must be unique',
    ]);
    expect(faultsOf('a.example: [')).toHaveLength(1);
    expect(faultsOf('a.example: *nobody')).toHaveLength(1);
    for (const text of ['', '# nothing', '- a.example', 'a.example']) {
      expect(faultsOf(text), text).toEqual(['1: The file of sites names no site']);
    }
  });

  it('that cannot be read is told with its name', async () => {
    const missing = join(tmpdir(), 'pwpool-no-such-directory', 'sites.yaml');
    await expect(SiteLimits.load(missing)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(missing),
    });
    await expect(SiteLimits.load(await fileOf(Buffer.from([0xff, 0xfe, 0x00])))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});
