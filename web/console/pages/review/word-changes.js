/** @typedef {import('../../parts/changes.js').Change} Change */

/** The most words, spaces and signs that differ: the time of a comparison grows with the square of their number. */
const MAX_DIFFERENCES = 400;
/** With less than this share of the characters in both, two texts are shown as they are. */
const LEAST_SHARED = 0.25;

/** @param {string} text */
const wordsOf = (text) => text.match(/\s+|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu) ?? [];

/**
 * Compares two texts by words, in the browser, so that a text can be compared while it is edited. The texts of the
 * changes that are not inserted make up `before`, and those that are not deleted make up `after`.
 * @param {string} before
 * @param {string} after
 * @returns {readonly Change[] | null} null if too little is the same for a comparison to help
 */
export function wordChanges(before, after) {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [inA, inB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const steps = shortestScript(inA, inB);
  if (steps === null) return null;
  /** @param {readonly string[]} words @returns {Change[]} */
  const same = (words) => words.map((text) => ({ op: 'equal', text }));
  const changes = joined([...same(a.slice(0, start)), ...steps, ...same(a.slice(a.length - end))]);
  const shared = changes.reduce((sum, { op, text }) => sum + (op === 'equal' ? text.length : 0), 0);
  return shared < LEAST_SHARED * Math.max(before.length, after.length) ? null : changes;
}

/**
 * The fewest insertions and deletions that lead from one list of words to another.
 * Myers, An O(ND) Difference Algorithm and Its Variations, 1986, figure 2.
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 * @returns {Change[] | null} null if there are more than MAX_DIFFERENCES
 */
function shortestScript(a, b) {
  const most = Math.min(a.length + b.length, MAX_DIFFERENCES);
  const middle = most + 1;
  /** How many words of `a` are behind the furthest path on each diagonal. */
  let furthest = new Int32Array(2 * most + 3);
  /** @type {Int32Array[]} */
  const trace = [];
  /** @param {Int32Array} reached @param {number} d @param {number} k */
  const comesDown = (reached, d, k) =>
    k === -d || (k !== d && (reached[middle + k - 1] ?? 0) < (reached[middle + k + 1] ?? 0));
  for (let d = 0; d <= most; d += 1) {
    trace.push(furthest);
    furthest = furthest.slice();
    for (let k = -d; k <= d; k += 2) {
      let x = comesDown(furthest, d, k)
        ? (furthest[middle + k + 1] ?? 0)
        : (furthest[middle + k - 1] ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, trace, { comesDown, middle });
    }
  }
  return null;
}

/**
 * The steps of the path that has reached the end.
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 * @param {readonly Int32Array[]} trace
 * @param {{ comesDown: (reached: Int32Array, d: number, k: number) => boolean, middle: number }} of
 */
function backtrack(a, b, trace, { comesDown, middle }) {
  /** @type {Change[]} */
  const steps = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const reached = trace[d] ?? new Int32Array();
    const k = x - y;
    const isDown = comesDown(reached, d, k);
    const before = d === 0 ? 0 : (reached[middle + k + (isDown ? 1 : -1)] ?? 0);
    const beforeY = d === 0 ? 0 : before - (k + (isDown ? 1 : -1));
    while (x > before + (d > 0 && !isDown ? 1 : 0) && y > beforeY + (d > 0 && isDown ? 1 : 0)) {
      x -= 1;
      y -= 1;
      steps.push({ op: 'equal', text: a[x] ?? '' });
    }
    if (d === 0) break;
    if (isDown) steps.push({ op: 'insert', text: b[beforeY] ?? '' });
    else steps.push({ op: 'delete', text: a[before] ?? '' });
    [x, y] = [before, beforeY];
  }
  return steps.reverse();
}

/**
 * Joins neighbours: what is deleted in one place comes before what is inserted there, also over a space in both.
 * @param {readonly Change[]} steps
 */
function joined(steps) {
  /** @type {Change[]} */
  const changes = [];
  let [deleted, inserted, space] = ['', '', ''];
  /** @param {Change['op']} op @param {string} text */
  function add(op, text) {
    const last = changes.at(-1);
    if (text === '') return;
    if (last?.op === op) last.text += text;
    else changes.push({ op, text });
  }
  function flush() {
    add('delete', deleted);
    add('insert', inserted);
    add('equal', space);
    [deleted, inserted, space] = ['', '', ''];
  }
  for (const { op, text } of steps) {
    if (op === 'equal') {
      if (deleted + inserted !== '' && text.trim() === '') {
        space += text;
      } else {
        flush();
        add('equal', text);
      }
      continue;
    }
    deleted += space + (op === 'delete' ? text : '');
    inserted += space + (op === 'insert' ? text : '');
    space = '';
  }
  flush();
  return changes;
}
