import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hit } from '../../shared/schemas/search.ts';
import type { Chunk } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { type Body } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import { assertInvalid } from '../support/refusals.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, along, type Caller, CLAIM } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** Searches by keyword in the Team layer, unless the body says otherwise. */
const search = async (caller: Caller, body: Body<'searchMemory'>) =>
  (await caller.api.searchMemory({ scope: {}, embeddingMode: 'keyword', ...body })).hits;

/** Stores chunks as one source and returns its id. */
async function store(caller: Caller, texts: readonly string[], body: object = {}): Promise<string> {
  const chunks = texts.map((text) => ({ text }));
  return (await addSource(caller, { chunks, ...body })).id;
}

const HIT_FIELDS = 'score semantic_rank keyword_rank duplicates before after passages explain'.split(' ');
/** A hit without the fields that only a hit has. */
const chunkOf = (hit: Hit) =>
  Object.fromEntries(Object.entries(hit).filter(([field]) => !HIT_FIELDS.includes(field)));
const textsOf = (chunks: readonly Chunk[] | undefined) => chunks?.map(({ text }) => text);

// How an answer is filled is tested in test/unit/fill-budgets.test.ts.
describe('neighbours of hits', () => {
  test('a hit has as many chunks before and after it as requested, in the order of the document', async () => {
    const company = await service.company();
    await store(company, ['dawn', 'noon', 'heron', 'dusk', 'night']);
    for (const [neighbours, before, after] of [
      [undefined, undefined, undefined],
      [0, undefined, undefined],
      [1, ['noon'], ['dusk']],
      [2, ['dawn', 'noon'], ['dusk', 'night']],
    ]) {
      const [hit] = await search(company, { query: 'heron', neighbours: neighbours as number });
      assert.deepEqual([textsOf(hit?.before), textsOf(hit?.after)], [before, after]);
      // It has the fields of a chunk, and no rank.
      const [next] = hit?.after ?? [];
      const dusk = { ...chunkOf(hit!), chunk_id: next?.chunk_id, text: 'dusk', ordinal: 3 };
      assert.deepEqual(next, after === undefined ? undefined : dusk);
    }
  });
});

describe('hits grouped by source', () => {
  const LAKES = [
    'heron lake reed',
    'a wall',
    'heron',
    'heron lake',
    'heron in a very long list of other birds',
  ];

  test('a source has one hit, with up to three of its best chunks, best first', async () => {
    const company = await service.company();
    const source = await store(company, LAKES);
    const other = await store(company, ['a heron at the river']);
    const body = { query: 'heron lake reed' };
    const ungrouped = await search(company, body);
    const hits = await search(company, { ...body, group: 'source' });
    assert.deepEqual(column(hits, 'source_id'), [source, other]);
    const ranked = ungrouped.filter((hit) => hit.source_id === source).slice(0, 3);
    assert.equal(ranked.length, 3);
    assert.deepEqual(textsOf(hits[0]?.passages), textsOf(ranked));
    assert.deepEqual(textsOf(hits[1]?.passages), ['a heron at the river']);
    for (const hit of hits) assert.deepEqual(hit.passages?.[0], chunkOf(hit));
    for (const { passages: _, ...hit } of hits) {
      const alone = ungrouped.find(({ chunk_id }) => chunk_id === hit.chunk_id);
      assert.deepEqual(hit, alone);
    }
  });

  test('topK is the number of sources', async () => {
    const company = await service.company();
    for (let n = 0; n < 12; n += 1) await store(company, [`heron ${n}`, `heron again ${n}`]);
    for (const [topK, expected] of [
      [undefined, 8],
      [50, 12],
    ] as const) {
      const hits = await search(company, { query: 'heron', topK, group: 'source' });
      assert.equal(new Set(column(hits, 'source_id')).size, expected);
      assert.ok(hits.every(({ passages }) => passages?.length === 2));
    }
  });

  test('each hit is explained, and the audit event names the hits and their passages, but no neighbours', async () => {
    const company = await service.company();
    await store(company, LAKES);
    const body = { query: 'heron lake', group: 'source', neighbours: 1, explain: true };
    const [hit, ...others] = await search(company, body);
    assert.deepEqual(others, []);
    assert.equal(hit?.explain?.terms.filter(({ kind }) => kind === 'exact').length, 2);
    const [first, ...passageIds] = column(hit.passages ?? [], 'chunk_id');
    assert.equal(first, hit.chunk_id);
    const [event] = await company.all.listTeamAudit({ kind: 'memory.search' });
    const { hitsHash: _, ...detail } = event?.detail ?? {};
    assert.deepEqual(detail, { scope: {}, topK: 8, hitIds: [first], passageIds });
  });
});

