/**
 * In what one answer may differ from the other. A rule holds for a call when both patterns are found; then what they
 * match counts as equal, and nothing else does. A rule that no call meets fails the suite.
 */
export interface IntendedDifference {
  readonly id: string;
  readonly why: string;
  /** The tools it holds for; all of them if left out. */
  readonly tools?: readonly string[];
  /** It depends on a race, and need not occur. */
  readonly sometimes?: true;
  /** What a group `kept` matches is compared all the same. */
  readonly expected: RegExp;
  readonly received: RegExp;
}

/** In what pwpool (received) means to answer other than upstream (expected). */
export const DIFFERENCES_TO_UPSTREAM: readonly IntendedDifference[] = [
  {
    id: 'snapshot-in-the-answer',
    why:
      'What a page shows after an action is what the next one is chosen by: a small snapshot stands in the answer, which ' +
      'saves a second call and a file. SNAPSHOT_INLINE_KB=0 restores the link.',
    expected: /(?<=\n### Snapshot\n)- \[Snapshot\]\(.*\.yml\)(?:\n(?=\n### ))?(?<kept>[\s\S]*?)(?=\n### |$)/,
    received: /(?<=\n### Snapshot\n)```yaml(?:\n(?=\n```))?(?<kept>[\s\S]*?)\n```(?=\n|$)/,
  },
  {
    id: 'close-without-code',
    why:
      'browser_close closes all pages of a session, and its browser is kept for who comes next. The line of code ' +
      'that upstream prints closes one page, which is not what was done.',
    tools: ['browser_close'],
    expected: /\n### Ran Playwright code\n```js\nawait page\.close\(\)\n```$/,
    received: /$/,
  },
  {
    id: 'absolute-paths',
    why:
      'Sub-agents of one client work in directories of their own: a path relative to the root, as upstream gives it, ' +
      'leads nowhere there. FILE_PATHS=relative restores it.',
    expected: /(?<=[( '])\.\/(?=[\w-]+\.\w+)/g,
    received: /(?<=[( '])<directory>\/root\/(?=[\w-]+\.\w+)/g,
  },
  {
    id: 'own-file',
    why: 'Of two sessions that name the same file, the later one gets another: nothing is overwritten.',
    sometimes: true,
    expected: /(?<=<absolute-paths>[a-z]+)(?=\.\w+)/g,
    received: /(?<=<absolute-paths>[a-z]+)-2(?=\.\w+)/g,
  },
  {
    id: 'told-of-own-file',
    why: 'It is told so in one line.',
    sometimes: true,
    expected: /$/,
    received: /\n.* is not of this session and was kept: this is in .*$/,
  },
  {
    id: 'own-folder',
    why: 'What a session writes without saying where lies in a folder of its own, so that two sessions never meet.',
    expected: /(?<=")\.playwright-mcp\/(?=report\.txt")/g,
    received: /(?<=")<directory>\/root\/\.pwpool\/[\w-]+\/(?=report\.txt")/g,
  },
  {
    id: 'told-of-ignored',
    why: 'Upstream passes over an argument that it does not know in silence; the model that gave it should learn so.',
    expected: /$/,
    received: /\n+.*ignored.*$/,
  },
  {
    id: 'own-configuration',
    why: 'The configuration of a session is that of its instance.',
    tools: ['browser_get_config'],
    expected: /(?<=^### Result\n)[\s\S]*$/m,
    received: /(?<=^### Result\n)[\s\S]*$/m,
  },
  {
    id: 'missing-file',
    why: 'A file that is not there is refused before it is given to the page: there is no code that ran.',
    tools: ['browser_file_upload'],
    expected: /\n### Ran Playwright code\n```js\n.*missing\.txt.*\n```(?=\n)/,
    received: /(?<=^failed)(?=\n)/,
  },
  {
    id: 'version-console-totals',
    why: 'Playwright 1.65: the totals count the messages since the session began when `all` asks for those.',
    tools: ['browser_console_messages'],
    expected: /Total messages: 0 \(Errors: 0, Warnings: 0\)/,
    received: /Total messages: 8 \(Errors: 3, Warnings: 1\)/,
  },
  {
    id: 'large-image-as-artifact',
    why: 'A large image floods the context, and clients cut or refuse it: it is a resource, and a line says how to read it.',
    tools: ['browser_take_screenshot'],
    expected: /\(PNG of \d+ by \d+\)$/,
    received: /The image \(\d+ KB\) is not shown here: read blob:\/\/[0-9a-f]{64} or that file\.$/,
  },
  {
    id: 'trace-as-one-file',
    why: 'A trace is one file that the viewer opens, written when it is stopped.',
    tools: ['browser_start_tracing'],
    expected:
      /(?<=^Trace recording started)\n- \[Action log\].*\n\(a file\)\n- \[Network log\].*\n\(a file\)\n- \[Resources\].*$/m,
    received: /(?<=^Trace recording started)$/m,
  },
  {
    id: 'trace-to-open',
    why: 'It is linked with the command that shows it.',
    tools: ['browser_stop_tracing'],
    expected:
      /- \[Trace\].*\.trace\)\n\(a file\)\n- \[Network log\].*\n\(a file\)\n- \[Resources\]\(\.playwright-mcp\/traces\/resources\)$/m,
    received: /- \[Trace\]\(.*\/trace-<time>\.zip\), to open with "npx playwright show-trace"\n\(ZIP\)$/m,
  },
];

/** In what a tool is listed other than by upstream: Playwright 1.65.1 is newer than 0.0.83's 1.64, or pwpool adds to it. */
export const LISTED_DIFFERENTLY: Readonly<Record<string, string>> = {
  browser_cookie_delete: 'takes `domain` and `path`',
  browser_find: 'takes `maxResults`',
  browser_navigate: 'takes what is to be shown of the page',
  browser_network_requests: 'takes `all`',
  browser_snapshot: 'takes what is to be shown of the page',
  browser_tabs: 'takes `isolatedContext`',
  browser_take_screenshot: 'is described with the tools of the vision capability',
  browser_wait_for: 'waits for `text` or `textGone`, and takes `time` as their limit',
};

/** In what one of two sessions (received) means to answer other than the other one (expected); either may be the later. */
export const DIFFERENCES_BETWEEN_SESSIONS: readonly IntendedDifference[] = [
  {
    id: 'own-file',
    why: 'Of two sessions that name the same file, the later one gets another: nothing is overwritten.',
    sometimes: true,
    expected: /(?<=<directory>\/root\/[a-z]+)(?:-2)?(?=\.\w+)/g,
    received: /(?<=<directory>\/root\/[a-z]+)(?:-2)?(?=\.\w+)/g,
  },
  {
    id: 'told-of-own-file',
    why: 'It is told so in one line.',
    sometimes: true,
    expected: /(?:\n.* is not of this session and was kept: this is in .*)?$/,
    received: /(?:\n.* is not of this session and was kept: this is in .*)?$/,
  },
  {
    id: 'page-of-a-failed-load',
    why: 'Chromium shows its page of errors a moment after the load has failed.',
    sometimes: true,
    tools: ['browser_navigate'],
    expected: /^Page URL: (chrome-error:\/\/chromewebdata\/|about:blank)$/m,
    received: /^Page URL: (chrome-error:\/\/chromewebdata\/|about:blank)$/m,
  },
  {
    id: 'own-folder',
    why: 'Each session has a folder of its own for what it writes without saying where.',
    expected: /(?<=\/root\/\.pwpool\/)browser-\d+/g,
    received: /(?<=\/root\/\.pwpool\/)alice/g,
  },
];
