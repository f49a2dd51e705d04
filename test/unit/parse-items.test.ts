import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseItems } from '../../core/consolidation/items.ts';
import { countTurns } from '../support/count-turns.ts';

test('the event loop turns between the items of a complete', async (t) => {
  let now = 0;
  // Each look at the clock is a second later, so every item is a long step.
  t.mock.method(performance, 'now', () => (now += 1000));
  const item = { captureIds: ['a'], action: 'discard' as const, metadata: { a: [1, 2] } };
  const items = Array.from({ length: 40 }, () => item);
  const turns = await countTurns(async () => {
    assert.equal((await parseItems(items, 'model')).length, 40);
  });
  assert.ok(turns >= 40, `${turns} turns`);
});
