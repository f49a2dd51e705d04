import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { transaction } from '../../db/database.ts';
import { searchChunks } from '../../db/queries/search.ts';
import { stageSource } from '../../db/store-source.ts';
import { narrowScope, type TeamScope } from '../../shared/scope.ts';
import { chunkTerms, queryTerms } from '../../shared/terms.ts';
import {
  createTestCompany,
  openTestDatabase,
  TEST_MODEL_NAME,
  type TestCompany,
} from '../support/database.ts';
import {
  countReferenceTerms,
  type RankedChunk,
  rankByReference,
  type TermCounts,
} from '../support/reference-ranking.ts';
import { addClient, ownerScope } from '../support/scopes.ts';
import { axis, draftOf, type GivenChunk, storeSource } from '../support/sources.ts';
import { countTermsNow } from '../support/term-counts.ts';

const database = await openTestDatabase();

/** A stored chunk, and where it lies. */
interface StoredChunk extends Omit<RankedChunk, 'visible'> {
  clientId: string | null;
  loading: boolean;
  text: string;
}

/** A Team with chunks, known both to the database and to the test. */
interface Corpus {
  team: TestCompany;
  clientId: string;
  scope: TeamScope;
  chunks: StoredChunk[];
  counts: TermCounts;
}

async function openCorpus(): Promise<Corpus> {
  const team = await createTestCompany(database);
  const clientId = await addClient(database, team);
  const counts = { chunks: 1, sampled: 1, dims: new Map(), keys: new Map() };
  return { team, clientId, scope: ownerScope(team, [clientId]), chunks: [], counts };
}

/** Stores chunks as one source, left loading if it is to be so, and counts the Team's terms anew. */
async function add(
  corpus: Corpus,
  chunks: readonly GivenChunk[],
  options: { layer?: string | null; loading?: boolean; model?: string } = {},
): Promise<void> {
  const { layer = null, loading = false, model = TEST_MODEL_NAME } = options;
  const given = { layer, chunks, model };
  let sourceId: string;
  if (loading) {
    const staged = await stageSource(database, corpus.scope, draftOf(corpus.team.teamId, given));
    assert.ok(staged.written, 'only a large draft is written before it is committed');
    sourceId = staged.source.id;
  } else {
    sourceId = await storeSource(database, corpus.scope, given);
  }
  const rows = await database.query<{ id: string; text: string; ordinal: number }>(
    'select id, text, ordinal from memory.chunk where source_id = $1 order by ordinal',
    [sourceId],
  );
  for (const { id, text, ordinal } of rows) {
    const embedding = model === TEST_MODEL_NAME ? (chunks[ordinal]?.embedding ?? null) : null;
    const terms = chunkTerms(corpus.team.teamId, text);
    corpus.chunks.push({ id, text, terms, embedding, clientId: layer, loading });
  }
}

async function count(corpus: Corpus): Promise<void> {
  await countTermsNow(database, corpus.team);
  corpus.counts = countReferenceTerms(corpus.chunks.map((chunk) => ({ ...chunk, visible: true })));
}

interface Question {
  query: string;
  embedding: Float32Array | null;
  topK?: number;
  scope?: TeamScope;
}

/** Asks the database and the reference, holds that they agree, and returns the texts, best first. */
async function ask(corpus: Corpus, question: Question) {
  const { query, embedding, topK = 50, scope = corpus.scope } = question;
  const terms = queryTerms(corpus.team.teamId, query);
  const hits = await transaction(database, scope, (tx) =>
    searchChunks(tx, { terms, embedding, model: TEST_MODEL_NAME, topK }),
  );
  const ranked = rankByReference(
    corpus.chunks.map(({ clientId, loading, ...chunk }) => ({
      ...chunk,
      visible: !loading && (clientId === null ? scope.reads.team : scope.reads.clients.includes(clientId)),
    })),
    corpus.counts,
    { terms, embedding, topK },
  );
  assert.deepEqual(
    hits.map((hit) => [hit.chunk_id, hit.semantic_rank, hit.keyword_rank]),
    ranked.map((hit) => [hit.id, hit.semanticRank, hit.keywordRank]),
    `order for ${query}`,
  );
  for (const [index, hit] of hits.entries()) {
    const expected = ranked[index]?.score ?? Number.NaN;
    assert.ok(Math.abs(hit.score - expected) < 1e-3, `${hit.score} is not ${expected} for ${query}`);
  }
  return hits;
}

