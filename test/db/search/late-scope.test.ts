import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { queryTerms } from '../../../shared/text/terms/terms.ts';
import { openTestDatabase } from '../../support/needs/database.ts';
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

type Layer = 'team' | 'client';

/** Stores the first chunk of a corpus so many times more, with its words, as quickly as can be. */
async function repeatChunk({ team, chunks }: SearchCorpus, times: number): Promise<void> {
  await database.query(
    `with copy as (
       insert into memory.chunk (team_id, id, source_id, layer_id, ordinal, text)
       select c.team_id, gen_random_uuid(), c.source_id, c.layer_id, n, c.text
         from memory.chunk c, generate_series(1, $3::int) n
        where c.team_id = $1 and c.id = $2
       returning team_id, id, layer_id)
     insert into memory.chunk_keyword (team_id, chunk_id, layer_id, weights, keys)
     select copy.team_id, copy.id, copy.layer_id, k.weights, k.keys
       from copy, memory.chunk_keyword k where k.team_id = $1 and k.chunk_id = $2`,
    [team.teamId, chunks[0]?.id, times],
  );
}

/** A Team with a layer where very many chunks hold a word. Counted, unless the counts are to be from before that. */
async function openCommonWord(layer: Layer, { counted = true } = {}): Promise<SearchCorpus> {
  const corpus = await openSearchCorpus(database);
  await addToCorpus(corpus, [{ text: 'the budget of the year' }], {
    layer: layer === 'team' ? null : corpus.clientId,
  });
  if (!counted) await countTermsNow(database, corpus.team);
  await repeatChunk(corpus, EARLIER);
  if (counted) await countTermsNow(database, corpus.team);
  return corpus;
}

const FEW = ['the walrus is new here', 'the budget', 'a budget for the pumps, and a year of budget'];
const budgets = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ text: `the budget of year ${n}` }));

for (const [many, few] of [
  ['team', 'client'],
  ['client', 'team'],
] as const) {
  describe(`a layer with few chunks, stored after many of the other layer: ${few}`, () => {
    let corpus: SearchCorpus;
    let scope: TeamScope;
    before(async () => {
      corpus = await openCommonWord(many);
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
      scope = narrowScope(corpus.scope, layer === null ? {} : { clientId: layer, include: ['client'] });
    });

    test('finds exactly the chunks of its own layer, and none that is still being written', async () => {
      for (const [query, found] of [
        ['budget', FEW.slice(1)],
        ['what is the budget of this year', FEW],
        ['zyxwv budget', FEW.slice(1)],
        ['zyxwv', []],
      ] as const) {
        const hits = await searchCorpus(corpus, { query, scope });
        assert.deepEqual(hits.map((hit) => hit.text).sort(), [...found].sort(), query);
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

test('a word is found in a new client that was not counted when the Team had very many chunks with it', async () => {
  const corpus = await openCommonWord('team', { counted: false });
  await addToCorpus(corpus, [{ text: 'a budget' }], { layer: corpus.clientId });
  const scope = narrowScope(corpus.scope, { clientId: corpus.clientId, include: ['client'] });
  const hits = await searchCorpus(corpus, { query: 'budget', scope });
  assert.deepEqual(
    hits.map((hit) => hit.text),
    ['a budget'],
  );
});

// Of the larger, which of its own are read first is up to where the server put them, and so is whether any were found
// among the many.
for (const [size, least] of [
  [LATE, LEG],
  [LATE_AND_MANY, 1],
] as const) {
  describe(`${size} chunks that were stored after more than a search reads`, () => {
    let corpus: SearchCorpus;
    let late: string;
    before(async () => {
      corpus = await openCommonWord('team');
      late = await addToCorpus(corpus, budgets(size), { layer: corpus.clientId });
    });

    test('are found in their client, and with a filter that only they pass', async () => {
      const scope = narrowScope(corpus.scope, { clientId: corpus.clientId, include: ['client'] });
      for (const query of ['budget', 'zyxwv budget', 'what is the budget of this year']) {
        const inClient = await searchCorpus(corpus, { query, scope });
        assert.ok(inClient.length >= least, `${query}: ${inClient.length}`);
        const filtered = await searchCorpus(corpus, { query, sourceIds: [late] });
        assert.ok(filtered.length >= least, `${query}: ${filtered.length}`);
        assert.ok(filtered.every((hit) => hit.source_id === late));
      }
    });
  });
}

test('a filter that few chunks pass finds late chunks beside those that were read', async () => {
  const corpus = await openCommonWord('team');
  const [first] = corpus.chunks;
  const others = await addToCorpus(corpus, [{ text: 'nothing of the kind' }]);
  await database.query('update memory.chunk set source_id = $2 where team_id = $1 and ordinal > 0', [
    corpus.team.teamId,
    others,
  ]);
  const late = await addToCorpus(corpus, budgets(LATE));
  const hits = await searchCorpus(corpus, { query: 'budget', sourceIds: [first?.sourceId ?? '', late] });
  assert.equal(hits.length, LEG);
});

test('a large scope keeps a rare word that it found when the common word is elsewhere', async () => {
  const corpus = await openCommonWord('team');
  const layer = corpus.clientId;
  const pumps = Array.from({ length: LATE_AND_MANY }, (_, n) => ({ text: `pump ${n}` }));
  await addToCorpus(corpus, pumps, { layer });
  await addToCorpus(corpus, [{ text: 'a walrus' }], { layer });
  const scope = narrowScope(corpus.scope, { clientId: layer, include: ['client'] });
  const hits = await searchCorpus(corpus, { query: 'walrus budget', scope });
  assert.deepEqual(
    hits.map((hit) => hit.text),
    ['a walrus'],
  );
});

test('a filter that refuses the older chunks finds the newer ones, even beside an unknown code', async () => {
  const corpus = await openSearchCorpus(database);
  await addToCorpus(corpus, [{ text: 'the budget of the year' }]);
  await repeatChunk(corpus, REFUSED + EARLIER);
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
  await addToCorpus(corpus, [{ text: 'the pumps of the harbour' }]);
  await repeatChunk(corpus, LATE_AND_MANY);
  await addToCorpus(corpus, [...budgets(2100), { text: 'a walrus' }]);
  await countTermsNow(database, corpus.team);
  const hits = await searchCorpus(corpus, { query: 'walrus budget' });
  assert.equal(hits[0]?.text, 'a walrus');
  assert.equal(hits.length, LEG);
});
