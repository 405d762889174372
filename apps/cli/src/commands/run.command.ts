import { InvalidArgumentError, Option } from 'commander';
import { type Declaration, examples, withConfiguration } from '../declaration.js';

export const declareRun: Declaration = (program, action) => {
  withConfiguration(
    program
      .command('run')
      .summary('run a script, once or for each row of data')
      .description(
        'Run a script on a pool of browsers of its own, or of a running server: once, or for each row of --data, in parallel.\n' +
          'Browsers start once the script has passed its checks, and are closed at the end.',
      ),
  )
    .argument('[file]', 'YAML or JSON, or JavaScript or TypeScript; "-" reads YAML from stdin')
    .option('--data <file>', 'rows: .csv (the first line names the columns), .tsv or .jsonl; "-" reads stdin')
    .addOption(
      new Option('--format <format>', 'what the data is, if its name does not say').choices([
        'csv',
        'tsv',
        'jsonl',
      ]),
    )
    .option('--encoding <name>', 'of the data, latin1 say (default: UTF-8)')
    .option('--pool <name>', "the pool (default: the script's, else the default pool)")
    .option('--instance <id>', 'for a list of steps: the instance, by id or alias (default: the first)')
    .option(
      '--concurrency <n>',
      'rows at once (default: one for each instance of the pool, times --tabs)',
      atLeast(1),
    )
    .option(
      '--tabs <n>',
      'rows at once in each browser, each in a tab of its own: for scripts with clean: lease',
      atLeast(1),
    )
    .option(
      '--server [pid|url]',
      'run on this running server of yours (default: the only one), in place of a pool of its own',
    )
    .option('--retries <n>', 'how often a row that failed is tried again', atLeast(0), 2)
    .option('--out <file>', 'write results to this file, with a journal beside it (default: stdout)')
    .option('--resume', 'go on with --out: only rows without a result')
    .option('--retry-failed', 'go on with --out: rows without a result, and those that failed')
    .option('--ordered', 'results in the order of the rows (default: as they finish)')
    .option('--unique', 'run rows that are alike once')
    .option('--only <expression>', 'only rows for which this JMESPath expression is true')
    .option('--limit <n>', 'run so many rows at most', atLeast(1))
    .option('--halt <policy>', 'when to end early: soon,fail=10 or now,fail=20% or now,success=1', 'never')
    .option(
      '--files <folder>',
      'where each row has a folder for screenshots and downloads (default: OUT.files)',
    )
    .option('--report <file>', 'write one HTML page with all results of --out, failures with a picture')
    .option('--dry-run', 'check everything and print what would be run')
    .option('--schema', 'print the JSON schema of a script, for editors')
    .hook('preAction', (command) => {
      // Every run but that for the schema has a script.
      if (command.args.length === 0 && !command.opts()['schema'])
        command.error("error: missing required argument 'file'");
    })
    .action(action(async () => (await import('./run.js')).run))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool run titles.yaml --data urls.csv --out titles.jsonl', ''],
        ['pwpool run titles.yaml --data urls.csv --out titles.jsonl --resume', 'what is missing'],
        ["pwpool run titles.yaml --data - < rows.jsonl | jq -r '.result.title'", ''],
        ['pwpool run titles.yaml --data urls.csv --only "row.kind == \'shop\'" --dry-run', ''],
        ['pwpool run titles.yaml --data urls.csv --server', 'on the browsers of a running server'],
        ['pwpool run steps.yaml', 'a mere list of steps, once'],
      )}

A script:
  steps:
    - tool: browser_navigate
      args: { url: "{{row.url}}" }
      save_as: page
  extract: { url: "{{row.url}}", title: "{{steps.page.title}}" }

Prints a line of JSON for each row: { row, key, ok, result or error, attempts, ms }. A mere list of steps without data prints { success, steps: [{ step, tool, success, content, error }] }.

Exit status: 0 all done, 1 some failed or no browser started, 2 ended by --halt, 3 nothing to do, 64 faulty script, data or option, 78 invalid configuration, 130 or 143 ended by SIGINT or SIGTERM, 141 nobody reads the results.`,
    );
};

function atLeast(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isSafeInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`It has to be a whole number, ${least} or more.`);
  };
}
