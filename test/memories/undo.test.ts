import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { foundByWords } from '../support/consolidation.ts';
import { addMemory, decide, decided, searchRows } from '../support/memories.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';

const service = await openTestApp();

/** Moves the discard of a memory back by some days. */
async function discardedDaysAgo({ id }: Memory, days: number): Promise<void> {
  await service.database.query(
    `update memory.memory_item set decided_at = now() - make_interval(secs => $2) where id = $1`,
    [id, days * 86_400],
  );
}

/** A published memory, and one in review that then supersedes it. */
async function superseded(company: SignedIn): Promise<{ old: Memory; successor: Memory }> {
  const old = await addMemory(company, 'published', { content: 'The ocelot sleeps.' });
  const review = await addMemory(company, 'review', { content: 'The lynx wakes.' });
  const decision = { action: 'publish', memoryId: review.id, supersedes: old.id };
  return { old, successor: await decided(company, decision) };
}

const unpublish = ({ id: memoryId }: Memory) => ({ action: 'unpublish', memoryId });

test('reopen puts a memory back into review up to 30 days after it was discarded', async () => {
  const company = await service.company();
  const memory = await addMemory(company, 'discarded', { content: 'The ocelot sleeps.' });
  await discardedDaysAgo(memory, 30.001);
  const reopening = { action: 'reopen', memoryId: memory.id };
  const late = await decide(company, reopening);
  assert.equal(outcome(late), '409 conflict');
  assert.match(late.json<{ detail: string }>().detail, /30 days/);
  await discardedDaysAgo(memory, 29.999);
  const reopened = await decided(company, reopening);
  assert.deepEqual([reopened.state, reopened.content], ['review', 'The ocelot sleeps.']);
  await decided(company, { action: 'publish', memoryId: memory.id });
  assert.deepEqual(await foundByWords(company, 'ocelot'), ['The ocelot sleeps.']);
});

test('unpublish publishes the superseded memory once if it is restored at the same time', async (t) => {
  const company = await service.company();
  const other = await openSecondApp(t, service);
  for (let round = 0; round < 4; round++) {
    const { old, successor } = await superseded(company);
    const restore = { action: 'restore', memoryId: old.id, version: 1 };
    const answers = await Promise.all([
      decide(company, unpublish(successor)),
      decide(via(other, company), restore),
    ]);
    assert.deepEqual(answers.map(outcome), ['200', '200']);
    assert.deepEqual(await foundByWords(company, 'ocelot'), ['The ocelot sleeps.']);
    await decided(company, { action: 'delete', memoryId: old.id });
  }
  assert.equal((await searchRows(service, company)).chunks, 0);
});
