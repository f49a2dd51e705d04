import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { addCaptures } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import {
  foundByWords,
  type GivenItem,
  keep,
  type Lent,
  lend,
  openBatches,
  traces,
} from '../support/consolidation.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { outcome } from '../support/sign-in.ts';
import { along, type Caller, CLAIM } from '../support/team.ts';

const service = await openTestApp();

const OLD = 'The ocelot sleeps by day.';

/** Items of each kind, of which the first takes the place of a memory. */
const itemsOf = ({ captureIds }: Lent, supersedes: string): GivenItem[] => [
  { captureIds, action: 'publish', title: 'a', content: 'The puma climbs.', supersedes },
  { captureIds, action: 'discard' },
  { captureIds, action: 'review', title: 'b', content: 'The lynx wakes.' },
  { captureIds, action: 'publish', title: 'c', content: 'A gibbon.', embedding: along(7), ...CLAIM },
];
const KEY = { 'idempotency-key': 'once' };
const REQUESTS = {
  claim: (caller: Caller) => caller.ask.claimCaptures({}),
  release: (caller: Caller, { batchId }: Lent) => caller.ask.releaseBatch({ batchId }),
  complete: (caller: Caller, lent: Lent, old: string) =>
    caller.ask.completeCaptures({ batchId: lent.batchId, items: itemsOf(lent, old) }, KEY),
};

for (const [what, statement, nth] of [
  ['claim', 'insert into memory.consolidation_batch', 1],
  ['claim', 'insert into memory.audit_event', 1],
  ['release', 'memory.return_captures', 1],
  ['release', 'insert into memory.audit_event', 1],
  ['complete', 'insert into memory.memory_item', 3],
  ['complete', 'update memory.capture set', 1],
  ['complete', 'update memory.consolidation_batch set', 1],
] as const) {
  test(`a ${what} changes nothing if the database fails at "${statement}"`, async (t) => {
    const company = await service.company();
    const { memoryId } = await keep(company, { content: OLD });
    const lent = await lend(company, [null, null]);
    await addCaptures(service, company, 3);
    const before = [await traces(service, company), await openBatches(company)];
    let seen = 0;
    const app = await openFailingApp(t, service, (text) => {
      if (text.includes(statement)) seen += 1;
      return seen === nth ? databaseError('58030') : null;
    });
    assert.equal(outcome(await REQUESTS[what](via({ app }, company), lent, memoryId)), '500 internal_error');
    assert.equal(seen, nth);
    assert.deepEqual([await traces(service, company), await openBatches(company)], before);
    assert.deepEqual(await foundByWords(company, 'ocelot puma gibbon'), [OLD]);
    // Its key is free too.
    assert.equal(outcome(await REQUESTS[what](company, lent, memoryId)), '200');
  });
}
