import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SearchExplanation } from '../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { repeatChunks } from '../support/repeated-chunks.ts';
import { addSource } from '../support/source-library.ts';
import { addClient } from '../support/team.ts';
import { countTermsNow } from '../support/term-counts.ts';
import { explainHeron } from './explained-search.ts';

const service = await openTestApp();
const { database } = service;

const add = async (company: SignedIn, body: object) => (await addSource(company, body)).id;
const termsOf = async (company: SignedIn, body: object) => (await explainHeron(company, body)).explain.terms;

/** Documents and `scaled` of each term, by its text. */
const figures = (terms: SearchExplanation['terms'], kind: 'exact' | 'gram') =>
  Object.fromEntries(
    terms
      .filter((term) => term.kind === kind)
      .map(({ term, documents, scaled }) => [term, [documents, scaled]]),
  );

describe('the documents of a term', () => {
  test('they are the chunks of the scope that contain it, before and after the words are counted', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await add(company, { chunks: ['heron', 'herons', 'a heron again', 'stork'].map((text) => ({ text })) });
    await add(company, { text: 'heron of a client', scope: { clientId } });
    const assertCounted = async () => {
      const terms = await termsOf(company, { query: 'heron stork unheard' });
      assert.deepEqual(figures(terms, 'exact'), {
        heron: [2, false],
        stork: [1, false],
        unheard: [0, false],
      });
      const grams = figures(terms, 'gram');
      assert.deepEqual(
        [grams['_her'], grams['_sto'], grams['_unh']],
        [
          [3, false],
          [1, false],
          [0, false],
        ],
      );
      const both = await termsOf(company, { query: 'heron', scope: { clientId } });
      assert.deepEqual(figures(both, 'exact'), { heron: [3, false] });
      const filtered = await termsOf(company, { query: 'heron', kinds: ['memory'] });
      assert.deepEqual(figures(filtered, 'exact'), { heron: [2, false] });
    };
    await assertCounted();
    await countTermsNow(database, company);
    await assertCounted();
  });

  test('in a large scope they are scaled from a sample and marked, except those of rare words', async () => {
    const company = await service.company();
    const chunks = ['heron', 'heron by the lake', 'stork', 'stork'].map((text) => ({ text }));
    const repeats = 1499;
    await repeatChunks(database, company, await add(company, { chunks }), repeats);
    await add(company, { text: 'one lapwing' });
    const total = chunks.length * (repeats + 1) + 1;
    for (const counted of [false, true]) {
      if (counted) await countTermsNow(database, company);
      const terms = await termsOf(company, { query: 'heron lapwing unheard' });
      const { heron, ...rare } = figures(terms, 'exact') as Record<string, [number, boolean]>;
      assert.deepEqual(rare, { lapwing: [1, false], unheard: [0, false] });
      assert.equal(heron?.[1], true);
      const share = (heron?.[0] ?? 0) / total;
      assert.ok(share > 0.4 && share < 0.6, `${heron?.[0]} of ${total}`);
      const grams = figures(terms, 'gram');
      assert.deepEqual(grams['_her'], heron);
      assert.deepEqual(grams['_unh'], [0, true]);
    }
  });
});

describe('candidates in other layers', () => {
  test('an explanation counts them in layers that the caller can read and did not ask for', async () => {
    const company = await service.company();
    const [one, other] = [await addClient(service, company), await addClient(service, company)];
    await add(company, { chunks: [{ text: 'heron' }, { text: 'walrus' }] });
    await add(company, { chunks: [{ text: 'herons' }, { text: 'heron' }], scope: { clientId: one } });
    await add(company, { chunks: [{ text: 'heron' }, { text: 'stork' }], scope: { clientId: other } });
    for (const [scope, candidates] of [
      [{}, 3],
      [{ clientId: one }, 1],
      [{ clientId: one, include: ['client'] }, 2],
      [{ include: ['client'] }, 1],
      [{ include: ['team', 'client'] }, 0],
    ] as const) {
      const { explain } = await explainHeron(company, { scope });
      assert.deepEqual(explain.otherLayers, { candidates }, JSON.stringify(scope));
      assert.equal(explain.source, undefined, 'no source was asked for');
    }
  });
});