describe('an answer with maxCharacters', () => {
  test('has as many of the best hits as fit', async () => {
    const company = await service.company();
    for (let n = 0; n < 60; n += 1) await store(company, [`heron ${String(n).padStart(2, '0')} 🦩`]);
    const all = await search(company, { query: 'heron', topK: 50 });
    const found = async (maxCharacters: number) => {
      const hits = await search(company, { query: 'heron', maxCharacters });
      assert.deepEqual(hits, all.slice(0, hits.length));
      return hits.length;
    };
    // Each text has ten characters.
    assert.deepEqual([await found(1), await found(10), await found(19), await found(20)], [1, 1, 1, 2]);
    assert.deepEqual([await found(305), await found(200_000)], [30, 50]);
    const both = { query: 'heron', embeddingMode: 'keyword', maxCharacters: 100, topK: 8 };
    assertInvalid(await company.ask.searchMemory(both), '/maxCharacters');
  });
});

describe('equal chunks', () => {
  const FORMS = ['The heron  at the LAKE', 'the heron at the lake', 'Ｔｈｅ heron\nat the lake '] as const;

  test('the newest is returned, in the place of the best, with the number of the others', async () => {
    const company = await service.company();
    const first = await store(company, [FORMS[0]]);
    await store(company, ['heron lake']);
    const newest = await store(company, [FORMS[1]]);
    await store(company, [FORMS[2]]);
    const setTime = (source: string, at: string) =>
      database.query('update memory.chunk set created_at = $2::timestamptz where source_id = $1', [
        source,
        at,
      ]);
    await setTime(newest, '2100-01-01T00:00:00Z');
    const hits = await search(company, { query: 'the heron at the lake' });
    assert.deepEqual(columns(hits, 'text', 'duplicates'), [
      [FORMS[1], 2],
      ['heron lake', 0],
    ]);
    assert.equal(hits[0]?.source_id, newest);
    await setTime(first, '2100-01-01T00:00:01Z');
    const [again] = await search(company, { query: 'the heron at the lake' });
    assert.equal(again?.source_id, first);
  });

  test('one of them in a layer that is not searched is not counted, and hides none', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await store(company, [FORMS[0]]);
    await store(company, [FORMS[1]], { scope: { clientId } });
    const found = async (scope: object) =>
      columns(await search(company, { query: 'heron', scope }), 'layer', 'duplicates');
    assert.deepEqual(await found({}), [['team', 0]]);
    assert.deepEqual(await found({ clientId, include: ['client'] }), [['client', 0]]);
    assert.deepEqual(await found({ clientId }), [['client', 1]]);
  });

  test('the answer still has topK hits', async () => {
    const company = await service.company();
    for (let n = 0; n < 6; n += 1)
      await store(company, [`heron ${' '.repeat(n)}lake`, `heron ${n} in a pond`]);
    const hits = await search(company, { query: 'heron lake', topK: 4 });
    assert.deepEqual(column(hits, 'duplicates'), [5, 0, 0, 0]);
  });

  test('score, ranks and explanation are those of the chunk that is returned', async () => {
    const company = await service.company();
    const near = along(1).with(2, 0.1);
    const others = Array.from({ length: 9 }, (_, n) => ({
      text: `a heron at wall ${n}`,
      embedding: along(n + 3),
    }));
    await addSource(company, {
      chunks: [
        { text: FORMS[0], embedding: along(1) },
        { text: 'the heron at a lake', embedding: near },
        ...others,
      ],
      ...CLAIM,
    });
    // It has no vector, so that its own score is lower than that of the next hit.
    const newest = await store(company, [FORMS[1]]);
    const vector = { embeddingMode: undefined, queryEmbedding: along(1), ...CLAIM };
    const [hit, next] = await search(company, { query: 'heron', ...vector, explain: true });
    assert.deepEqual([hit?.source_id, hit?.duplicates, next?.text], [newest, 1, 'the heron at a lake']);
    assert.ok(hit?.explain && next && hit.score < next.score);
    assert.deepEqual([hit.semantic_rank, hit.explain.similarity], [null, null]);
    assert.ok(Math.abs(hit.score - hit.explain.semantic_z - hit.explain.keyword_z) < 1e-6);
  });

  test('a chunk that was stored without a hash equals no other', async () => {
    const company = await service.company();
    for (const text of FORMS) await store(company, [text]);
    await database.query('update memory.chunk set text_hash = null where team_id = $1', [company.teamId]);
    assert.deepEqual(column(await search(company, { query: 'heron' }), 'duplicates'), [0, 0, 0]);
  });
});
