import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePorts } from '../../driver/fixtures/browsers.js';

/** A page on which everything can be failed on. */
const PAGE = `<!doctype html><title>Faults</title>
  <button>A</button><button>B</button>
  <button id="far" style="position: fixed; left: -9999px">Far</button>
  <div style="height: 40px"><button id="moving" style="position: absolute">Moving</button></div>
  <button id="gone" onmouseover="this.remove()">Gone</button>
  <div style="position: relative; width: 300px; height: 90px">
    <button id="buy" style="position: absolute">Buy now</button>
    <div role="dialog" aria-label="Cookies" style="position: absolute; inset: 0; background: white">
      <p>We use cookies.</p><button>Accept all</button><button>Reject</button>
    </div>
  </div>
  <div style="position: relative; width: 200px; height: 50px">
    <button id="covered" style="position: absolute">Covered</button>
    <div id="overlay" style="position: absolute; inset: 0">Loading…</div>
  </div>
  <button aria-controls="menu" aria-expanded="false">Account</button>
  <div id="menu" style="display: none"><a href="#out">Sign out</a></div>
  <details><summary>Shipping</summary><button>Choose a carrier</button></details>
  <form><input aria-label="Email" required> <button id="disabled" disabled>Subscribe</button></form>
  <p id="text">Text</p>
  <button id="save">Save draft</button> <button>Save a copy</button>
  <input id="readonly" readonly> <input id="number" type="number"> <input id="box" type="checkbox">
  <select id="select" aria-label="Size"><option>One</option><option>Two</option></select>
  <button id="alert" onclick="alert('Sure?')">Alert</button>
  <button id="prompt" onclick="prompt('Your name?')">Prompt</button>
  <input id="file" type="file">
  <script>
    let x = 0;
    (function move() { moving.style.left = (x++ % 300) + 'px'; requestAnimationFrame(move); })();
    // It has an id, for the sake of nothing.
    function boom() {
      throw new TypeError('The cart is empty');
    }
  </script>`;

export interface FailingSite extends AsyncDisposable {
  host: string;
  /** Where nobody listens. */
  closed: string;
}

/** A server of that page, and of addresses that open none. */
export async function startFailingSite(): Promise<FailingSite> {
  const server = createServer((request, response) => {
    if (request.url === '/hang') return;
    if (request.url === '/cut') return void request.socket.destroy();
    if (request.url === '/empty') return void response.writeHead(204).end();
    if (request.url === '/round') return void response.writeHead(302, { location: '/round' }).end();
    response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
  });
  return {
    host: await listen(server),
    closed: `127.0.0.1:${await freePorts()}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
