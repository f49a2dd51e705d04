import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { narrowScope } from '../../../shared/scope.ts';
import { openTestDatabase } from '../../support/needs/database.ts';
import { axis, type GivenChunk } from '../../support/sources.ts';
import { unit } from '../../support/stand-in-vectors.ts';
import {
  addToCorpus,
  askCorpus,
  type CorpusQuestion,
  countCorpus,
  openSearchCorpus,
  type SearchCorpus,
  searchCorpus,
} from './search-corpus.ts';

const database = await openTestDatabase();

/** Random numbers that are the same in each run: a failure is to be found again. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A vector near unit length, of multiples of 1/256: products and sums of them are exact in float32, in whatever order
 * a processor adds them. Else two chunks that are nearly as near would now and then come in another order than here.
 */
function exactVector(random: () => number): Float32Array {
  return unit(new Float32Array(1024).map(() => random() - 0.5)).map((value) => Math.round(value * 256) / 256);
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
    const embedding = exactVector(random);
    return { text, embedding: random() < 0.66 ? embedding : null };
  });
}

describe('the ranking of the database', () => {
  let corpus: SearchCorpus;

  before(async () => {
    corpus = await openSearchCorpus(database);
    for (const [index, seed] of [11, 12, 13, 14].entries()) {
      await addToCorpus(corpus, generateChunks(90, seed), { layer: index === 3 ? corpus.clientId : null });
    }
    // Texts that are stored already, in another form and with other vectors, in both layers.
    const again = generateChunks(90, 11).map(({ text }, index) => ({
      text: `  ${text.toUpperCase().replaceAll(' ', '\n')}`,
      embedding: index % 2 === 0 ? exactVector(seeded(index)) : null,
    }));
    await addToCorpus(corpus, again.slice(0, 60));
    await addToCorpus(corpus, again.slice(40), { layer: corpus.clientId });
    // Small sources, whose chunks give each other evidence.
    const few = generateChunks(60, 16);
    for (let size = 1; few.length > 0; size = (size % 9) + 1) await addToCorpus(corpus, few.splice(0, size));
    // Written, and not yet committed: counted, and found by no one.
    await addToCorpus(corpus, generateChunks(101, 15), { loading: true });
    await countCorpus(corpus);
  });

  const questions = fc.record({
    words: fc.array(fc.constantFrom(...WORDS, 'unheard', 'relase', 'databases'), { maxLength: 8 }),
    seed: fc.option(fc.nat(), { nil: null }),
    vectorWeight: fc.constantFrom(1, 0, 0.4, 3),
    topK: fc.integer({ min: 1, max: 100 }),
    include: fc.constantFrom(['team'], ['client'], ['team', 'client']) as fc.Arbitrary<('team' | 'client')[]>,
  });

  function askGenerated(runs: number): Promise<void> {
    return fc.assert(
      fc.asyncProperty(questions, async ({ words, seed, vectorWeight, topK, include }) => {
        const random = seeded(seed ?? 0);
        const embedding = seed === null ? null : exactVector(random);
        const scope = narrowScope(corpus.scope, { clientId: corpus.clientId, include });
        await askCorpus(corpus, { query: words.join(' '), embedding, vectorWeight, topK, scope });
      }),
      { numRuns: runs },
    );
  }

  async function askEachWord(): Promise<void> {
    for (const query of WORDS) await askCorpus(corpus, { query });
  }

  test('equals the reference for any words, with and without a vector, in any layers', () =>
    askGenerated(100));

  test('equals the reference for every word of the corpus by itself', askEachWord);

  test('equals the reference for questions whose common words exceed the postings that are read', async () => {
    const query =
      'the of and team release deploy invoice customer database index meeting budget quarter roadmap';
    const hits = await askCorpus(corpus, { query: `${query} Vertrag Kündigung` });
    assert.equal(
      hits.reduce((sum, hit) => sum + 1 + hit.duplicates, 0),
      50,
    );
    assert.ok(hits.some((hit) => hit.duplicates > 0));
  });

  test('equals the reference for a Team so large that its counts come from a sample', async () => {
    await countCorpus(corpus, 20);
    await askEachWord();
    await askGenerated(50);
  });
});

