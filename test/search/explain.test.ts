import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { HitExplanation } from '../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { KEYWORDS_ALONE } from '../support/retrieval-run.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, along, CLAIM } from '../support/team.ts';
import { countTermsNow, setTermCounts } from '../support/term-counts.ts';
import { answerHeron, explainHeron } from './explained-search.ts';

// Server mode is on but there is no worker, so such searches are answered by keywords.
const service = await openTestApp(KEYWORDS_ALONE);
const { database } = service;

const NO_WORDS = '?!';
/** How many hits of each leg are fused. */
const LEG = 50;
/** The database adds in float32 and rounds vectors to float16. */
const ROUNDING = 1e-3;

/** The keyword score by which a hit is ranked. */
const ranking = ({ explain }: { explain: HitExplanation }) =>
  explain.keyword_score + (explain.guessed_score ?? 0) + (explain.source_evidence ?? Number.NaN);

function near(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) < ROUNDING, `${what}: ${actual} is not ${expected}`);
}

/** Vectors of unit length whose cosine to `along(0)` is the given one. */
const leaning = (cosine: number) => along(0, cosine).with(1, Math.sqrt(1 - cosine ** 2));

/** Texts with their cosines to `along(0)`; null without a vector. */
const BIRDS: readonly [text: string, cosine: number | null][] = [
  ['heron', 0.1],
  ['heron and stork by the river', 0.9],
  ['the herons of the northern harbour, counted in spring', 0.3],
  ['a stork, ring ERR_4711, seen by the river', null],
  ['heron heron heron', null],
  ['nothing of the kind', -0.5],
  ['the boats are painted', 0.6],
];

async function addBirds(company: SignedIn): Promise<void> {
  const chunks = BIRDS.map(([text, cosine]) =>
    cosine === null ? { text } : { text, embedding: leaning(cosine) },
  );
  await addSource(company, { chunks, ...CLAIM });
  await countTermsNow(database, company);
}

const QUERIES = [
  'heron',
  'which heron or stork by the river',
  'ring err_4711 of the stork',
  'harbours',
  NO_WORDS,
];

