import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { recordedBy } from '../support/company.ts';
import { foundByWords } from '../support/consolidation.ts';
import {
  addMemories,
  addMemory,
  decide,
  decided,
  listMemories,
  readSource,
  searchRows,
} from '../support/memories.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';

const service = await openTestApp();

/** How often each outcome came. */
function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

describe('concurrent decisions on one memory', () => {
  test('of twenty updates with the same version one succeeds, and the others change nothing', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    const { id: memoryId } = await addMemory(company, 'published');
    const race = async (version: number) => {
      const texts = Array.from({ length: 20 }, () => `The ocelot ${newId()}.`);
      const answers = await Promise.all(
        texts.map((content, n) => {
          const decision = { action: 'update', memoryId, version, title: content, content };
          return decide(via(n % 2 === 0 ? service : other, company), decision);
        }),
      );
      assert.deepEqual(tally(answers.map(outcome)), { '200': 1, '409 version_conflict': 19 });
      const won = answers.find((answer) => answer.statusCode === 200)!.json<{ memory: Memory }>().memory;
      const [listed] = await listMemories(company);
      assert.deepEqual(
        [listed?.content, listed?.title, listed?.version],
        [won.content, won.title, version + 1],
      );
      const source = await readSource(company, won);
      assert.deepEqual([source.title, source.chunks.map(({ text }) => text)], [won.title, [won.content]]);
      assert.deepEqual(await foundByWords(company, 'ocelot'), [won.content]);
    };
    const { events } = await recordedBy(service, company, async () => {
      for (const version of [1, 2, 3]) await race(version);
    });
    assert.equal(events.filter(({ kind }) => kind === 'memory.update').length, 3);
  });

  test('updates without a version are applied one after the other, and keep the changes of each other', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    const { id: memoryId } = await addMemory(company, 'published');
    const changes = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? { title: `Title ${n}` } : { content: `ocelot ${n}` },
    );
    const changed = await Promise.all(
      changes.map(async (change, n) => {
        const decision = { action: 'update', memoryId, ...change };
        return { change, memory: await decided(via(n % 4 < 2 ? service : other, company), decision) };
      }),
    );
    changed.sort((a, b) => a.memory.version - b.memory.version);
    let text: { title: string; content: string } = { title: 'A memory', content: 'A fact.' };
    for (const [index, { change, memory }] of changed.entries()) {
      text = { ...text, ...change };
      assert.deepEqual([memory.version, memory.title, memory.content], [index + 2, text.title, text.content]);
    }
    const [memory] = await listMemories(company);
    assert.deepEqual([memory?.title, memory?.content], [text.title, text.content]);
    const source = await readSource(company, memory!);
    assert.deepEqual([source.title, source.chunks.map((chunk) => chunk.text)], [text.title, [text.content]]);
    assert.deepEqual(await searchRows(service, company), { chunks: 1, terms: 1, vectors: 0, pending: 1 });
  });

  for (const [state, actions] of [
    ['review', ['publish', 'discard']],
    ['review', ['publish', 'publish']],
    ['published', ['delete', 'delete']],
    ['published', ['unpublish', 'unpublish']],
    ['published', ['unpublish', 'delete']],
    ['discarded', ['reopen', 'reopen']],
  ] as const) {
    test(`concurrent ${actions.join(' and ')}: one succeeds, and the others return 409`, async (t) => {
      const company = await service.company();
      const other = await openSecondApp(t, service);
      const { id: memoryId, version } = await addMemory(company, state, {
        content: 'The ocelot sleeps.',
      });
      const answers = await Promise.all(
        [...actions, ...actions, ...actions].map((action, n) =>
          decide(via(n % 2 === 0 ? service : other, company), { action, memoryId }),
        ),
      );
      assert.deepEqual(tally(answers.map(outcome)), { '200': 1, '409 conflict': 5 });
      const { memory } = answers.find((answer) => answer.statusCode === 200)!.json<{ memory: Memory }>();
      assert.equal(memory.version, version + 1);
      const found = memory.state === 'published' ? ['The ocelot sleeps.'] : [];
      assert.deepEqual(await foundByWords(company, 'ocelot'), found);
      assert.equal((await searchRows(service, company)).chunks, found.length);
    });
  }

  test('an update and a delete leave the memory deleted and not searchable', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    const { id: memoryId } = await addMemory(company, 'published');
    const updates = Array.from({ length: 6 }, (_, n) =>
      decide(via(n % 2 === 0 ? service : other, company), {
        action: 'update',
        memoryId,
        content: `ocelot ${n}`,
      }),
    );
    const [deleted, ...updated] = await Promise.all([
      decide(via(other, company), { action: 'delete', memoryId }),
      ...updates,
    ]);
    assert.equal(outcome(deleted), '200');
    for (const answer of updated) assert.match(outcome(answer), /^(200|409 conflict)$/);
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
    assert.deepEqual(await searchRows(service, company), { chunks: 0, terms: 0, vectors: 0, pending: 0 });
  });
});

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
