import { expectedReceipt } from './receipt.mjs';

/** Collects what the pages showed, and every point where that was not what they had to show. */
export class Verdict {
  reads = 0;
  crossTalk = 0;
  receipts = 0;
  problems = [];

  /** A page that `user` read must name that user, and nobody else. */
  checkRead(user, snapshot) {
    this.reads += 1;
    const matches = snapshot.matchAll(/(?:Signed in as|Ordered by|Delivered to) (\w+)/g);
    const seen = [...new Set([...matches].map(([, name]) => name))];
    if (seen.some((name) => name !== user)) this.crossTalk += 1;
    if (seen.join() !== user) {
      this.problems.push(
        `read ${this.reads}: expected a page of ${user}, saw one of ${seen.join(', ') || 'nobody'}`,
      );
    }
  }

  /** A receipt must say exactly what the shopper was to buy. */
  checkReceipt(shopper, { number, user, items, total }) {
    this.receipts += 1;
    const expected = describe(expectedReceipt(shopper));
    const seen = describe({ user, items, total });
    if (seen !== expected) this.problems.push(`receipt ${number}: expected ${expected}; saw ${seen}`);
  }
}

function describe({ user, items, total }) {
  return `${items.join(', ')} for ${total} by ${user}`;
}
