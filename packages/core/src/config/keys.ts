/** A level at which a person can set a key. */
export type SettableLevel = 'global' | 'pool' | 'instance';

/**
 * What a key belongs to, and with that the levels at which it may be set (seed 000, "Configuration Levels").
 * A key set at a wider level is the default of the narrower ones.
 */
export const LEVELS_OF_SCOPE = {
  server: ['global'],
  pool: ['global', 'pool'],
  'pool-only': ['pool'],
  instance: ['global', 'pool', 'instance'],
  'instance-only': ['instance'],
} as const satisfies Record<string, readonly SettableLevel[]>;

export type Scope = keyof typeof LEVELS_OF_SCOPE;

type ValueDefinition =
  | { type: 'boolean'; default: boolean }
  | { type: 'integer'; min: number; max?: number; default?: number }
  | { type: 'milliseconds'; min: number; default?: number }
  | { type: 'choice'; choices: readonly string[]; default: string }
  | { type: 'text'; default: string }
  | { type: 'path' }
  | { type: 'secret' }
  | { type: 'alias' };

/** One row of the table. A row without `default`, `fallback` and `required` is undefined unless somebody sets it. */
export type KeyDefinition = ValueDefinition & {
  /** The name in settings and in `ConfigInput`. */
  setting: string;
  scope: Scope;
  help: string;
  /** The key whose resolved value stands in when this one is set at no level. */
  fallback?: string;
  /** Must be set; there is no default. */
  required?: true;
};

/**
 * Every key, in the order in which they are shown. Names of environment variables, input types, settings types,
 * `explainConfig` and the reference in docs all derive from this table, and no default is written anywhere else.
 *
 * Sources: seed 000 "Configuration Reference", architecture section 4.
 */
