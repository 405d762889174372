import { CONFIGURATION, type Declaration, examples, withConfiguration } from '../declaration.js';

export const declareValidate: Declaration = (program, action) => {
  withConfiguration(
    program
      .command('validate')
      .summary('check the configuration')
      .description(
        `Check the configuration, the file of sites that it names, and that its browsers are there; tell all that is wrong.\n${CONFIGURATION}`,
      ),
  )
    .option('--json', 'print { valid, violations, warnings, files, pools, browsers } as JSON')
    .option('--no-probe', 'do not look for the browsers')
    .action(action(async () => (await import('./validate.js')).validate))
    .addHelpText(
      'after',
      `${examples(
        ['pwpool validate', ''],
        ['pwpool validate --config staging.yaml --set SHOP.instances=9', 'before it is used'],
        ["pwpool validate --json | jq -r '.violations[].fix'", ''],
        ['pwpool validate --no-probe', 'where the browsers are not'],
      )}\n\nExit status: 0 valid, 78 not, 1 valid but a browser is missing.`,
    );
};
