import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListedMemory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { foundByWords } from '../support/consolidation.ts';
import { questionBest } from '../support/feedback.ts';
import { addMemory, decide, decided } from '../support/memories.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, readSource } from '../support/source-library.ts';
import { addClient } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const review = (company: SignedIn, query = {}) => company.all.listMemories({ state: 'review', ...query });
const idsOf = (items: readonly ListedMemory[]) => items.map(({ id }) => id);

describe('GET /v1/memory/memories?state=review', () => {
  test('shows a source with feedback as an item, with the text of the hits, until it is kept', async () => {
    const company = await service.company();
    const chunks = ['A heron at dawn.', 'Nothing else.', 'A gull at dusk.'].map((text) => ({ text }));
    const source = await addSource(company, { title: 'Birds', tags: ['bird'], chunks });
    const heron = await questionBest(company, 'heron', { note: 'It was noon.' });
    const gull = await questionBest(company, 'gull', { verdict: 'outdated' });
    await questionBest(company, 'nothing', { verdict: 'useful' });
    const [item, ...others] = await review(company);
    assert.deepEqual(others, []);
    const { feedback = [], createdAt, updatedAt, found: _, lastFoundAt: __, ...shown } = item!;
    assert.deepEqual([createdAt, updatedAt], [source.createdAt, source.updatedAt]);
    assert.deepEqual(shown, {
      id: source.id,
      subject: 'source',
      state: 'published',
      title: 'Birds',
      content: 'A heron at dawn.\n\nA gull at dusk.',
      layer: 'team',
      clientId: null,
      version: 1,
      sourceId: source.id,
      captureIds: [],
      metadata: {},
      tags: ['bird'],
      supersedes: null,
      supersededBy: null,
      expiresAt: null,
      occurredAt: null,
      opened: 0,
      createdBy: company.ownerId,
      createdWith: null,
      decidedBy: null,
      decidedAt: null,
    });
    assert.deepEqual(
      feedback.map(({ verdict, note, chunkId, text }) => ({ verdict, note, chunkId, text })),
      [
        { verdict: 'outdated', note: null, chunkId: gull.hit.chunk_id, text: 'A gull at dusk.' },
        { verdict: 'wrong', note: 'It was noon.', chunkId: heron.hit.chunk_id, text: 'A heron at dawn.' },
      ],
    );
    assert.equal((await foundByWords(company, 'heron')).length, 1, 'it stays findable');

    const kept = await decided(company, { action: 'keep', memoryId: source.id, version: 1 });
    assert.deepEqual([kept.id, kept.state], [source.id, 'published']);
    assert.deepEqual(await review(company), []);
    assert.equal((await readSource(company, source.id)).state, 'active');
    const rows = await database.query('select 1 from memory.feedback where source_id = $1', [source.id]);
    assert.equal(rows.length, 3, 'settled feedback is kept');
  });

  test('shows a published memory with its feedback, and keep settles it with the next version', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', { content: 'The heron rule.' });
    const waiting = await addMemory(company, 'review', { content: 'The gull rule.' });
    assert.deepEqual(idsOf(await review(company)), [waiting.id]);
    await questionBest(company, 'heron', { note: 'No.' });
    const items = await review(company);
    assert.deepEqual(
      items.map(({ id, subject, state, feedback }) => [id, subject, state, feedback?.length ?? 0]),
      [
        [waiting.id, 'memory', 'review', 0],
        [memory.id, 'memory', 'published', 1],
      ],
    );
    const published = await company.all.listMemories({ state: 'published' });
    assert.deepEqual(published[0]?.feedback?.[0]?.note, 'No.');
    const both = await company.all.listMemories();
    assert.deepEqual(idsOf(both), [waiting.id, memory.id]);
    const kept = await decided(company, { action: 'keep', memoryId: memory.id });
    assert.deepEqual([kept.state, kept.version], ['published', memory.version + 1]);
    assert.deepEqual(idsOf(await review(company)), [waiting.id]);
    const again = await decide(company, { action: 'keep', memoryId: memory.id });
    assert.equal(outcome(again), '409 conflict');
  });

  for (const [action, fields, left] of [
    ['update', { title: 'Another' }, []],
    ['delete', {}, []],
    ['unpublish', {}, ['review']],
    ['restore', { version: 1 }, []],
  ] as const) {
    test(`${action} of a memory settles the feedback on it`, async () => {
      const company = await service.company();
      const memory = await addMemory(company, 'published', { content: 'The heron rule.' });
      await questionBest(company, 'heron');
      await decided(company, { action, memoryId: memory.id, ...fields });
      const items = await review(company);
      assert.deepEqual(column(items, 'state'), left);
      const open = await database.query(
        'select 1 from memory.feedback where source_id = $1 and settled_at is null',
        [memory.sourceId],
      );
      assert.deepEqual(open, []);
    });
  }

  test('pages through memories and sources in one order, and filters both', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const ids: string[] = [];
    for (const word of ['heron', 'gull', 'tern']) {
      ids.push((await addSource(company, { title: word, text: `A ${word}.` })).id);
      await questionBest(company, word);
      ids.push((await addMemory(company, 'review', { title: word })).id);
    }
    const ofClient = await addSource(company, { text: 'A loon.', scope: { clientId } });
    await questionBest(company, 'loon', {}, { clientId });
    const all = [...ids, ofClient.id].toReversed();
    assert.deepEqual(idsOf(await review(company)), all);
    assert.deepEqual(idsOf(await company.readAll<ListedMemory>('/v1/memory/memories?state=review', 2)), all);
    assert.deepEqual(idsOf(await review(company, { q: 'GULL' })), [ids[3], ids[2]]);
    assert.deepEqual(idsOf(await review(company, { clientId })), [ofClient.id]);
    assert.deepEqual(idsOf(await review(company, { sourceId: ids[4] })), [ids[4]]);
    assert.deepEqual(idsOf(await review(company, { createdBefore: '2001-01-01T00:00:00.000Z' })), []);
  });
});