export const KEYS = {
  INSTANCES: {
    setting: 'instances',
    scope: 'pool-only',
    type: 'integer',
    min: 1,
    max: 1000,
    required: true,
    help: 'How many instances the pool has; their ids count from 0.',
  },
  IS_DEFAULT: {
    setting: 'isDefault',
    scope: 'pool-only',
    type: 'boolean',
    default: false,
    help: 'Whether calls that name no pool go to this one. Exactly one pool has it true.',
  },
  DESCRIPTION: {
    setting: 'description',
    scope: 'pool-only',
    type: 'text',
    default: '',
    help: 'What the pool is for, in words.',
  },
  ALIAS: {
    setting: 'alias',
    scope: 'instance-only',
    type: 'alias',
    help: 'Another name for the instance: unique in its pool, case-sensitive, not made of digits only.',
  },
  BROWSER: {
    setting: 'browser',
    scope: 'instance',
    type: 'choice',
    choices: ['chromium', 'firefox', 'webkit', 'chrome', 'msedge'],
    default: 'chromium',
    help: 'Which browser to run.',
  },
  HEADLESS: {
    setting: 'headless',
    scope: 'instance',
    type: 'boolean',
    default: true,
    help: 'Whether the browser runs without a window.',
  },
  ISOLATED: {
    setting: 'isolated',
    scope: 'instance',
    type: 'boolean',
    default: false,
    help: 'Whether the instance keeps no profile on disk. If false, it has a profile directory of its own.',
  },
  WSL_WINDOWS: {
    setting: 'wslWindows',
    scope: 'instance',
    type: 'boolean',
    default: false,
    help: 'Whether the browser is started on the Windows side from within WSL.',
  },
  EXECUTABLE_PATH: {
    setting: 'executablePath',
    scope: 'instance',
    type: 'path',
    help: 'The browser executable to start in place of the one that Playwright finds.',
  },
  PROFILE_DIR: {
    setting: 'profileDir',
    scope: 'instance',
    type: 'path',
    help: 'The directory that holds one profile directory an instance when ISOLATED is false. Default: pwpool/profiles in the data directory of the user.',
  },
  TIMEOUT: {
    setting: 'timeout',
    scope: 'instance',
    type: 'milliseconds',
    min: 1,
    default: 30_000,
    help: 'How long a whole call may take, and the default for navigation.',
  },
  TIMEOUT_NAVIGATION: {
    setting: 'timeoutNavigation',
    scope: 'instance',
    type: 'milliseconds',
    min: 1,
    fallback: 'TIMEOUT',
    help: 'How long a navigation may take.',
  },
  TIMEOUT_ACTION: {
    setting: 'timeoutAction',
    scope: 'instance',
    type: 'milliseconds',
    min: 1,
    default: 5000,
    help: 'How long one action on an element may take, such as a click.',
  },
  TIMEOUT_SETTLE: {
    setting: 'timeoutSettle',
    scope: 'instance',
    type: 'milliseconds',
    min: 0,
    default: 500,
    help: 'How long a tool waits after an action for what it triggered.',
  },
  START_TIMEOUT: {
    setting: 'startTimeout',
    scope: 'instance',
    type: 'milliseconds',
    min: 1,
    default: 30_000,
    help: 'How long an instance may take to start.',
  },
  RESET: {
    setting: 'reset',
    scope: 'instance',
    type: 'choice',
    choices: ['never', 'session', 'lease'],
    default: 'session',
    help: 'When the instance gets a fresh context: never, after a session, or after each lease.',
  },
  LAZY: {
    setting: 'lazy',
    scope: 'pool',
    type: 'boolean',
    default: false,
    help: 'Whether instances start on their first lease rather than at start-up.',
  },
  LEASE_TIMEOUT: {
    setting: 'leaseTimeout',
    scope: 'pool',
    type: 'milliseconds',
    min: 1,
    default: 60_000,
    help: 'How long a caller waits for a free instance.',
  },
  START_CONCURRENCY: {
    setting: 'startConcurrency',
    scope: 'pool',
    type: 'integer',
    min: 1,
    default: 4,
    help: 'How many instances of the pool start at the same time.',
  },
  HEALTH_INTERVAL: {
    setting: 'healthInterval',
    scope: 'pool',
    type: 'milliseconds',
    min: 1,
    default: 20_000,
    help: 'The time between two health probes of an instance.',
  },
  HEALTH_TIMEOUT: {
    setting: 'healthTimeout',
    scope: 'pool',
    type: 'milliseconds',
    min: 1,
    default: 5000,
    help: 'How long a health probe may take before it counts as failed.',
  },
  AUTO_RESTART: {
    setting: 'autoRestart',
    scope: 'pool',
    type: 'boolean',
    default: true,
    help: 'Whether a failed instance is restarted by itself.',
  },
  MAX_RESTARTS: {
    setting: 'maxRestarts',
    scope: 'pool',
    type: 'integer',
    min: 0,
    default: 5,
    help: 'How many restarts in a row are tried before the instance stays failed.',
  },
  AFFINITY: {
    setting: 'affinity',
    scope: 'server',
    type: 'choice',
    choices: ['client', 'call'],
    default: 'client',
    help: 'Whether a call without a target gets a browser kept for its client, or one for this call only.',
  },
  ALLOW_UNSAFE_CODE: {
    setting: 'allowUnsafeCode',
    scope: 'server',
    type: 'boolean',
    default: false,
    help: 'Whether tools that run code in the server process are offered.',
  },
  OUTPUT_DIR: {
    setting: 'outputDir',
    scope: 'server',
    type: 'path',
    help: 'The directory for files that tools write. Default: .pwpool in the working directory.',
  },
  SESSION_IDLE_TIMEOUT: {
    setting: 'sessionIdleTimeout',
    scope: 'server',
    type: 'milliseconds',
    min: 1,
    default: 1_800_000,
    help: 'How long a session may be without a call before it ends.',
  },
  SESSION_GRACE: {
    setting: 'sessionGrace',
    scope: 'server',
    type: 'milliseconds',
    min: 0,
    default: 60_000,
    help: 'How long the sessions of a client that can reconnect are kept after it left. Over stdio they end at once.',
  },
  SESSION_WARN_AT: {
    setting: 'sessionWarnAt',
    scope: 'server',
    type: 'integer',
    min: 1,
    default: 5,
    help: 'From how many sessions of a client on starting one more is answered with a warning.',
  },
  SESSION_LIMIT: {
    setting: 'sessionLimit',
    scope: 'server',
    type: 'integer',
    min: 1,
    help: 'How many sessions there may be in all. No limit unless set.',
  },
  SESSION_LIMIT_PER_CLIENT: {
    setting: 'sessionLimitPerClient',
    scope: 'server',
    type: 'integer',
    min: 1,
    help: 'How many sessions a client may have. No limit unless set.',
  },
  SESSION_RESTORE: {
    setting: 'sessionRestore',
    scope: 'server',
    type: 'boolean',
    default: true,
    help: 'Whether a session whose browser crashed goes on in a new one, with its last cookies, storage and URL.',
  },
  SESSION_PREEMPT: {
    setting: 'sessionPreempt',
    scope: 'server',
    type: 'milliseconds',
    min: 1,
    help: 'How long a session must be idle before it may be parked: its state is saved and its browser given to a waiter. Never unless set.',
  },
  STATE_DIR: {
    setting: 'stateDir',
    scope: 'server',
    type: 'path',
    help: 'The directory for session states saved under a name. Default: pwpool/states in the data directory of the user.',
  },
  STATE_KEY: {
    setting: 'stateKey',
    scope: 'server',
    type: 'secret',
    help: 'The passphrase that saved session states are encrypted with. They are not encrypted unless it is set.',
  },
  SHUTDOWN_GRACE: {
    setting: 'shutdownGrace',
    scope: 'server',
    type: 'milliseconds',
    min: 0,
    default: 5000,
    help: 'How long running calls may go on after the server was told to stop.',
  },
} as const satisfies Record<string, KeyDefinition>;

export type KeyName = keyof typeof KEYS;

export type BrowserName = (typeof KEYS)['BROWSER']['choices'][number];

export const KEY_NAMES = Object.keys(KEYS) as readonly KeyName[];

export function isKeyName(name: string): name is KeyName {
  return Object.hasOwn(KEYS, name);
}

export function definitionOf(key: KeyName): KeyDefinition {
  return KEYS[key];
}

/** The levels at which the key may be set, widest first. */
export function levelsOf(key: KeyName): readonly SettableLevel[] {
  return LEVELS_OF_SCOPE[KEYS[key].scope];
}
