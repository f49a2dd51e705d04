import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchExplanation, SearchResponse } from '../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, along, CLAIM } from '../support/team.ts';
import { countTermsNow } from '../support/term-counts.ts';
import { askHeron, explainHeron } from './explained-search.ts';

const service = await openTestApp();
const { database } = service;

const add = async (company: SignedIn, body: object) => (await addSource(company, body)).id;
const termsOf = async (company: SignedIn, body: object) => (await explainHeron(company, body)).explain.terms;

/** The documents of each term, by its text. `scaled` is tested in test/db/search. */
const documents = (terms: SearchExplanation['terms'], kind: 'exact' | 'gram') =>
  Object.fromEntries(terms.filter((term) => term.kind === kind).map((one) => [one.term, one.documents]));

test('the documents of a term are the chunks of the scope that contain it, before and after the words are counted', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  await add(company, { chunks: ['heron', 'herons', 'a heron again', 'stork'].map((text) => ({ text })) });
  await add(company, { text: 'heron of a client', scope: { clientId } });
  for (const counted of [false, true]) {
    if (counted) await countTermsNow(database, company);
    const terms = await termsOf(company, { query: 'heron stork unheard' });
    assert.deepEqual(documents(terms, 'exact'), { heron: 2, stork: 1, unheard: 0 });
    const { _her, _sto, _unh } = documents(terms, 'gram');
    assert.deepEqual([_her, _sto, _unh], [3, 1, 0]);
    const both = await termsOf(company, { query: 'heron', scope: { clientId } });
    assert.deepEqual(documents(both, 'exact'), { heron: 3 });
    const filtered = await termsOf(company, { query: 'heron', kinds: ['memory'] });
    assert.deepEqual(documents(filtered, 'exact'), { heron: 2 });
  }
});

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

test('an explanation for a narrowed scope reveals nothing about records outside it', async () => {
  const company = await service.company();
  const [mine, other] = [await addClient(service, company), await addClient(service, company)];
  await add(company, { text: 'heron of mine', scope: { clientId: mine } });
  const chunks = [{ text: 'heron zanzibar PX-4711', embedding: along(0) }];
  const hidden = await add(company, { title: 'cormorant', chunks, scope: { clientId: other }, ...CLAIM });
  await countTermsNow(database, company);
  const scope = { clientId: mine, include: ['client'] };
  const answer = await askHeron(company, { query: 'heron px-4711', explain: true, scope });
  for (const word of ['zanz', 'cormorant', hidden]) assert.ok(!answer.body.includes(word), word);
  const { hits, explain } = answer.json<SearchResponse>();
  assert.deepEqual(
    hits.map((hit) => [hit.text, hit.explain?.identifier]),
    [['heron of mine', false]],
  );
  assert.deepEqual([explain?.keyword.candidates, explain?.semantic?.candidates], [1, 0]);
});
