import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countFound, storeUses } from '../../core/feedback/commands.ts';
import type { ListedMemory } from '../../shared/schemas/memories.ts';
import type { SearchResponse } from '../../shared/schemas/search.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { expireSources } from '../sources/expiry/expire.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { foundByWords } from '../support/consolidation.ts';
import { databaseError, failingDatabase } from '../support/failing-database.ts';
import { questionBest, searchByWords } from '../support/feedback.ts';
import { called } from '../support/mcp.ts';
import { addMemory, decide, decided } from '../support/memories.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, listSources, readSource } from '../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

const { database } = service;

/** A search of a caller that found one source, and what names its hit. */
async function found(company: SignedIn, caller: Caller = company) {
  const source = await addSource(company, { text: 'The heron rule.' });
  const { queryId, hits } = await searchByWords(caller, 'heron');
  assert.equal(hits.length, 1);
  return { source, queryId, chunkId: hits[0]!.chunk_id };
}

describe('POST /v1/memory/feedback', () => {
  test('returns the record with its note', async () => {
    const company = await service.company();
    const { source, queryId, chunkId } = await found(company);
    const note = 'It is the gull rule.';
    const { id, createdAt, ...rest } = await company.api.giveFeedback({
      queryId,
      chunkId,
      verdict: 'wrong',
      note,
    });
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(createdAt, /Z$/);
    assert.deepEqual(rest, {
      queryId,
      chunkId,
      sourceId: source.id,
      memoryId: null,
      verdict: 'wrong',
      note,
      createdBy: company.ownerId,
      createdWith: null,
      redactions: [],
    });
  });

  test('masks a credential in the note, or refuses it, as the Team has set', async () => {
    const company = await service.company();
    const { queryId, chunkId } = await found(company);
    const body = { queryId, chunkId, verdict: 'wrong', note: 'It is password=Gr33nT0ner now.' };
    const setMode = (redaction: string) => company.ask.changeSelectedTeam({ redaction });
    await setMode('redact');
    const { note, redactions } = await company.api.giveFeedback(body);
    assert.equal(note, 'It is password=[redacted: password] now.');
    assert.deepEqual(column(redactions, 'path'), ['/note']);
    await setMode('refuse');
    await recordsNothing(service, company, async () => {
      assert.equal(outcome(await company.ask.giveFeedback(body)), '422 secret_detected');
    });
  });

  test('names the memory whose text the hit is, also in its event', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', { content: 'The heron rule.' });
    const { feedback } = await questionBest(company, 'heron');
    assert.deepEqual([feedback.memoryId, feedback.sourceId], [memory.id, memory.sourceId]);
    const [event] = await company.all.listTeamAudit({ kind: 'memory.feedback' });
    assert.deepEqual([event?.subjectType, event?.subjectId], ['memory', memory.id]);
  });

  test('replaces the verdict by a second one, and repeats the record if nothing changes', async () => {
    const company = await service.company();
    const { queryId, chunkId } = await found(company);
    const wrong = { queryId, chunkId, verdict: 'wrong', note: 'n' };
    const first = await company.api.giveFeedback(wrong);
    await recordsNothing(service, company, async () => {
      assert.deepEqual(await company.api.giveFeedback(wrong), first);
    });
    const second = await company.api.giveFeedback({ queryId, chunkId, verdict: 'useful' });
    assert.deepEqual([second.id, second.verdict, second.note], [first.id, 'useful', null]);
    const rows = await database.query('select verdict from memory.feedback where query_id = $1', [queryId]);
    assert.deepEqual(rows, [{ verdict: 'useful' }]);
  });

  test('accepts a passage of a grouped hit, and refuses a chunk that was only a neighbour', async () => {
    const company = await service.company();
    const chunks = ['a heron', 'a heron and a gull', 'nothing'].map((text) => ({ text }));
    await addSource(company, { chunks });
    const grouped = await searchByWords(company, 'heron', { group: 'source', neighbours: 1 });
    const passages = grouped.hits[0]?.passages?.map(({ chunk_id }) => chunk_id) ?? [];
    assert.equal(passages.length, 2);
    for (const chunkId of passages) {
      await company.api.giveFeedback({ queryId: grouped.queryId, chunkId, verdict: 'useful' });
    }
    const near = await searchByWords(company, 'heron', { topK: 1, neighbours: 1 });
    const [hit] = near.hits;
    const neighbour = [...(hit?.before ?? []), ...(hit?.after ?? [])][0];
    assert.ok(neighbour);
    const answer = await company.ask.giveFeedback({
      queryId: near.queryId,
      chunkId: neighbour.chunk_id,
      verdict: 'wrong',
    });
    assert.equal(outcome(answer), '404 not_found');
  });

  test('is the same 404 for another caller, another chunk, and what is gone', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'read' },
    });
    const { source, queryId, chunkId } = await found(company);
    const gone = await addSource(company, { text: 'A gull.' });
    const ofGone = await searchByWords(company, 'gull');
    await archived(company, gone.id);
    await addSource(company, { text: 'A tern.', scope: { clientId } });
    const ofClient = await searchByWords(member, 'tern', { scope: { clientId } });
    const own = { queryId, chunkId, verdict: 'wrong' };
    const hitOf = ({ queryId: id, hits }: SearchResponse) => ({
      queryId: id,
      chunkId: hits[0]!.chunk_id,
      verdict: 'wrong',
    });
    assert.equal((await member.ask.giveFeedback(hitOf(ofClient))).statusCode, 201);
    await database.query('delete from identity.client_grant where user_id = $1', [member.userId]);
    await assertSameRefusal('404 not_found', [
      member.ask.giveFeedback(own),
      company.ask.giveFeedback({ ...own, queryId: chunkId }),
      company.ask.giveFeedback({ ...own, queryId: 'none' }),
      company.ask.giveFeedback({ ...own, chunkId: queryId }),
      company.ask.giveFeedback({ ...own, chunkId: 'none' }),
      company.ask.giveFeedback({ ...own, chunkId: hitOf(ofClient).chunkId }),
      company.ask.giveFeedback(hitOf(ofGone)),
      member.ask.giveFeedback(hitOf(ofClient)),
    ]);
    assert.equal((await company.ask.giveFeedback(own)).statusCode, 201);
    await expireSources(service, source.id);
    assert.equal(outcome(await company.ask.giveFeedback({ ...own, verdict: 'useful' })), '404 not_found');
  });
});

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

  test('other tags of a memory, or another expiry, leave the feedback on it', async () => {
    const company = await service.company();
    const { id: memoryId } = await addMemory(company, 'published', { content: 'The heron rule.' });
    await questionBest(company, 'heron');
    await decided(company, { action: 'update', memoryId, tags: ['birds'], expiresAt: null });
    assert.deepEqual(idsOf(await review(company)), [memoryId]);
  });

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

