import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { queryTerms } from '../../../shared/text/terms/terms.ts';
import { openTestDatabase } from '../../support/needs/database.ts';
import { repeatChunks } from '../../support/repeated-chunks.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { countTermsNow } from '../../support/term-counts.ts';
import { addToCorpus, openSearchCorpus, type SearchCorpus, searchCorpus } from './search-corpus.ts';
import { searchIn } from './search-in.ts';

const database = await openTestDatabase();

/** Hits of a leg. */
const LEG = 50;
/** More chunks that hold a word than are read for a search: of those that were stored first. */
const EARLIER = 10_100;
/** Fewer than those: the most that a filter may refuse to know them by name, where more pass. */
const REFUSED = 9000;
/** More than are scored without a look at postings, where they pass a filter. */
const LATE = 1100;
/** More than a scope holds whose chunks are all scored. */
const LATE_AND_MANY = 4100;

/** A Team with a layer where very many chunks hold a word, which are not counted yet. */
async function openCommonWord(layer: 'team' | 'client', times = EARLIER): Promise<SearchCorpus> {
  const corpus = await openSearchCorpus(database);
  const source = await addToCorpus(corpus, [{ text: 'the budget of the year' }], {
    layer: layer === 'team' ? null : corpus.clientId,
  });
  await repeatChunks(database, corpus.team, source, times);
  return corpus;
}

const FEW = ['the walrus is new here', 'the budget', 'a budget for the pumps, and a year of budget'];
const budgets = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ text: `the budget of year ${n}` }));

const texts = (hits: readonly { text: string }[]) => hits.map(({ text }) => text).sort();
const only = (corpus: SearchCorpus, clientId: string) =>
  narrowScope(corpus.scope, { clientId, include: ['client'] });

describe('layers that were stored after very many chunks with a word', () => {
  let corpus: SearchCorpus;
  /** By what is stored in them. */
  const clients: Record<string, string> = {};
  const add = async (name: string, chunks: readonly { text: string }[]) => {
    const layer = (clients[name] ??= await addClient(database, corpus.team));
    corpus.scope = ownerScope(corpus.team, [corpus.clientId, ...Object.values(clients)]);
    return addToCorpus(corpus, chunks, { layer });
  };
  before(async () => {
    corpus = await openCommonWord('team');
  });

  test('are searched whole before they were counted', async () => {
    await add('uncounted', [{ text: 'a budget' }]);
    const scope = only(corpus, clients['uncounted']!);
    assert.deepEqual(texts(await searchCorpus(corpus, { query: 'budget', scope })), ['a budget']);
    await countTermsNow(database, corpus.team);
  });

  test('keep a rare word that is found when the common word is elsewhere', async () => {
    await add(
      'pumps',
      Array.from({ length: LATE_AND_MANY }, (_, n) => ({ text: `pump ${n}` })),
    );
    await add('pumps', [{ text: 'a walrus' }]);
    const scope = only(corpus, clients['pumps']!);
    assert.deepEqual(texts(await searchCorpus(corpus, { query: 'walrus budget', scope })), ['a walrus']);
  });

  // Of the larger, which of its own are read first is up to where the server put them, and so is whether any were found
  // among the many.
  for (const [size, least] of [
    [LATE, LEG],
    [LATE_AND_MANY, 1],
  ] as const) {
    test(`are found in their client, and with a filter that only they pass: ${size} chunks`, async () => {
      const late = await add(`late ${size}`, budgets(size));
      const scope = only(corpus, clients[`late ${size}`]!);
      for (const query of ['budget', 'zyxwv budget', 'what is the budget of this year']) {
        const inClient = await searchCorpus(corpus, { query, scope });
        assert.ok(inClient.length >= least, `${query}: ${inClient.length}`);
        const filtered = await searchCorpus(corpus, { query, sourceIds: [late] });
        assert.ok(filtered.length >= least, `${query}: ${filtered.length}`);
        assert.ok(filtered.every((hit) => hit.source_id === late));
      }
    });
  }

  test('are found beside one that was read, with a filter that few chunks pass', async () => {
    const [first] = corpus.chunks;
    const others = await addToCorpus(corpus, [{ text: 'nothing of the kind' }]);
    await database.query(
      `update memory.chunk set source_id = $3, ordinal = ordinal + 1
        where team_id = $1 and source_id = $2 and ordinal > 0`,
      [corpus.team.teamId, first!.sourceId, others],
    );
    const late = await addToCorpus(corpus, budgets(LATE));
    const hits = await searchCorpus(corpus, { query: 'budget', sourceIds: [first!.sourceId, late] });
    assert.equal(hits.length, LEG);
  });
});