describe('a decision on a source', () => {
  const questioned = async (company: SignedIn, body: object = {}) => {
    const source = await addSource(company, { text: 'A heron.', ...body });
    await questionBest(company, 'heron');
    return source;
  };

  test('delete archives it, and keep is then 409', async () => {
    const company = await service.company();
    const { id } = await questioned(company);
    const { events } = await recordedBy(service, company, async () => {
      const deleted = await decided(company, { action: 'delete', memoryId: id });
      assert.equal(deleted.state, 'archived');
    });
    assert.deepEqual(columns(events, 'kind', 'subjectId'), [['memory.archive', id]]);
    assert.equal((await readSource(company, id)).state, 'archived');
    assert.deepEqual(await review(company), []);
    for (const action of ['keep', 'delete']) {
      assert.equal(outcome(await decide(company, { action, memoryId: id })), '409 conflict');
    }
  });

  test('other actions, another version and a second keep are 409; without feedback it is 404', async () => {
    const company = await service.company();
    const { id } = await questioned(company);
    const on = async (decision: object) => outcome(await decide(company, { memoryId: id, ...decision }));
    assert.equal(await on({ action: 'discard' }), '409 conflict');
    assert.equal(await on({ action: 'update', title: 'T' }), '409 conflict');
    assert.equal(await on({ action: 'keep', version: 2 }), '409 version_conflict');
    assert.equal(await on({ action: 'keep' }), '200');
    assert.equal(await on({ action: 'keep' }), '409 conflict');
    const other = await addSource(company, { text: 'A gull.' });
    await questionBest(company, 'gull', { verdict: 'useful' });
    assert.equal(outcome(await decide(company, { action: 'keep', memoryId: other.id })), '404 not_found');
  });

  test('a workspace file can be kept, but not deleted', async () => {
    const company = await service.company();
    const { id } = await questioned(company);
    await database.query(`update memory.source set kind = 'file', file_id = id where id = $1`, [id]);
    assert.equal(outcome(await decide(company, { action: 'delete', memoryId: id })), '409 conflict');
    assert.equal((await decide(company, { action: 'keep', memoryId: id })).statusCode, 200);
  });
});
