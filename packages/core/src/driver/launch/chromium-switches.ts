/** Without these a Debian or vendor Chromium tries to reach its maker's hosts at each start. */
const QUIET = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/**
 * What Playwright 1.65.1 switches off. Chromium heeds only the last `--disable-features`, so they have to be in ours;
 * `chromium-switches.browser.test.ts` compares them with a launch of Playwright's own.
 */
export const DISABLED_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/**
 * The suggestions below the address bar are a page of their own in Chromium 156: a renderer process of 41 MiB for each
 * context, of which no agent sees anything.
 */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/**
 * The renderer process that Chromium keeps in reserve is for one context, the one that navigated last: beside others it
 * is thrown away and started again with each of their navigations (decision 0250).
 */
const SPARE_RENDERER = ['SpareRendererForSitePerProcess'];

/**
 * `navigator.webdriver` is false, as in the browsers of upstream's own server (mcp/config.ts): some sites lock out
 * whoever sets it.
 */
const NOT_AUTOMATED = '--disable-blink-features=AutomationControlled';

/** With `ALLOW_EXTERNAL=false`: no other host has an address, whoever asks for it [002-security-01]. */
export const LOCAL_ONLY_SWITCH =
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1';

const DISABLE_FEATURES = '--disable-features=';

/** What pwpool adds to the command line of a browser of the Chromium family. */
export const CHROMIUM_SWITCHES: readonly string[] = [
  ...QUIET,
  NOT_AUTOMATED,
  `${DISABLE_FEATURES}${[...DISABLED_BY_PLAYWRIGHT, ...ADDRESS_BAR, ...SPARE_RENDERER].join(',')}`,
];

/** Those, and the switches that somebody gives, whose disabled features add up. */
export function chromiumSwitches(given: readonly string[] = []): string[] {
  const features = given.filter((each) => each.startsWith(DISABLE_FEATURES));
  const others = given.filter((each) => !each.startsWith(DISABLE_FEATURES));
  const added = features.map((each) => `,${each.slice(DISABLE_FEATURES.length)}`).join('');
  return [
    ...CHROMIUM_SWITCHES.map((each) => (each.startsWith(DISABLE_FEATURES) ? each + added : each)),
    ...others,
  ];
}
