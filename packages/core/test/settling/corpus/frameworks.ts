import type { Row } from '../row.js';

/**
 * Draws as React does: state is set in a batch, work is cut into slices of a few milliseconds through a MessageChannel,
 * the tree is committed at the end, effects run after the paint.
 */
const SLICED = `
  const { port1, port2 } = new MessageChannel();
  const work = [];
  let tick = 0;
  port1.onmessage = () => {
    const end = performance.now() + 5;
    while (work.length && performance.now() < end) work.shift()();
    if (work.length) port2.postMessage(0);
  };
  const schedule = (task) => { if (work.push(task) === 1) port2.postMessage(0); };
  const slots = [];
  let slot, drawn, effects;
  const useState = (first) => {
    const own = slot++;
    slots[own] ??= first;
    return [slots[own], (value) => { slots[own] = value; if (!drawn) return; drawn = false; schedule(render); }];
  };
  const useEffect = (effect, inputs) => {
    const own = slot++;
    if (slots[own]?.join() === inputs.join()) return;
    slots[own] = inputs;
    effects.push(effect);
  };
  const render = () => {
    slot = 0;
    effects = [];
    const lines = App();
    for (const line of lines) schedule(() => { const end = performance.now() + 2; while (performance.now() < end); });
    schedule(() => {
      element("out").replaceChildren(...lines.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
      drawn = true;
      const ran = effects;
      requestAnimationFrame(() => schedule(() => ran.forEach((effect) => effect())));
    });
  };
  schedule(render);`;

/** Updates as Vue does: changes mark what depends on them, one flush in a microtask draws it all, nextTick comes after. */
const REACTIVE = `
  const dirty = new Set();
  let flushing;
  const nextTick = (then) => (flushing ?? Promise.resolve()).then(then);
  const flush = () => { for (const draw of dirty) { dirty.delete(draw); draw(); } flushing = undefined; };
  let active;
  const reactive = (record) => {
    const dependents = {};
    return new Proxy(record, {
      get(target, key) { if (active) (dependents[key] ??= new Set()).add(active); return target[key]; },
      set(target, key, value) {
        target[key] = value;
        for (const draw of dependents[key] ?? []) dirty.add(draw);
        if (dirty.size) flushing ??= Promise.resolve().then(flush);
        return true;
      },
    });
  };
  const watchEffect = (effect) => { const draw = () => { active = draw; try { effect(); } finally { active = undefined; } }; draw(); };
  const line = (text) => { const p = document.createElement("p"); watchEffect(() => { p.textContent = text(); }); element("out").append(p); };`;

const ITEMS = 'Array.from({ length: 40 }, (_, n) => "item " + n)';

export const FRAMEWORKS: readonly Row[] = [
  {
    name: 'sliced rendering of a counter',
    script: `${SLICED} let set; const App = () => { const [count, setCount] = useState(0); set = () => setCount(count + 1); return ["count " + count]; }; onGo(() => set())`,
    shows: 'count 1',
  },
  {
    name: 'sliced rendering of a long list',
    script: `${SLICED} let open; const App = () => { const [isOpen, setOpen] = useState(false); open = () => setOpen(true); return isOpen ? [...${ITEMS}, "done"] : ["closed"]; }; onGo(() => open())`,
  },
  {
    name: 'sliced rendering with an effect that fetches',

    script: `${SLICED} let choose; const App = () => { const [id, setId] = useState(0); const [text, setText] = useState("nothing"); choose = () => setId(7); useEffect(() => { if (id) fetched("data?after=200").then(setText); }, [id]); return ["id " + id, text]; }; onGo(() => choose())`,
  },
  {
    name: 'sliced rendering with three effects in a row',
    script: `${SLICED} let begin; const App = () => { const [step, setStep] = useState(0); begin = () => setStep(1); useEffect(() => { if (step && step < 4) setTimeout(setStep, 60, step + 1); }, [step]); return ["step " + step]; }; onGo(() => begin())`,
    shows: 'step 4',
  },
  {
    name: 'sliced rendering that goes to a route it loads',
    files: { 'route.js': 'export const lines = ["route", "done"];' },
    script: `${SLICED} let go; const App = () => { const [lines, setLines] = useState(["home"]); go = async () => { setLines(["loading"]); history.pushState({}, "", "route"); const route = await import("./route.js?after=200"); setLines(route.lines); }; return lines; }; onGo(() => go())`,
    lacks: 'loading',
  },
  {
    name: 'reactive state in one flush',
    script: `${REACTIVE} const state = reactive({ count: 0, name: "nobody" }); line(() => state.name + " " + state.count); onGo(() => { state.count++; state.count++; state.name = "done"; })`,
    shows: 'done 2',
  },
  {
    name: 'reactive state and nextTick',

    script: `${REACTIVE} const state = reactive({ open: false, focus: "" }); line(() => state.open ? "open" : "closed"); line(() => state.focus); onGo(async () => { state.open = true; await nextTick(); state.focus = element("out").textContent.includes("open") ? "done" : "early"; })`,
  },
  {
    name: 'reactive state that a watcher fetches for',
    script: `${REACTIVE} const state = reactive({ id: 0, text: "nothing" }); line(() => state.text); watchEffect(() => { if (state.id) fetched("data?after=250").then((text) => { state.text = text; }); }); onGo(() => { state.id = 7; })`,
  },
  {
    name: 'reactive state with a transition',
    html: '<div id="panel" style="opacity: 0; transition: opacity 200ms">panel</div>',
    script: `${REACTIVE} const state = reactive({ stage: "before" }); line(() => state.stage); onGo(async () => { state.stage = "entering"; await nextTick(); requestAnimationFrame(() => { const panel = element("panel"); panel.style.opacity = 1; panel.addEventListener("transitionend", () => { state.stage = "done"; }); }); })`,
  },
  {
    name: 'a custom element that draws when it is connected',

    script:
      'customElements.define("own-line", class extends HTMLElement { async connectedCallback() { await null; this.textContent = "done"; } }); onGo(() => element("out").append(document.createElement("own-line")))',
  },
  {
    name: 'a custom element that is defined late',
    html: '<late-line>raw</late-line>',
    files: {
      'late.js':
        'customElements.define("late-line", class extends HTMLElement { connectedCallback() { this.textContent = "done"; } });',
    },
    script: 'onGo(() => import("./late.js?after=200"))',
  },
  {
    name: 'a shadow tree that fetches',
    script:
      'customElements.define("own-box", class extends HTMLElement { connectedCallback() { const root = this.attachShadow({ mode: "open" }); root.innerHTML = "<p>loading</p>"; fetched("data?after=200").then((text) => { root.querySelector("p").textContent = text; }); } }); onGo(() => element("out").append(document.createElement("own-box")))',
    lacks: 'loading',
  },
  {
    name: 'an element with a template and slots',
    html: '<template id="card"><h2><slot></slot></h2></template>',
    script:
      'customElements.define("own-card", class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).append(element("card").content.cloneNode(true)); requestAnimationFrame(() => this.append("done")); } }); onGo(() => element("out").append(document.createElement("own-card")))',
  },
];
