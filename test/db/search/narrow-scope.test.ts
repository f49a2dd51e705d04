import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { transaction } from '../../../db/driver/database.ts';
import { countDocuments, type SearchFilters } from '../../../db/queries/search/search.ts';
import { archiveSource } from '../../../db/queries/sources/removal.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { queryTerms } from '../../../shared/text/terms/terms.ts';
import { openTestDatabase } from '../../support/needs/database.ts';
import { openStandInVectors } from '../../support/stand-in-vectors.ts';
import { setTermCounts } from '../../support/term-counts.ts';
import {
  addToCorpus,
  askCorpus,
  countCorpus,
  openSearchCorpus,
  type SearchCorpus,
  searchCorpus,
} from './search-corpus.ts';

const database = await openTestDatabase();

/** How many times more chunks the counts are said to be a sample of: the words below then stand in some thousands each. */
const SCALE = 36;
const COMMON = ['release', 'plan', 'meeting', 'budget', 'customer', 'invoice', 'index'];
const RARE = ['walrus', 'heron', 'stork', 'osprey', 'curlew', 'plover'];

/** A Team in which everyone writes of the same, and a client of a few chunks, who does too. */
async function openCorpus(): Promise<SearchCorpus> {
  const corpus = await openSearchCorpus(database);
  await addToCorpus(
    corpus,
    Array.from({ length: 240 }, (_, n) => ({
      text: `${COMMON.filter((_, nth) => (n + nth) % 3 !== 0).join(' ')} ${RARE[n % 5]} ${n}`,
    })),
  );
  await addToCorpus(
    corpus,
    [
      'the budget of the walrus',
      'plan for the release in spring, by the customer',
      'release',
      'an invoice for plans and indices',
      'budget budget meeting',
      'ERR_4711 in the invoice of a customer',
      'nothing of the kind',
    ].map((text) => ({ text })),
    { layer: corpus.clientId },
  );
  await countCorpus(corpus, SCALE);
  return corpus;
}

describe('a client that is a small part of its Team', () => {
  let corpus: SearchCorpus;
  let client: TeamScope;
  before(async () => {
    corpus = await openCorpus();
    client = narrowScope(corpus.scope, { clientId: corpus.clientId, include: ['client'] });
  });

  test('ranks like the reference for every pair of words', async () => {
    const words = [...COMMON, 'walrus', 'ERR_4711', 'unheard'];
    for (const [index, word] of words.entries()) {
      const query = `${word} ${words[(index + 3) % words.length]}`;
      await askCorpus(corpus, { query, scope: client });
      await askCorpus(corpus, { query });
    }
  });

  test('finds all of the few chunks that pass a filter, however common the words are', async () => {
    const hits = await searchCorpus(corpus, {
      query: 'release plan meeting budget customer invoice index walrus',
      scope: client,
      createdAfter: new Date(0),
    });
    assert.equal(hits.length, 6, 'all but what holds none of these words');
    assert.ok(hits.every((hit) => hit.client_id === corpus.clientId));
  });
});

/** More than are scored of a common word, and than a scope holds whose chunks are all scored. */
const MANY = 4300;

test('a code is found when more chunks hold the words around it than are scored', async () => {
  const corpus = await openSearchCorpus(database);
  const layer = corpus.clientId;
  await addToCorpus(
    corpus,
    Array.from({ length: MANY }, (_, n) => ({ text: `pump ${n % 9}` })),
    { layer },
  );
  // What was written last is read last.
  await addToCorpus(corpus, [{ text: 'pump AX_4711' }], { layer });
  // As in a large scope, in which forty chunks hold the code.
  await setTermCounts(database, corpus.team, { chunks: 20_000, words: { pump: 6000, ax_4711: 40 } });
  const [first] = await searchCorpus(corpus, { query: 'pump ax_4711' });
  assert.equal(first?.text, 'pump AX_4711');
});