describe('an explained search', () => {
  let company: SignedIn;
  before(async () => {
    company = await service.company();
    await addBirds(company);
  });

  test('a search with explain returns the same hits in the same order as one without', async () => {
    for (const query of QUERIES) {
      const { queryId: _, explain: __, hits, ...rest } = await explainHeron(company, { query });
      for (const without of [{}, { explain: false }]) {
        const { queryId: ___, hits: bare, ...others } = await answerHeron(company, { query, ...without });
        assert.deepEqual(others, rest, 'an answer that explains nothing does not mention it');
        assert.deepEqual(
          bare,
          hits.map(({ explain: ____, ...hit }) => hit),
        );
      }
    }
  });

  test('an explanation names the legs, the keys and the chunks that were counted', async () => {
    const { explain, hits } = await explainHeron(company, { query: 'heron ERR_4711' });
    const { milliseconds, counted, terms: _, ...rest } = explain;
    for (const [stage, time] of Object.entries(milliseconds)) assert.ok(time >= 0, `${stage} took ${time}`);
    assert.deepEqual([counted?.chunks, counted?.sampled], [BIRDS.length, BIRDS.length]);
    const keys = column(rest.keyword.keys, 'key').sort();
    assert.deepEqual(keys, ['4711', 'err', 'err4*', 'err4711', 'err_4711', 'hero*', 'heron']);
    assert.deepEqual(
      { ...rest, keyword: {} },
      {
        semantic: { path: 'exact', candidates: 5, hits: 5 },
        keyword: {},
        filtered: null,
        otherLayers: { candidates: 0 },
      },
    );
    assert.ok(hits.length > 0);
  });

  test('an explanation contains the cosine of every hit that has a vector, whichever leg found it', async () => {
    const cosines = new Map(BIRDS);
    const { hits } = await explainHeron(company, { query: 'heron stork', minSimilarity: 0.5 });
    assert.ok(hits.some((hit) => hit.semantic_rank === null && hit.explain.similarity !== null));
    assert.ok(hits.some((hit) => hit.explain.similarity === null));
    for (const { text, explain } of hits) {
      const cosine = cosines.get(text) ?? null;
      if (cosine === null) assert.equal(explain.similarity, null, text);
      else near(explain.similarity ?? Number.NaN, cosine, text);
    }
  });

  test('the keyword score of a hit is the sum of its terms and gives the keyword order', async () => {
    for (const query of QUERIES) {
      const { explain, hits } = await explainHeron(company, { query });
      const asked = new Set(explain.terms.map(({ kind, term }) => `${kind} ${term}`));
      const byKeyword = hits.filter((hit) => hit.keyword_rank !== null);
      byKeyword.sort((a, b) => (a.keyword_rank ?? 0) - (b.keyword_rank ?? 0));
      assert.equal(byKeyword.length, explain.keyword.hits, query);
      for (const [index, { explain: of, text }] of byKeyword.entries()) {
        assert.ok(of.keyword_score + (of.guessed_score ?? 0) > 0, text);
        const next = byKeyword[index + 1];
        const after = next === undefined ? 0 : ranking(next);
        const why = `${query}: ${text} ranks before a higher score`;
        assert.ok(ranking({ explain: of }) >= after - ROUNDING, why);
      }
      for (const { explain: of, text } of hits) {
        const weights = column(of.terms, 'weight');
        const sum = weights.reduce((before, weight) => before + weight, 0);
        near(of.keyword_score, sum, text);
        const descending = weights.toSorted((a, b) => b - a);
        assert.deepEqual(weights, descending, 'the heaviest first');
        assert.ok(weights.every((weight) => weight > 0));
        for (const { term, kind } of of.terms)
          assert.ok(asked.has(`${kind} ${term}`), `${term} was asked for`);
      }
    }
  });

  // The score itself is compared with a reference in test/db/search/search.test.ts.
  test('the z-scores of a hit add up to its score, and that of the vector leg follows from its similarity', async () => {
    for (const query of QUERIES) {
      const { hits } = await explainHeron(company, { query });
      const nearest = hits.flatMap(({ semantic_rank, explain: { similarity } }) =>
        semantic_rank === null ? [] : [similarity ?? Number.NaN],
      );
      const mean = nearest.reduce((sum, value) => sum + value, 0) / nearest.length;
      const variance = nearest.reduce((sum, value) => sum + (value - mean) ** 2, 0) / nearest.length;
      for (const { text, explain: of, score, semantic_rank } of hits) {
        near(of.keyword_z + of.semantic_z, score, `the score of ${text}`);
        if (semantic_rank === null) assert.deepEqual([of.similarity, of.semantic_z], [null, 0]);
        else
          near(of.semantic_z, ((of.similarity ?? 0) - mean) / Math.sqrt(variance), `semantic z of ${text}`);
      }
    }
  });

  test('an explanation marks the hit with a rare code of the query, and the key of that code', async () => {
    const { explain, hits } = await explainHeron(company, { query: 'heron with ring err_4711' });
    assert.deepEqual(
      hits.filter((hit) => hit.explain.identifier).map((hit) => hit.text),
      ['a stork, ring ERR_4711, seen by the river'],
    );
    assert.equal(hits[0]?.explain.identifier, true);
    // As heavy as the code itself is the code without what joins its parts.
    assert.ok(hits[0]?.explain.terms.slice(0, 2).some(({ term }) => term === 'err_4711'));
    assert.deepEqual(
      explain.keyword.keys.filter((key) => key.identifier).map(({ key, read }) => [key, read]),
      [['err_4711', true]],
    );
  });

  test('an explanation counts the chunks that passed the filters within the scope', async () => {
    const clientId = await addClient(service, company);
    await addSource(company, { text: 'heron of a client', scope: { clientId } });
    const filtered = async (body: object) => (await explainHeron(company, body)).explain.filtered;
    assert.equal(await filtered({ kinds: ['ingest'] }), BIRDS.length);
    assert.equal(await filtered({ kinds: ['ingest'], scope: { clientId } }), BIRDS.length + 1);
    assert.equal(await filtered({ kinds: ['ingest'], scope: { clientId, include: ['client'] } }), 1);
    assert.equal(await filtered({ kinds: ['memory'] }), 0);
  });

  test('an explanation has null for the vector leg when the query could not be embedded', async () => {
    const { degraded, explain, hits } = await explainHeron(company, { embeddingMode: 'server' });
    assert.deepEqual([degraded, explain.semantic], [true, null]);
    assert.ok(hits.length > 0);
    for (const { explain: of, score } of hits) {
      assert.deepEqual([of.similarity, of.semantic_z], [null, 0]);
      near(of.keyword_z, score, 'the score');
    }
  });
});

test('an explanation marks the key of a very common term as not read', async () => {
  const [chunks, common] = [60_000, 50_000];
  const company = await service.company();
  // Words that few chunks of such a Team contain, and that fill the leg.
  const northern = Array.from({ length: LEG }, (_, n) => ({ text: `northern light ${n}` }));
  await addSource(company, { chunks: northern });
  await addBirds(company);
  // As in a layer so large that reading the postings of its common words would take too long.
  await setTermCounts(database, company, { chunks, words: { the: common, northern: LEG } });
  const { explain, hits } = await explainHeron(company, { query: 'the northern harbour' });
  const read = new Map(explain.keyword.keys.map((key) => [key.key, key.read]));
  assert.deepEqual([read.get('the'), read.get('northern'), read.get('harbour')], [false, true, true]);
  const [the] = explain.terms.filter(({ term, kind }) => term === 'the' && kind === 'exact');
  const written = BIRDS.filter(([text]) => / the |^the /.test(text)).length;
  assert.deepEqual([the?.documents, the?.scaled], [written, false], 'what exists is counted');
  assert.equal(explain.keyword.candidates, northern.length + 1);
  const [best] = hits.filter((hit) => hit.keyword_rank === 1);
  assert.match(best?.text ?? '', /northern harbour/);
  assert.ok(
    best?.explain.terms.some(({ term }) => term === 'the'),
    'it counts all the same',
  );
});
