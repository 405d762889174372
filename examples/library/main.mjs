import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { BrowserPools, textOf } from '@pwpool/core';

// A page that counts the visits of each browser, which it knows by a cookie. Two browsers that share nothing count apart.
const visits = new Map();
const server = createServer((request, response) => {
  const visitor = request.headers.cookie ?? `visitor=${randomUUID()}`;
  visits.set(visitor, (visits.get(visitor) ?? 0) + 1);
  response.setHeader('set-cookie', `${visitor}; HttpOnly; SameSite=Lax`);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(
    `<!doctype html><title>Counter</title><link rel="icon" href="data:,"><h1>Visit ${visits.get(visitor)}</h1>`,
  );
});

/** Leases a browser, loads the page `times` times and answers what the headings said. */
async function visit(pools, url, times) {
  const work = async ({ page, lease }) => {
    const headings = [];
    for (let count = 0; count < times; count += 1) {
      await page.goto(url); // Playwright's own Page
      headings.push(await page.getByRole('heading').textContent());
    }
    const snapshot = await lease.callTool('browser_snapshot'); // the tools see the same page
    assert.match(textOf(snapshot), new RegExp(`heading "Visit ${times}"`));
    console.log(`${lease.pool}/${lease.instance} saw ${headings.join(', ')}`);
    return headings;
  };
  return await pools.use(work, { signal: AbortSignal.timeout(30_000) });
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
try {
  const pools = await BrowserPools.create({
    pools: { DEFAULT: { instances: 2, isDefault: true, lazy: true, isolated: true } },
  });
  try {
    const url = `http://127.0.0.1:${server.address().port}/`;
    const [first, second] = await Promise.all([visit(pools, url, 3), visit(pools, url, 2)]);
    assert.deepEqual(first, ['Visit 1', 'Visit 2', 'Visit 3']);
    assert.deepEqual(second, ['Visit 1', 'Visit 2']);
    console.log('Neither browser saw the visits of the other.');
  } finally {
    await pools.close();
  }
} finally {
  server.close();
  server.closeAllConnections();
}
