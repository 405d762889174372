/** What a script that looks for automation can find out in a page, as data. It is compared with what it finds in a plain one. */
export const DETECTION = `
  const NATIVE = [
    'setTimeout', 'setInterval', 'clearTimeout', 'requestAnimationFrame', 'requestIdleCallback', 'queueMicrotask', 'fetch',
    'XMLHttpRequest', 'WebSocket', 'EventSource', 'Worker', 'MessageChannel', 'MutationObserver', 'PerformanceObserver',
    'Promise', 'Date', 'Proxy', 'open', 'alert', 'postMessage', 'addEventListener',
  ];
  const METHODS = [
    ['EventTarget', 'addEventListener'], ['EventTarget', 'dispatchEvent'], ['XMLHttpRequest', 'send'], ['XMLHttpRequest', 'open'],
    ['Node', 'appendChild'], ['Element', 'attachShadow'], ['Element', 'animate'], ['History', 'pushState'], ['HTMLFormElement', 'submit'],
    ['Promise', 'then'], ['Function', 'toString'], ['MessagePort', 'postMessage'],
  ];
  const look = (object, key) => {
    if (!object || !(key in object)) return 'none';
    const value = object[key];
    const own = Object.getOwnPropertyDescriptor(object, key);
    return [
      Function.prototype.toString.call(value), String(value), value.name, value.length,
      Object.getOwnPropertyNames(value).sort().join(), Object.getPrototypeOf(value) === object.Function?.prototype,
      own && [own.writable, own.enumerable, own.configurable, typeof own.get].join(), 'prototype' in value,
    ].join(' | ');
  };
  const natives = (realm) => [
    ...NATIVE.map((name) => name + ': ' + look(realm, name)),
    ...METHODS.map(([type, name]) => type + '.' + name + ': ' + look(realm[type]?.prototype, name)),
  ];
  const names = (object) => Object.getOwnPropertyNames(object).concat(Object.getOwnPropertySymbols(object).map(String)).sort();
  // Whoever works through the page's own functions is written down.
  const calls = [];
  const record = (object, key) => {
    const own = object[key];
    object[key] = function (...args) { calls.push(key + ' ' + (typeof args[0] === 'string' ? args[0] : '')); return Reflect.apply(own, this, args); };
  };
  const inWorker = async () => {
    const source = 'const look = ' + look + '; postMessage([...Object.getOwnPropertyNames(self).sort(), look(self, "setTimeout"), look(self, "fetch"), String(navigator.webdriver)])';
    const worker = new Worker(URL.createObjectURL(new Blob([source])));
    return await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
  };
  const inFrame = async () => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const found = [natives(frame.contentWindow), names(frame.contentWindow), String(frame.contentWindow.navigator.webdriver)];
    frame.remove();
    return found;
  };
  const stacks = async () => {
    const clean = () => new Error('where').stack.replaceAll(location.origin, '');
    return [
      await new Promise((resolve) => setTimeout(() => resolve(clean()), 20)),
      await new Promise((resolve) => requestAnimationFrame(() => resolve(clean()))),
      await fetch('data').then(clean),
      await new Promise((resolve) => { new MutationObserver((_, observer) => { observer.disconnect(); resolve(clean()); }).observe(document.body, { attributes: true }); document.body.dataset.x = 1; }),
    ];
  };
  const inspected = () => {
    let reads = 0;
    const bait = Object.defineProperty(new Error(), 'stack', { get() { reads++; return ''; } });
    console.debug(bait);
    console.log(Object.defineProperty(document.createElement('i'), 'id', { get() { reads++; return ''; } }));
    return reads;
  };
  const changes = [];
  let seen;
  const before = natives(window);
  const nodes = () => [...document.querySelectorAll('*')].map(({ outerHTML }) => outerHTML.length);
  addEventListener('load', () => {
    new MutationObserver((records) => changes.push(...records.map(({ type, target }) => type + ' ' + target.nodeName))).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  onGo(async () => {
    const own = { setTimeout, fetch, requestAnimationFrame, MutationObserver };
    const afterClick = natives(window);
    const found = { before, afterClick, names: names(window), documentNames: names(document), prototypes: names(Document.prototype), webdriver: navigator.webdriver, inspected: inspected(), stacks: await stacks(), frame: await inFrame(), worker: await inWorker() };
    changes.length = 0;
    for (const key of ['setTimeout', 'setInterval', 'requestAnimationFrame', 'requestIdleCallback', 'fetch', 'queueMicrotask', 'postMessage']) record(window, key);
    record(EventTarget.prototype, 'addEventListener');
    record(EventTarget.prototype, 'dispatchEvent');
    seen = { ...found, nodes: nodes() };
    Object.assign(window, { report: () => JSON.stringify({ ...seen, calls, changes, after: names(window), nodesAfter: nodes(), html: document.documentElement.outerHTML.length }) });
  });
`;
