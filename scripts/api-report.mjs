import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  ExtractorMessageCategory,
} from '@microsoft/api-extractor';
import { CommandFailed, runMain } from './run.mjs';
import { ROOT, readManifest, workspaceFolders } from './workspace.mjs';

/**
 * Compares the built public API of every package with its committed report in `<package>/api`; with `--write`,
 * rewrites the reports. There is one for each entry of a package's `exports` map that has types.
 */
await runMain(() => {
  const write = process.argv.includes('--write');
  const entries = workspaceFolders().flatMap(entryPoints);
  const [first, ...others] = entries;
  // Of all entries at once: their declarations are each other's, and those of the same libraries.
  const compilerState = CompilerState.create(configOf(first), {
    additionalEntryPoints: others.map(({ types }) => types),
  });
  const changed = entries.filter((entry) => !reportMatches(entry, { compilerState, localBuild: write }));
  if (changed.length === 0 || write) return;
  const names = changed.map(({ folder, reportName }) => `${folder}/api/${reportName}.api.md`).join(', ');
  throw new CommandFailed(
    `The public API is not what ${names} says. If that is meant, run "npm run api" and commit the report.`,
  );
});

function entryPoints(folder) {
  const { exports = {}, private: unpublished } = readManifest(folder);
  if (unpublished) return [];
  const packageName = folder.split('/').at(-1);
  return Object.entries(exports)
    .filter(([, target]) => target.types)
    .map(([subpath, { types }]) => ({
      folder,
      types: join(ROOT, folder, types),
      reportName: [packageName, ...subpath.split('/').slice(1)].join('-'),
    }));
}

function configOf({ folder, types, reportName }) {
  const projectFolder = join(ROOT, folder);
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(projectFolder, 'package.json'),
    configObject: {
      projectFolder,
      newlineKind: 'lf',
      mainEntryPointFilePath: types,
      compiler: {
        // Only declarations are read, so the sources' own settings do not matter.
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2022',
            lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            types: ['node'],
            strict: true,
            skipLibCheck: true,
          },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFolder: join(projectFolder, 'api'),
        reportTempFolder: join(ROOT, 'node_modules/.cache/api-report'),
        reportFileName: reportName,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
}

function reportMatches(entry, options) {
  const config = configOf(entry);
  if (options.localBuild) mkdirSync(config.reportFolder, { recursive: true });
  const result = Extractor.invoke(config, {
    ...options,
    // What is wrong with the API goes into the report; progress need not be told.
    messageCallback: (message) => {
      message.handled = message.category === ExtractorMessageCategory.Console;
    },
  });
  return !result.apiReportChanged && result.errorCount === 0;
}