/** Random numbers that are the same in each run: a failure is to be found again. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function unit(values: Float32Array): Float32Array {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

const WORDS = [
  ...'the of and team release deploy invoice customer database index meeting budget quarter roadmap'.split(
    ' ',
  ),
  ...'Vertrag Kündigung Überweisung naïve café résumé Москва данные отчёт 会议记录 数据库索引 ข้อมูลลูกค้า'.split(
    ' ',
  ),
  ...'ERR_4711 INV-2024-0815 v2.13.4 node24 10.0.0.7 ticket#9921 SKU88231'.split(' '),
  ...Array.from({ length: 60 }, (_, index) => `term${'abcdefghij'[index % 10]}${'klmnop'[index % 6]}`),
];

/** Texts in which few words are common and most are rare, with vectors for two of three. */
function generateChunks(size: number, seed: number): GivenChunk[] {
  const random = seeded(seed);
  const word = () => WORDS[Math.floor(random() ** 2 * WORDS.length)] ?? '';
  return Array.from({ length: size }, () => {
    const text = Array.from({ length: 3 + Math.floor(random() * 40) }, word).join(' ');
    const vector = new Float32Array(1024).map(() => random() - 0.5);
    return { text, embedding: random() < 0.66 ? unit(vector) : null };
  });
}

describe('the ranking of the database equals the reference', () => {
  let corpus: Corpus;

  before(async () => {
    corpus = await openCorpus();
    for (const [index, seed] of [11, 12, 13, 14].entries()) {
      await add(corpus, generateChunks(90, seed), { layer: index === 3 ? corpus.clientId : null });
    }
    // Written, and not yet committed: counted, and found by no one.
    await add(corpus, generateChunks(101, 15), { loading: true });
    await count(corpus);
  });

  const questions = fc.record({
    words: fc.array(fc.constantFrom(...WORDS, 'unheard', 'relase', 'databases'), { maxLength: 8 }),
    seed: fc.option(fc.nat(), { nil: null }),
    topK: fc.integer({ min: 1, max: 100 }),
    include: fc.constantFrom(['team'], ['client'], ['team', 'client']) as fc.Arbitrary<('team' | 'client')[]>,
  });

  function askGenerated(runs: number): Promise<void> {
    return fc.assert(
      fc.asyncProperty(questions, async ({ words, seed, topK, include }) => {
        const random = seeded(seed ?? 0);
        const embedding = seed === null ? null : unit(new Float32Array(1024).map(() => random() - 0.5));
        const scope = narrowScope(corpus.scope, { clientId: corpus.clientId, include });
        await ask(corpus, { query: words.join(' '), embedding, topK, scope });
      }),
      { numRuns: runs },
    );
  }

  test('for any words, with and without a vector, in any layers', () => askGenerated(100));

  test('for every word of the corpus by itself', async () => {
    for (const query of WORDS) await ask(corpus, { query, embedding: null });
  });

  test('for questions whose common words exceed the postings that are read', async () => {
    const query =
      'the of and team release deploy invoice customer database index meeting budget quarter roadmap';
    const hits = await ask(corpus, { query: `${query} Vertrag Kündigung`, embedding: null });
    assert.equal(hits.length, 50);
  });

  test('for a Team so large that its counts come from a sample', async () => {
    await database.query('update memory.keyword_team set chunks = 6000 where team_id = $1', [
      corpus.team.teamId,
    ]);
    corpus.counts = { ...corpus.counts, chunks: 6000 };
    await askGenerated(50);
  });
});