/** The stored uses of a source. The sums of this process are stored first. */
async function usesOf(caller: Caller, id: string) {
  await storeUses(database);
  const [source] = (await listSources(caller)).filter((one) => one.id === id);
  const { found, opened, lastFoundAt } = source!;
  return { found, opened, lastFoundAt };
}

describe('the uses of a source', () => {
  test('found counts each search once, also by MCP, and lastFoundAt is the time of the last', async () => {
    const company = await service.company();
    const chunks = ['A heron.', 'Another heron.'].map((text) => ({ text }));
    const { id } = await addSource(company, { chunks });
    const other = await addSource(company, { text: 'A gull.' });
    const before = Date.now();
    const { hits } = await searchByWords(company, 'heron');
    assert.equal(hits.length, 2);
    await searchByWords(company, 'heron', { group: 'source' });
    await called(company, 'search', { query: 'heron' });
    await searchByWords(company, 'walrus');
    const { found, opened, lastFoundAt } = await usesOf(company, id);
    assert.deepEqual([found, opened], [3, 0]);
    const at = Date.parse(lastFoundAt ?? '');
    assert.ok(at >= before && at <= Date.now());
    assert.deepEqual(await usesOf(company, other.id), { found: 0, opened: 0, lastFoundAt: null });
    await searchByWords(company, 'heron');
    assert.equal((await usesOf(company, id)).found, 4, 'added to what is stored');
  });

  test('opened counts expand, GET of the source and fetch, but not the next page of its chunks', async () => {
    const company = await service.company();
    const chunks = ['A heron.', 'Another heron.'].map((text) => ({ text }));
    const { id } = await addSource(company, { chunks });
    const url = `/v1/memory/sources/${id}`;
    const first = (await company.send('GET', `${url}?limit=1`)).json<{
      chunks: { chunk_id: string }[];
      nextCursor: string;
    }>();
    await company.send('GET', `${url}?limit=1&cursor=${first.nextCursor}`);
    await company.ask.expandChunk({ chunkId: first.chunks[0]!.chunk_id });
    await called(company, 'fetch', { id });
    await company.ask.expandChunk({ chunkId: id });
    await company.ask.getSource(company.teamId);
    assert.deepEqual(await usesOf(company, id), { found: 0, opened: 3, lastFoundAt: null });
  });

  test('are stored when the API closes', async (t) => {
    const company = await service.company();
    const { id } = await addSource(company, { text: 'A heron.' });
    const second = await openSecondApp(t, service);
    await searchByWords(via(second, company), 'heron');
    await second.app.close();
    const [source] = await listSources(company);
    assert.deepEqual([source?.id, source?.found], [id, 1] satisfies [Source['id'], number]);
  });

  test('are kept for the next time if they cannot be stored, and those of a deleted source are skipped', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { text: 'A heron.' });
    let isBroken = true;
    const failing = failingDatabase(database, (statement) =>
      isBroken && statement.includes('add_source_uses') ? databaseError('57P01') : null,
    );
    countFound(failing, company, [id, company.teamId]);
    await assert.rejects(storeUses(failing));
    countFound(failing, company, [id]);
    isBroken = false;
    await storeUses(failing);
    assert.equal((await usesOf(company, id)).found, 2);
  });
});