test('a word with slightly too many postings is found beside a word in nearly all chunks or in none', async () => {
  const corpus = await openSearchCorpus(database);
  await addToCorpus(
    corpus,
    Array.from({ length: MANY }, (_, n) => ({ text: `the ${n}` })),
  );
  const budgets = Array.from({ length: 60 }, (_, n) => ({ text: `the budget ${n}` }));
  await addToCorpus(corpus, [...budgets, { text: 'walrus' }]);
  await setTermCounts(database, corpus.team, { chunks: 20_000, words: { the: 7000, budget: 2100 } });
  for (const query of ['the budget', 'the budget zyxwv', 'walrus budget']) {
    const hits = await searchCorpus(corpus, { query });
    const found = hits.filter(({ text }) => text.includes('budget')).length;
    assert.ok(found >= 49, `${query}: ${found} of 50`);
  }
});

describe('a source that is loading, archived or due', () => {
  const SEED = 5;
  const WRITTEN = 1100;
  const LOADING = 110;
  /** Chunks of the client that hold the word, and are seen. */
  const THERE = 20;
  const LEG = 50;
  let corpus: SearchCorpus;
  let query: Float32Array;
  let hidden: Set<string>;
  let few: string[];
  before(async () => {
    corpus = await openSearchCorpus(database);
    const vectors = openStandInVectors(SEED);
    query = vectors.vector();
    const near = (size: number) =>
      Array.from({ length: size }, (_, n) => ({ text: `gannet ${n}`, embedding: query }));
    const far = (size: number, text: string) =>
      Array.from({ length: size }, (_, n) => ({ text: `${text} ${n}`, embedding: vectors.vector() }));
    const small = await addToCorpus(corpus, far(THERE, 'gannet tern'), { layer: corpus.clientId });
    await addToCorpus(corpus, far(WRITTEN, 'tern'));
    const loading = [
      await addToCorpus(corpus, near(LOADING), { loading: true }),
      await addToCorpus(corpus, near(LOADING), { loading: true, layer: corpus.clientId }),
    ];
    const gone = await addToCorpus(
      corpus,
      near(40).map((chunk) => ({ ...chunk, text: `${chunk.text} gone` })),
    );
    const due = await addToCorpus(
      corpus,
      near(40).map((chunk) => ({ ...chunk, text: `${chunk.text} due` })),
    );
    await countCorpus(corpus);
    hidden = new Set(
      corpus.chunks
        .filter((chunk) => chunk.loading || [gone, due].includes(chunk.sourceId))
        .map((chunk) => chunk.id),
    );
    assert.equal(hidden.size, 2 * LOADING + 80);
    await transaction(database, corpus.scope, (tx) => archiveSource(tx, gone));
    await database.query(`update memory.source set expires_at = now() where id = $1`, [due]);
    few = [small, ...loading, gone, due];
  });

  test('is not counted in how many chunks a word stands in', async () => {
    const { dims, keys } = queryTerms(corpus.team.teamId, 'gannet');
    const [dim = 0, key = null] = [dims[0], keys[0]];
    for (const most of [4000, 10]) {
      const counted = await transaction(database, corpus.scope, (tx) =>
        countDocuments(tx, [{ dim, key }], most),
      );
      assert.deepEqual(counted.get(dim), { documents: THERE, scaled: false });
    }
  });

  const filters = (): [string, SearchFilters][] => [
    ['unfiltered', {}],
    ['filtered', { createdAfter: new Date(0) }],
    ['of a few sources', { sourceIds: few }],
  ];

  for (const [layers, include] of [
    ['of the whole Team, by signs', ['team', 'client']],
    ['of the Team layer, by signs', ['team']],
    ['of a client, in full', ['client']],
  ] as const) {
    test(`is found neither by meaning nor by words: ${layers}`, async () => {
      const scope = narrowScope(corpus.scope, { clientId: corpus.clientId, include: [...include] });
      for (const [what, filter] of filters()) {
        for (const [text, embedding] of [
          ['gannet', null],
          ['?!', query],
          ['gannet gone', query],
          ['gannet due', query],
        ] as const) {
          const hits = await searchCorpus(corpus, { query: text, embedding, scope, ...filter });
          assert.deepEqual(
            hits.filter((hit) => hidden.has(hit.chunk_id)).map((hit) => hit.text),
            [],
            `${what}: ${text}`,
          );
          const client = scope.reads.includes(corpus.clientId) ? THERE : 0;
          if (embedding === null) assert.equal(hits.length, client, `${what}: all that are there`);
          else if (what !== 'of a few sources' && scope.reads.includes(scope.teamId))
            assert.equal(hits.length, LEG, what);
        }
      }
    });
  }
});
