import type { KeyDefinition, SettableLevel } from './key-definition.js';
import { definitionOf, KEY_NAMES, levelsOf } from './keys.js';
import { nameInFile } from './place.js';
import { expectedValue, type JsonObject, MAX_MILLISECONDS, SIZE } from './values.js';

/** Where the schema can be read once the package is published. */
export const CONFIG_SCHEMA_URL = 'https://unpkg.com/@pwpool/core/schema/pwpool.config.schema.json';

/** The JSON schema (draft 07) of a configuration file, from the table of keys [arch-config-12]. */
export function configSchema(): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: CONFIG_SCHEMA_URL,
    title: 'Configuration of pwpool',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      ...propertiesOf('global'),
      pools: {
        type: 'object',
        description: 'The pools by name: upper-case letters and digits, joined by single underscores.',
        propertyNames: { pattern: '^[A-Z0-9]+(_[A-Z0-9]+)*$' },
        additionalProperties: { $ref: '#/definitions/pool' },
      },
    },
    additionalProperties: false,
    definitions: {
      pool: {
        type: 'object',
        properties: {
          ...propertiesOf('pool'),
          instance: {
            type: 'object',
            description: 'Overrides for single instances, by id.',
            propertyNames: { pattern: '^(0|[1-9]\\d*)$' },
            additionalProperties: { $ref: '#/definitions/instance' },
          },
        },
        additionalProperties: false,
      },
      instance: { type: 'object', properties: propertiesOf('instance'), additionalProperties: false },
    },
  };
}

function propertiesOf(level: SettableLevel): JsonObject {
  const keys = KEY_NAMES.filter((key) => levelsOf(key).some((each) => each === level));
  return Object.fromEntries(
    keys.map((key) => {
      const definition = definitionOf(key);
      const preset = 'default' in definition ? { default: definition.default } : {};
      return [nameInFile(key), { description: definition.help, ...valueSchema(definition), ...preset }];
    }),
  );
}

function valueSchema(definition: KeyDefinition): JsonObject {
  switch (definition.type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return {
        type: 'integer',
        minimum: definition.min,
        ...(definition.max === undefined ? {} : { maximum: definition.max }),
      };
    case 'milliseconds':
      return { type: 'integer', minimum: definition.min, maximum: MAX_MILLISECONDS };
    case 'choice':
      return { enum: definition.choices };
    case 'list': {
      const items = definition.choices ? { enum: definition.choices } : { type: 'string', minLength: 1 };
      return { type: 'array', items };
    }
    case 'object': {
      const elsewhere = Object.keys(definition.without ?? {});
      return {
        type: 'object',
        ...(definition.of === 'text' ? { additionalProperties: { type: 'string' } } : {}),
        ...(elsewhere.length > 0 ? { propertyNames: { not: { enum: elsewhere } } } : {}),
      };
    }
    case 'headers':
      return { type: ['object', 'string'], additionalProperties: { type: 'string' } };
    case 'size':
      return { type: 'string', pattern: SIZE.source };
    case 'alias':
      return { type: 'string', pattern: '\\S', not: { pattern: '^\\d+$' } };
    case 'text':
      return definition.default === '' ? { type: 'string' } : { type: 'string', pattern: '\\S' };
    default:
      return { type: 'string', pattern: '\\S', $comment: expectedValue(definition, 'typed') };
  }
}
