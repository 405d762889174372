/** The groups by which upstream offers its tools (`CAPS`). */
export const CAPABILITIES = [
  'core',
  'core-navigation',
  'core-tabs',
  'core-input',
  'config',
  'network',
  'storage',
  'devtools',
  'testing',
  'vision',
  'pdf',
] as const;

export type Capability = (typeof CAPABILITIES)[number];
