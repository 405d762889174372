import { describe, expect, it } from 'vitest';
import { inspectConfig } from '../../../src/config/load-config.js';
import { OF_THE_SEED, OTHERS } from './configurations.js';
import { expectedOf, SOURCES } from './sources.js';

it("there is one for each of the seed's, and 40 more", () => {
  expect(OF_THE_SEED).toHaveLength(6);
  expect(OTHERS.length).toBeGreaterThanOrEqual(40);
});

describe.each(Object.entries(SOURCES))('from %s', (_, source) => {
  it.each([...OF_THE_SEED, ...OTHERS])(
    '$what [000-validation-01, 000-validation-02, 000-validation-03, 000-validation-04, 000-validation-05, 000-validation-07, arch-config-04, arch-config-05, arch-config-08]',
    ({ settings, expected }) => {
      const { config, violations, warnings } = inspectConfig(source.write(settings));
      const told = violations.map(
        ({ code, variable, message, fix }) => `${code} ${variable}: ${message}. ${fix}`,
      );
      expect(told.sort()).toEqual(expected.map((each) => expectedOf(each, source, settings)).sort());
      expect(config).toBeUndefined();
      expect(warnings).toEqual([]);
      for (const { location } of violations) {
        // What is missing altogether has no line in .env.
        if (source.location) expect(location ?? '.env:0').toMatch(source.location);
        else expect(location).toBeUndefined();
      }
    },
  );
});
