import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { foundByWords } from '../support/consolidation.ts';
import { addMemories, addMemory, decide, listMemories } from '../support/memories.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';

const service = await openTestApp();

const OLD = { title: 'Old', content: 'The ocelot sleeps.' };
const NEW = { title: 'New', content: 'The lynx wakes.' };

/** A memory that waits for review, to take the place of a published one. */
async function addBoth(company: SignedIn) {
  const old = await addMemory(company, 'published', OLD);
  const review = await addMemory(company, 'review', NEW);
  return { old, review };
}

const publish = (memory: Memory, supersedes: string) => ({
  action: 'publish',
  memoryId: memory.id,
  supersedes,
});

describe('concurrent publishes that supersede', () => {
  test('of eight publishes that supersede one memory one succeeds and the others stay in review', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    const old = await addMemory(company, 'published', OLD);
    const reviews = await addMemories(
      company,
      'review',
      Array.from({ length: 8 }, () => NEW),
    );
    const answers = await Promise.all(
      reviews.map((review, n) =>
        decide(via(n % 2 === 0 ? service : other, company), publish(review, old.id)),
      ),
    );
    const won = reviews.filter((_, n) => answers[n]?.statusCode === 200);
    assert.equal(won.length, 1);
    for (const answer of answers) assert.match(outcome(answer), /^(200|409 conflict)$/);
    const [row] = await service.database.query(
      'select superseded_by as by, version from memory.memory_item where id = $1',
      [old.id],
    );
    assert.deepEqual(row, { by: won[0]!.id, version: 2 });
    const listed = await listMemories(company);
    assert.equal(listed.filter(({ state }) => state === 'review').length, 7);
    assert.deepEqual(await foundByWords(company, 'lynx ocelot'), ['The lynx wakes.']);
  });

  test('concurrent decisions on a memory and the one it supersedes do not deadlock', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    for (let n = 0; n < 10; n += 1) {
      const { old, review } = await addBoth(company);
      const answers = await Promise.all([
        decide(company, publish(review, old.id)),
        decide(via(other, company), { action: 'delete', memoryId: old.id }),
        decide(company, { action: 'discard', memoryId: review.id }),
        decide(via(other, company), publish(old, review.id)),
      ]);
      for (const answer of answers) assert.match(outcome(answer), /^(200|409 conflict)$/);
      const changed = answers.filter((answer) => answer.statusCode === 200);
      assert.ok(changed.length === 1 || changed.length === 2);
      const listed = await listMemories(company);
      assert.equal(
        listed.some(({ id }) => id === old.id),
        false,
      );
    }
  });
});
