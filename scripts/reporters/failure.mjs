/** So much is told of a message, and of each line that differs. */
const LENGTH = 200;
const MAX_CHANGES = 8;
/** So much is told of what two long lines begin with alike. */
const LEAD = 20;

/**
 * A failure as `npm test` sums it up: `{ test, reason, changes }`. What an assertion says by itself is the end of its
 * message: a text that the test gave it, which may be a page long, comes before that.
 * @param diff of the values, as Vitest prints it
 */
export function failure(test, { message = 'no reason given', diff = '' }) {
  return {
    test,
    reason: cutInside(message.replace(/\s+/g, ' ').trim()),
    changes: changesOf(diff).slice(0, MAX_CHANGES),
  };
}

/** The lines with a sign; of lines that take each other's place, what comes after their common beginning. */
function changesOf(diff) {
  // Strings of one line are told by words.
  const signed = diff.replace(/^Expected: /m, '- ').replace(/^Received: /m, '+ ');
  const blocks = signed.match(/(?:^[-+] .*\n?)+/gm) ?? [];
  return blocks.flatMap((block) => {
    const lines = block.trimEnd().split('\n');
    const [removed, added] = ['-', '+'].map((sign) => lines.filter((line) => line.startsWith(sign)));
    return lines
      .filter((line) => !/^[-+] (Expected|Received):?$/.test(line))
      .map((line) => {
        const [own, others] = line.startsWith('-') ? [removed, added] : [added, removed];
        return cutEnds(line, lengthAlike(line.slice(1), others[own.indexOf(line)]?.slice(1) ?? ''));
      });
  });
}

function lengthAlike(one, other) {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function cutEnds(line, alike) {
  const rest = alike > 2 * LEAD ? `${line[0]} …${line.slice(1 + alike - LEAD)}` : line;
  return rest.length > LENGTH ? `${rest.slice(0, LENGTH)}…` : rest;
}

function cutInside(text) {
  return text.length > LENGTH ? `${text.slice(0, LENGTH / 2)} … ${text.slice(-LENGTH / 2)}` : text;
}