describe('fusion', () => {
  test('pads a keyword leg of few hits with zeros, so that a weak match does not stand out', async () => {
    const corpus = await openSearchCorpus(database);
    const others = Array.from({ length: 60 }, (_, index) => ({
      text: `word${index}`,
      embedding: axis(index),
    }));
    await addToCorpus(corpus, [{ text: 'lonely', embedding: axis(61) }, ...others]);
    await countCorpus(corpus);
    const [hit] = await askCorpus(corpus, { query: 'lonely' });
    // One of fifty, the rest zeros: 7 deviations above the mean, and each counts 2.5.
    assert.ok(hit && Math.abs(hit.score - 17.5) < 1e-3, `${hit?.score}`);
    const [chance] = await askCorpus(corpus, { query: 'a lonely pelican crossed seven harbours' });
    assert.equal(chance?.text, 'lonely');
    assert.ok(chance.score < hit.score / 3, `${chance.score}: little of the query is matched`);
    await askCorpus(corpus, { query: 'lonely word7 word8', embedding: axis(3) });
  });

  test('gives a chunk without a vector a middle value in the vector leg', async () => {
    const corpus = await openSearchCorpus(database);
    const near = unit(axis(0).with(1, 0.1));
    // A source each: chunks of one source would support each other.
    await addToCorpus(corpus, [{ text: 'harbour one', embedding: near }]);
    await addToCorpus(corpus, [{ text: 'harbour two', embedding: axis(5) }]);
    await addToCorpus(corpus, [{ text: 'harbour three', embedding: null }]);
    await addToCorpus(corpus, [{ text: 'harbour four', embedding: axis(0) }], { model: 'another/model' });
    await countCorpus(corpus);
    const hits = await askCorpus(corpus, { query: 'harbour', embedding: axis(0) });
    assert.equal(hits[0]?.text, 'harbour one');
    assert.equal(hits.at(-1)?.text, 'harbour two');
    assert.deepEqual(
      hits.slice(1, 3).map((hit) => hit.semantic_rank),
      [null, null],
      'vectors of another model are compared with nothing',
    );
  });

  test('treats a deviation of 0 as 1, so that a leg of equal values decides nothing', async () => {
    const corpus = await openSearchCorpus(database);
    const equals = Array.from({ length: 60 }, (_, index) => ({
      text: `same words ${'!'.repeat(index)}`,
      embedding: axis(0),
    }));
    await addToCorpus(corpus, equals);
    await countCorpus(corpus);
    const hits = await askCorpus(corpus, { query: 'same words', embedding: axis(0) });
    assert.equal(hits.length, 50);
    for (const hit of hits) assert.ok(Math.abs(hit.score) < 1e-3, `${hit.score}`);
  });

  test('ranks chunks with a rare code of the question first, but not chunks with a common code', async () => {
    const corpus = await openSearchCorpus(database);
    const near = Array.from({ length: 30 }, (_, index) => ({
      text: `how the pump is serviced ${'again '.repeat(index)}MODEL_77`,
      embedding: unit(axis(0).with(index + 1, 0.01)),
    }));
    await addToCorpus(corpus, [
      ...near,
      { text: 'ERR_4711 printed in a long list of other things', embedding: axis(900) },
    ]);
    await countCorpus(corpus);
    const embedding = axis(0);
    const [first] = await askCorpus(corpus, {
      query: 'how is the pump serviced when it shows ERR_4711',
      embedding,
    });
    assert.match(first?.text ?? '', /ERR_4711/);
    const [common] = await askCorpus(corpus, { query: 'how is the pump MODEL_77 serviced', embedding });
    assert.match(common?.text ?? '', /pump/);
  });
});

describe('the evidence of a source', () => {
  /** Texts of equal length in words, so that equal words have equal scores. */
  const PUMP = 'the pump was mended again';
  const VALVE = 'a valve and its pump leak';
  const OTHER = 'nobody said much about anything';
  const texts = (...all: string[]) => all.map((text) => ({ text }));

  const found = async (corpus: SearchCorpus, question: CorpusQuestion) =>
    (await searchCorpus(corpus, question)).map(({ chunk_id, score, keyword_rank }) => ({
      chunk_id,
      score,
      keyword_rank,
    }));

  test('lifts a chunk above an equal one of a source without other hits', async () => {
    const corpus = await openSearchCorpus(database);
    // Of equal scores, the chunk that was stored first comes first.
    const single = await addToCorpus(corpus, texts(`${PUMP}!`, OTHER));
    const several = await addToCorpus(corpus, texts(`${PUMP}.`, VALVE, VALVE.toUpperCase()));
    await addToCorpus(corpus, texts(...Array.from({ length: 9 }, (_, n) => `${OTHER} ${n}`)));
    await countCorpus(corpus);
    const hits = await askCorpus(corpus, { query: 'pump valve mended' });
    const place = (sourceId: string) =>
      hits.findIndex((hit) => hit.source_id === sourceId && hit.text.startsWith(PUMP));
    assert.ok(place(several) < place(single), `${place(several)} is not before ${place(single)}`);
  });

  test('does not come from chunks of the source that a filter refuses', async () => {
    const corpus = await openSearchCorpus(database);
    await addToCorpus(corpus, texts(`${PUMP} today`, OTHER));
    const source = await addToCorpus(
      corpus,
      texts(PUMP, VALVE, 'pump valve mended', 'mended valve of the pump'),
    );
    await countCorpus(corpus);
    const late = new Date('2026-06-01');
    await database.query(
      `update memory.chunk set created_at = case when ordinal = 0 then $3::timestamptz else '2026-01-01' end
        where team_id = $1 and source_id = $2`,
      [corpus.team.teamId, source, late],
    );
    const question = { query: 'pump valve mended', createdAfter: new Date('2026-02-01') };
    const before = await found(corpus, question);
    assert.equal(before.length, 2);
    await database.query('delete from memory.chunk where team_id = $1 and source_id = $2 and ordinal > 0', [
      corpus.team.teamId,
      source,
    ]);
    assert.deepEqual(await found(corpus, question), before);
  });
});
