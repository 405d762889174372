/**
 * What the SDK's server takes for its platform, in the bundle in place of its choice for Node (scripts/bundle.mjs). That brings
 * ajv along, a third of what the start would load; only elicitation validates by it, which pwpool does not use.
 */

export { default as process } from 'node:process';
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
