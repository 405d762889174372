// Preloaded into the server: what is left after a collection shows whether it grows, not what V8 has yet to collect.
setInterval(globalThis.gc, 5_000).unref();
