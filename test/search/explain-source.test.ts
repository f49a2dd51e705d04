import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { SourceExplanation } from '../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { KEYWORDS_ALONE } from '../support/retrieval-run.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addTeam, along, type Caller, CLAIM, inTeam } from '../support/team.ts';
import { askHeron, explainHeron } from './explained-search.ts';

// Server mode is on but there is no worker, so such searches are answered by keywords.
const service = await openTestApp(KEYWORDS_ALONE);
const { database } = service;

const BY_WORDS = { embeddingMode: 'keyword' };

/** What a search explains about a source. */
async function explained(
  caller: Caller,
  explainSource: string,
  body: object = {},
): Promise<SourceExplanation> {
  const { explain } = await explainHeron(caller, { explain: undefined, explainSource, ...body });
  assert.ok(explain.source);
  return explain.source;
}

/** The same, without the terms. */
async function reasonOf(caller: Caller, explainSource: string, body: object = {}) {
  const { terms: _, sourceId: __, ...rest } = await explained(caller, explainSource, body);
  return rest;
}

const add = async (company: SignedIn, body: object) => (await addSource(company, body)).id;

describe('a search with explainSource', () => {
  test('a source among the hits is found at its rank, with the terms that it shares', async () => {
    const company = await service.company();
    const best = await add(company, { text: 'heron' });
    const second = await add(company, { text: 'a heron among many other birds of the harbour' });
    const found = { found: true, reason: 'found' };
    assert.deepEqual(await reasonOf(company, best, BY_WORDS), { ...found, rank: 1 });
    assert.deepEqual(await reasonOf(company, second, BY_WORDS), { ...found, rank: 2 });
    const body = { ...BY_WORDS, query: 'heron harbour walrus', explainSource: second.toUpperCase() };
    const { hits, explain } = await explainHeron(company, body);
    assert.equal(explain.source?.sourceId, second);
    const words = explain.source?.terms.filter(({ kind }) => kind === 'exact').map(({ term }) => term);
    assert.deepEqual(words?.sort(), ['harbour', 'heron']);
    const [hit] = hits.filter((one) => one.source_id === second);
    assert.deepEqual(explain.source?.terms, hit?.explain.terms);
  });

  test('a source that other chunks precede has its rank, or null if it is no candidate', async () => {
    const company = await service.company();
    const last = await add(company, { text: `a heron ${'among other birds of the harbour '.repeat(40)}` });
    const below = { found: false, reason: 'below_top_k' };
    for (let n = 0; n < 2; n += 1) await add(company, { text: `heron ${n}` });
    assert.deepEqual(await reasonOf(company, last, { ...BY_WORDS, topK: 1 }), { ...below, rank: 3 });
    assert.deepEqual(await reasonOf(company, last, { ...BY_WORDS, topK: 2 }), { ...below, rank: 3 });
    await add(company, { chunks: Array.from({ length: 50 }, (_, n) => ({ text: `heron ${n}` })) });
    assert.deepEqual(await reasonOf(company, last, BY_WORDS), { ...below, rank: null });
    const { terms } = await explained(company, last, BY_WORDS);
    assert.equal(terms[0]?.term, 'heron');
    assert.ok((terms[0]?.weight ?? 0) > 0);
  });

  test('a source of a layer that was not asked for is not in scope', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const inTeam = await add(company, { text: 'heron of the team' });
    const inClient = await add(company, { text: 'heron of a client', scope: { clientId } });
    const outside = { found: false, reason: 'not_in_scope', rank: null };
    assert.deepEqual(await reasonOf(company, inClient), outside);
    assert.deepEqual(await reasonOf(company, inTeam, { scope: { clientId, include: ['client'] } }), outside);
    assert.ok((await explained(company, inClient)).terms.some(({ term }) => term === 'heron'));
    assert.equal((await reasonOf(company, inClient, { scope: { clientId } })).reason, 'found');
  });

  test('an archived source has no terms and no rank', async () => {
    const company = await service.company();
    const sourceId = await add(company, { text: 'heron' });
    await archived(company, sourceId);
    const archivedSource = { found: false, reason: 'archived', rank: null, terms: [] };
    assert.deepEqual(await explained(company, sourceId), { sourceId, ...archivedSource });
  });

  test('a source that the filters exclude is filtered', async () => {
    const company = await service.company();
    const sourceId = await add(company, { text: 'heron' });
    const other = await add(company, { text: 'another heron' });
    const near = await add(company, { chunks: [{ text: 'stork', embedding: along(5) }], ...CLAIM });
    const filtered = { found: false, reason: 'filtered', rank: null };
    for (const body of [
      { kinds: ['memory'] },
      { sourceIds: [other] },
      { createdAfter: '2999-01-01T00:00:00.000Z' },
      { createdBefore: '2000-01-01T00:00:00.000Z' },
    ]) {
      assert.deepEqual(await reasonOf(company, sourceId, body), filtered, JSON.stringify(body));
    }
    assert.equal((await reasonOf(company, sourceId, { sourceIds: [sourceId] })).reason, 'found');
    assert.equal((await reasonOf(company, near)).reason, 'found');
    assert.deepEqual(await reasonOf(company, near, { minSimilarity: 0.5 }), filtered);
  });

  test('a source without a shared word is pending until it has vectors, unless the query has none', async () => {
    const company = await service.company();
    const sourceId = await add(company, { text: 'stork' });
    const absent = { found: false, rank: null };
    const pending = { ...absent, reason: 'pending', terms: [] };
    assert.deepEqual(await explained(company, sourceId), { sourceId, ...pending });
    for (const body of [BY_WORDS, { embeddingMode: 'server' }]) {
      assert.deepEqual(await reasonOf(company, sourceId, body), { ...absent, reason: 'no_shared_terms' });
    }
  });

  test('returns the same 404 for a source that the caller cannot reach or that does not exist', async () => {
    const company = await service.company();
    const elsewhere = inTeam(company, await addTeam(service, company));
    const loading = await add(company, { text: 'a heron that loads' });
    await database.query(`update memory.source set state = 'loading' where id = $1`, [loading]);
    const unreachable = [
      (await addSource(elsewhere, { text: 'heron' })).id,
      await add(await service.company(), { text: 'heron' }),
      loading,
      newId(),
      'nonsense',
      '',
    ];
    for (const body of [{}, { embeddingMode: 'server' }]) {
      await assertSameRefusal(
        '404 not_found',
        unreachable.map((explainSource) => askHeron(company, { explainSource, ...body })),
      );
    }
  });
});
