import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { transaction } from '../../../db/driver/database.ts';
import { searchExplained } from '../../../db/queries/search/search.ts';
import { narrowScope } from '../../../shared/scope.ts';
import { queryTerms } from '../../../shared/text/terms/terms.ts';
import { openTestDatabase, TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { axis } from '../../support/sources.ts';
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

async function scoreOf(corpus: SearchCorpus, query: string, text: string): Promise<number> {
  const hit = (await askCorpus(corpus, { query })).find((one) => one.text === text);
  assert.ok(hit, `${text} is found`);
  return hit.score;
}

describe('the evidence of a source', () => {
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

  test('does not come from chunks outside of the scope, or of a source that is loading', async () => {
    const corpus = await openSearchCorpus(database);
    await addToCorpus(corpus, texts(PUMP, OTHER));
    await addToCorpus(corpus, texts(`${PUMP} today`, VALVE));
    await countCorpus(corpus);
    const team = narrowScope(corpus.scope, {});
    const question = { query: 'pump valve mended', scope: team };
    const before = await found(corpus, question);
    await addToCorpus(corpus, texts(VALVE, PUMP, 'pump valve mended'), { layer: corpus.clientId });
    await addToCorpus(corpus, texts(...Array.from({ length: 101 }, (_, n) => `pump valve mended ${n}`)), {
      loading: true,
    });
    assert.deepEqual(await found(corpus, question), before);
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

  test('comes from the three best chunks only', async () => {
    const chunks = [
      'pump valve one',
      'pump valve second',
      'pump valve number three',
      'pump valve and also four',
    ];
    const [one, second, third, fourth] = chunks as [string, string, string, string];
    // The same chunks in each Team, so that the words weigh the same.
    const evidence = async (...sources: string[][]) => {
      const corpus = await openSearchCorpus(database);
      for (const source of sources) await addToCorpus(corpus, texts(...source));
      await addToCorpus(corpus, texts(...Array.from({ length: 20 }, (_, n) => `${OTHER} ${n}`)));
      await countCorpus(corpus);
      const query = { terms: queryTerms(corpus.team.teamId, 'pump valve'), embedding: null };
      const { hits } = await transaction(database, corpus.scope, (tx) =>
        searchExplained(tx, { ...query, model: TEST_MODEL_NAME, topK: 50 }),
      );
      assert.equal(hits.length, chunks.length);
      return hits.find((hit) => hit.text === one)?.detail.sourceEvidence ?? Number.NaN;
    };
    const alone = await evidence([one], [second], [third], [fourth]);
    const two = await evidence([one, second], [third], [fourth]);
    const three = await evidence([one, second, third], [fourth]);
    assert.ok(Math.abs(alone) < 1e-6 && two > 0.001 && three > two + 0.001, `${alone}, ${two}, ${three}`);
    assert.ok(Math.abs((await evidence([one, second, third, fourth])) - three) < 1e-6);
  });

  test('does not change the score of the only chunk of a source', async () => {
    const score = async (other: string[]) => {
      const corpus = await openSearchCorpus(database);
      await addToCorpus(corpus, texts('lonely'));
      await addToCorpus(corpus, texts(...other));
      await countCorpus(corpus);
      return scoreOf(corpus, 'lonely', 'lonely');
    };
    const others = Array.from({ length: 60 }, (_, n) => `word${n}`);
    // One of fifty hits, the rest zeros: 7 deviations above the mean, and each counts 2.5.
    assert.ok(Math.abs((await score(others)) - 17.5) < 1e-3);
  });

  test('leaves a chunk with a rare code of the query first', async () => {
    const corpus = await openSearchCorpus(database);
    const query = 'how was the pump mended when it showed ERR_4711';
    await addToCorpus(corpus, texts(...Array.from({ length: 30 }, (_, n) => `how was the pump mended ${n}`)));
    await addToCorpus(corpus, texts('ERR_4711 printed in a long list of many quite different things'));
    await countCorpus(corpus);
    const [first] = await askCorpus(corpus, { query });
    assert.match(first?.text ?? '', /ERR_4711/);
  });

  test('lifts a chunk that was found only by meaning, if its source was found by keyword', async () => {
    const corpus = await openSearchCorpus(database);
    await addToCorpus(corpus, [{ text: OTHER, embedding: axis(0) }]);
    await addToCorpus(corpus, [
      { text: `${OTHER} else`, embedding: axis(0) },
      { text: PUMP, embedding: axis(7) },
      { text: VALVE, embedding: axis(8) },
    ]);
    await countCorpus(corpus);
    const hits = await askCorpus(corpus, { query: 'pump valve mended', embedding: axis(0) });
    const score = (text: string) => hits.find((hit) => hit.text === text)?.score ?? Number.NaN;
    assert.ok(score(`${OTHER} else`) > score(OTHER) + 0.1, `${score(`${OTHER} else`)} and ${score(OTHER)}`);
  });
});

describe('scores with evidence', () => {
  const words = 'pump valve mended harbour crane lantern Prüfung насос 泵站 ERR_4711'.split(' ');
  const text = fc.array(fc.constantFrom(...words, 'and', 'the'), { minLength: 1, maxLength: 12 });
  const chunk = fc.record({ words: text, near: fc.option(fc.nat(5), { nil: null }) });
  const source = fc.array(chunk, { minLength: 1, maxLength: 9 });
  let corpus: SearchCorpus;

  before(async () => {
    corpus = await openSearchCorpus(database);
    for (const [nth, chunks] of fc.sample(source, { seed: 5, numRuns: 24 }).entries()) {
      const given = chunks.map((one) => ({
        text: one.words.join(' '),
        embedding: one.near === null ? null : axis(one.near),
      }));
      await addToCorpus(corpus, given, { layer: nth % 3 === 2 ? corpus.clientId : null });
    }
    await countCorpus(corpus);
  });

  test('equal a plain implementation for any words, layers and vectors', async () => {
    const question = fc.record({
      query: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }),
      near: fc.option(fc.nat(5), { nil: null }),
      include: fc.constantFrom(['team'], ['client'], ['team', 'client']) as fc.Arbitrary<
        ('team' | 'client')[]
      >,
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ query, near, include }) => {
        const embedding = near === null ? null : axis(near);
        const scope = narrowScope(corpus.scope, { clientId: corpus.clientId, include });
        await askCorpus(corpus, { query: query.join(' '), embedding, scope });
      }),
      { numRuns: 40 },
    );
  });
});
