import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { transaction } from '../../../db/driver/database.ts';
import { type CountedTerm, countCandidates, countDocuments } from '../../../db/queries/search/search.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { type QueryTerms, queryTerms } from '../../../shared/text/terms/terms.ts';
import { openTestDatabase } from '../../support/needs/database.ts';
import { addToCorpus, openSearchCorpus, type SearchCorpus } from './search-corpus.ts';

const database = await openTestDatabase();
const WORDS = ['the', 'thé', 'heron', 'herons', 'harbour', 'err_4711', '会议记录', 'walrus', 'naïve'];
const QUERY = `${WORDS.join(' ')} unheard zebra`;
const MANY = 4000;

let corpus: SearchCorpus;
let terms: QueryTerms;

/** The terms of the query, each with its key if it has one. */
function termsToCount({ dims, texts, keys, keyTexts }: QueryTerms): CountedTerm[] {
  return dims.map((dim, index) => {
    const { term, kind } = texts[index]!;
    return { dim, key: kind === 'exact' ? (keys[keyTexts.indexOf(term)] ?? null) : null };
  });
}

/** What a scope can see of the corpus. */
function visible(scope: TeamScope) {
  const reads = (clientId: string | null) => scope.reads.includes(clientId ?? scope.teamId);
  return corpus.chunks.filter(({ clientId, loading }) => !loading && reads(clientId));
}

const documentsOf = (scope: TeamScope, dim: number) =>
  visible(scope).filter((chunk) => chunk.terms.dims.includes(dim)).length;

const scopes = () => [
  corpus.scope,
  narrowScope(corpus.scope, {}),
  narrowScope(corpus.scope, { clientId: corpus.clientId, include: ['client'] }),
];

before(async () => {
  corpus = await openSearchCorpus(database);
  const texts = fc.array(fc.constantFrom(...WORDS, 'pier', '码头'), { minLength: 1, maxLength: 9 });
  const chunks = fc.sample(texts, { seed: 5, numRuns: 130 }).map((words) => ({ text: words.join(' ') }));
  await addToCorpus(corpus, chunks.slice(0, 60));
  await addToCorpus(corpus, chunks.slice(60, 100), { layer: corpus.clientId });
  // A chunk so long that its weights are stored compressed.
  const long = Array.from({ length: 900 }, (_, n) => `word${n}x${n * 7919}`).join(' ');
  await addToCorpus(corpus, [{ text: `${long} walrus` }]);
  await addToCorpus(corpus, [...chunks, ...chunks.map(({ text }) => ({ text: `${text} again` }))], {
    loading: true,
  });
  terms = queryTerms(corpus.team.teamId, QUERY);
});

describe('the number of chunks with a term', () => {
  test('is what exists in the scope, for every kind of term, without chunks that are loading', async () => {
    for (const scope of scopes()) {
      const counted = await transaction(database, scope, (tx) =>
        countDocuments(tx, termsToCount(terms), MANY),
      );
      assert.equal(counted.size, terms.dims.length);
      for (const [index, dim] of terms.dims.entries()) {
        const exact = { documents: documentsOf(scope, dim), scaled: false };
        assert.deepEqual(counted.get(dim), exact, JSON.stringify(terms.texts[index]));
      }
      const numbers = [...counted.values()].map(({ documents }) => documents);
      assert.ok(numbers.includes(0) && Math.max(...numbers) > 5);
    }
  });

  test('is scaled from a sample in a scope with more chunks, except for rare terms that have a key', async () => {
    const asked = termsToCount(terms);
    const most = 20;
    for (const scope of scopes()) {
      const counted = await transaction(database, scope, (tx) => countDocuments(tx, asked, most));
      const chunks = visible(scope).length;
      assert.ok(chunks > most);
      const numbers = new Set<number>();
      for (const { dim, key } of asked) {
        const { documents, scaled } = counted.get(dim)!;
        assert.equal(scaled, key === null);
        const exact = documentsOf(scope, dim);
        if (!scaled || exact === 0) assert.equal(documents, exact);
        assert.ok(documents <= chunks);
        numbers.add(documents);
      }
      assert.ok(numbers.size > 3, 'the sample has chunks');
    }
  });

  test('is empty for a query without terms', async () => {
    const counted = await transaction(database, corpus.scope, (tx) => countDocuments(tx, []));
    assert.equal(counted.size, 0);
  });
});

test('candidates are counted in each scope, and no further than asked', async () => {
  for (const scope of scopes()) {
    for (const keys of [terms.keys, terms.keys.slice(0, 1), terms.keys.slice(-1), []]) {
      const expected = visible(scope).filter((chunk) => chunk.terms.keys.some((key) => keys.includes(key)));
      const count = (most: number) => transaction(database, scope, (tx) => countCandidates(tx, keys, most));
      assert.equal(await count(1000), expected.length);
      assert.equal(await count(3), Math.min(3, expected.length));
    }
  }
});
