import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { foundByMeaning, foundByWords } from '../support/consolidation.ts';
import { addMemory, decide, decided, listMemories, readSource, searchRows } from '../support/memories.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { along, CLAIM } from '../support/team.ts';

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

describe('GET /v1/memory/memories of one state', () => {
  test('lists only the memories of the state, and without a state those in review and published ones', async () => {
    const company = await service.company();
    const states = ['review', 'published', 'discarded', 'archived'] as const;
    const ids: Record<string, string> = {};
    for (const state of states) ids[state] = (await addMemory(company, state)).id;
    for (const state of states) {
      assert.deepEqual(column(await listMemories(company, `?state=${state}`), 'id'), [ids[state]]);
    }
    assert.deepEqual(column(await listMemories(company), 'id'), [ids['published'], ids['review']]);
  });
});

describe('reopen', () => {
  test('puts a memory back into review up to 30 days after it was discarded', async () => {
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

  test('counts the 30 days from the last discard', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'discarded');
    await discardedDaysAgo(memory, 29);
    const reopening = { action: 'reopen', memoryId: memory.id };
    await decided(company, reopening);
    await decided(company, { action: 'discard', memoryId: memory.id });
    assert.equal((await decided(company, reopening)).state, 'review');
  });
});

describe('unpublish', () => {
  test('keeps the source, which no search finds, until the memory is published again', async () => {
    const company = await service.company();
    const given = {
      title: 'Cats',
      content: 'The ocelot sleeps.',
      tags: ['cat'],
      embedding: along(3),
      ...CLAIM,
    };
    const memory = await addMemory(company, 'published', given);
    const withdrawn = await decided(company, unpublish(memory));
    assert.equal(withdrawn.state, 'review');
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
    assert.deepEqual(await foundByMeaning(company, along(3)), []);
    assert.deepEqual(await searchRows(service, company), { chunks: 0, terms: 0, vectors: 0, pending: 0 });
    assert.equal((await readSource(company, memory)).state, 'archived');

    const again = await decided(company, { action: 'publish', memoryId: memory.id });
    assert.deepEqual(
      [again.state, again.sourceId, again.content, again.tags, again.version],
      ['published', memory.sourceId, 'The ocelot sleeps.', ['cat'], 3],
    );
    const source = await readSource(company, again);
    assert.deepEqual([source.state, source.title, source.chunks.length], ['active', 'Cats', 1]);
    assert.deepEqual(await foundByWords(company, 'ocelot'), ['The ocelot sleeps.']);
  });

  test('publishes the superseded memory again, with an event of its own', async () => {
    const company = await service.company();
    const { old, successor } = await superseded(company);
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
    const { events } = await recordedBy(service, company, async () => {
      await decided(company, unpublish(successor));
    });
    assert.deepEqual(
      events.map(({ kind, subjectId }) => [kind, subjectId]).sort(),
      [
        ['memory.restore', old.id],
        ['memory.unpublish', successor.id],
      ].sort(),
    );
    assert.deepEqual(await foundByWords(company, 'lynx'), []);
    assert.deepEqual(await foundByWords(company, 'ocelot'), ['The ocelot sleeps.']);
    const [review, published] = await listMemories(company);
    assert.deepEqual([review?.state, review?.supersedes], ['review', null]);
    assert.deepEqual(
      [published?.state, published?.supersededBy, published?.sourceId],
      ['published', null, old.sourceId],
    );

    await decided(company, { action: 'publish', memoryId: successor.id, supersedes: old.id });
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
    await decided(company, unpublish(successor));
    assert.deepEqual(await foundByWords(company, 'ocelot'), ['The ocelot sleeps.']);
  });

  test('leaves the superseded memory archived if it was restored and deleted since', async () => {
    const company = await service.company();
    const { old, successor } = await superseded(company);
    await decided(company, { action: 'restore', memoryId: old.id, version: 1 });
    await decided(company, { action: 'delete', memoryId: old.id });
    const { events } = await recordedBy(service, company, async () => {
      await decided(company, unpublish(successor));
    });
    assert.deepEqual(column(events, 'kind'), ['memory.unpublish']);
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
  });

  test('publishes the superseded memory once if it is restored at the same time', async (t) => {
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

  test('returns 409 for another version, and changes neither memory', async () => {
    const company = await service.company();
    const { successor } = await superseded(company);
    const answer = await decide(company, { ...unpublish(successor), version: 1 });
    assert.equal(outcome(answer), '409 version_conflict');
    assert.deepEqual(await foundByWords(company, 'lynx'), ['The lynx wakes.']);
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
  });

  test('works in a list of decisions, together with the other actions', async () => {
    const company = await service.company();
    const { old, successor } = await superseded(company);
    const answer = await decide(company, {
      decisions: [
        unpublish(successor),
        { action: 'discard', memoryId: successor.id },
        { action: 'reopen', memoryId: successor.id },
        { action: 'restore', memoryId: old.id, version: 1 },
        { action: 'reopen', memoryId: old.id },
      ],
    });
    const { results } = answer.json<{ results: { memory?: Memory; problem?: { code: string } }[] }>();
    assert.deepEqual(
      results.map(({ memory, problem }) => memory?.state ?? problem?.code),
      ['review', 'discarded', 'review', 'published', 'conflict'],
    );
  });
});
