import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseItems } from '../../core/consolidation/items.ts';

test('the event loop turns between the items of a complete', async (t) => {
  let now = 0;
  // Each look at the clock is a second later, so every item is a long step.
  t.mock.method(performance, 'now', () => (now += 1000));
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  t.after(() => clearImmediate(next));
  const item = { captureIds: ['a'], action: 'discard' as const, metadata: { a: [1, 2] } };
  const parsed = await parseItems(
    Array.from({ length: 40 }, () => item),
    'model',
  );
  assert.equal(parsed.length, 40);
  assert.ok(turns >= 40, `${turns} turns`);
});