for (const [many, few] of [
  ['team', 'client'],
  ['client', 'team'],
] as const) {
  describe(`a layer with few chunks, stored after many of the other layer: ${few}`, () => {
    let corpus: SearchCorpus;
    let scope: TeamScope;
    before(async () => {
      corpus = await openCommonWord(many);
      await countTermsNow(database, corpus.team);
      const layer = few === 'client' ? await addClient(database, corpus.team) : null;
      const other = await addClient(database, corpus.team);
      corpus.scope = ownerScope(corpus.team, [corpus.clientId, ...(layer === null ? [] : [layer]), other]);
      await addToCorpus(corpus, budgets(20), { layer: other });
      await addToCorpus(
        corpus,
        FEW.map((text) => ({ text })),
        { layer },
      );
      await addToCorpus(corpus, budgets(101), { layer, loading: true });
      scope = layer === null ? narrowScope(corpus.scope, {}) : only(corpus, layer);
    });

    test('finds exactly the chunks of its own layer, and none that is still being written', async () => {
      for (const [query, found] of [
        ['budget', FEW.slice(1)],
        ['what is the budget of this year', FEW],
        ['zyxwv budget', FEW.slice(1)],
        ['zyxwv', []],
      ] as const) {
        assert.deepEqual(texts(await searchCorpus(corpus, { query, scope })), [...found].sort(), query);
      }
    });

    test('is explained by all keys of the query, and by its own chunks only', async () => {
      const query = 'the budget of the walrus';
      const { trace } = await searchIn(database, scope, query);
      const { keys } = queryTerms(scope.teamId, query);
      assert.deepEqual(trace.keyword.keysRead.toSorted(), keys.toSorted());
      assert.deepEqual([trace.keyword.scored, trace.keyword.hits], [FEW.length, FEW.length]);
    });
  });
}

test('a filter that refuses the older chunks finds the newer ones, even beside an unknown code', async () => {
  const corpus = await openCommonWord('team', REFUSED + EARLIER);
  // The older are those that are read first.
  await database.query(
    `update memory.chunk set created_at = $2
      where team_id = $1 and id = any (array(
        select chunk_id from memory.chunk_keyword where team_id = $1 order by ctid limit $3))`,
    [corpus.team.teamId, new Date('2026-01-01'), REFUSED],
  );
  await countTermsNow(database, corpus.team);
  for (const query of ['budget', 'budget zyx_4711']) {
    const hits = await searchCorpus(corpus, { query, createdAfter: new Date('2026-02-01') });
    assert.equal(hits.length, LEG);
  }
});

test('a large scope continues with common words when few chunks hold the rare ones', async () => {
  const corpus = await openSearchCorpus(database);
  const pumps = await addToCorpus(corpus, [{ text: 'the pumps of the harbour' }]);
  await repeatChunks(database, corpus.team, pumps, LATE_AND_MANY);
  await addToCorpus(corpus, [...budgets(2100), { text: 'a walrus' }]);
  await countTermsNow(database, corpus.team);
  const hits = await searchCorpus(corpus, { query: 'walrus budget' });
  assert.equal(hits[0]?.text, 'a walrus');
  assert.equal(hits.length, LEG);
});