describe('fusion', () => {
  test('pads a keyword leg of few hits with zeros, and lets a match of little of the query not stand out', async () => {
    const corpus = await openCorpus();
    const others = Array.from({ length: 60 }, (_, index) => ({
      text: `word${index}`,
      embedding: axis(index),
    }));
    await add(corpus, [{ text: 'lonely', embedding: axis(61) }, ...others]);
    await count(corpus);
    const [hit] = await ask(corpus, { query: 'lonely', embedding: null });
    // One of fifty, the rest zeros: 7 deviations above the mean, and each counts double.
    assert.ok(hit && Math.abs(hit.score - 14) < 1e-3, `${hit?.score}`);
    const [chance] = await ask(corpus, { query: 'a lonely pelican crossed seven harbours', embedding: null });
    assert.equal(chance?.text, 'lonely');
    assert.ok(chance.score < hit.score / 3, `${chance.score}: little of the query is matched`);
    await ask(corpus, { query: 'lonely word7 word8', embedding: axis(3) });
  });

  test('gives a chunk without a vector of the model neither the best nor the worst of that leg', async () => {
    const corpus = await openCorpus();
    const near = unit(axis(0).with(1, 0.1));
    await add(corpus, [
      { text: 'harbour one', embedding: near },
      { text: 'harbour two', embedding: axis(5) },
      { text: 'harbour three', embedding: null },
    ]);
    await add(corpus, [{ text: 'harbour four', embedding: axis(0) }], { model: 'another/model' });
    await count(corpus);
    const hits = await ask(corpus, { query: 'harbour', embedding: axis(0) });
    assert.equal(hits[0]?.text, 'harbour one');
    assert.equal(hits.at(-1)?.text, 'harbour two');
    assert.deepEqual(
      hits.slice(1, 3).map((hit) => hit.semantic_rank),
      [null, null],
      'vectors of another model are compared with nothing',
    );
  });

  test('lets the other leg decide alone where one is empty, and finds nothing where both are', async () => {
    const corpus = await openCorpus();
    await add(corpus, [
      { text: 'alpha', embedding: axis(0) },
      { text: 'beta', embedding: axis(1) },
      { text: 'gamma', embedding: null },
    ]);
    await count(corpus);
    const byMeaning = await ask(corpus, { query: 'unheard', embedding: axis(1) });
    assert.deepEqual(
      byMeaning.map((hit) => hit.text),
      ['beta', 'alpha'],
    );
    const byKeyword = await ask(corpus, { query: 'gamma', embedding: null });
    assert.deepEqual(
      byKeyword.map((hit) => hit.text),
      ['gamma'],
    );
    assert.deepEqual(await ask(corpus, { query: 'unheard', embedding: null }), []);
    assert.deepEqual(await ask(corpus, { query: '?!', embedding: null }), []);
  });

  test('takes a deviation of 0 for 1: a leg of equals neither divides by it nor decides', async () => {
    const corpus = await openCorpus();
    const equals = Array.from({ length: 60 }, () => ({ text: 'same words', embedding: axis(0) }));
    await add(corpus, equals);
    await count(corpus);
    const hits = await ask(corpus, { query: 'same words', embedding: axis(0) });
    assert.equal(hits.length, 50);
    for (const hit of hits) assert.ok(Math.abs(hit.score) < 1e-3, `${hit.score}`);
  });

  test('puts chunks that hold a rare code of the question before all others, and a common code not', async () => {
    const corpus = await openCorpus();
    const near = Array.from({ length: 30 }, (_, index) => ({
      text: `how the pump is serviced ${'again '.repeat(index)}MODEL_77`,
      embedding: unit(axis(0).with(index + 1, 0.01)),
    }));
    await add(corpus, [
      ...near,
      { text: 'ERR_4711 printed in a long list of other things', embedding: axis(900) },
    ]);
    await count(corpus);
    const embedding = axis(0);
    const [first] = await ask(corpus, {
      query: 'how is the pump serviced when it shows ERR_4711',
      embedding,
    });
    assert.match(first?.text ?? '', /ERR_4711/);
    const [common] = await ask(corpus, { query: 'how is the pump MODEL_77 serviced', embedding });
    assert.match(common?.text ?? '', /pump/);
  });

  test('answers in a Team whose terms were never counted', async () => {
    const corpus = await openCorpus();
    await add(corpus, [{ text: 'the first text of a Team', embedding: null }]);
    const [hit] = await ask(corpus, { query: 'first text', embedding: null });
    assert.equal(hit?.text, 'the first text of a Team');
  });
});
