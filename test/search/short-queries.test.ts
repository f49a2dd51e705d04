import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HELD_LANGUAGES, readPairs } from '../../bench/pairs/languages.ts';
import { askPairs, meanOf, sharesOf, storePairs } from '../../bench/pairs/team-of-pairs.ts';
import { openTestApp } from '../support/app.ts';
import { addSource } from '../support/source-library.ts';
import { addClient } from '../support/team.ts';

/** Percent of the queries of a language whose text is among the first three hits; `npm run bench:pairs` has larger Teams. */
const MEAN = 98;
const LEAST = 90;

const service = await openTestApp();

test(`queries of one to three words find ${MEAN} % of the texts that they mean, as a mean of ${HELD_LANGUAGES.length} languages`, async () => {
  const team = await storePairs(service, await service.company(), readPairs());
  const answers = await askPairs(team);
  const shares = sharesOf(answers);
  const missed = answers
    .filter(({ place }) => place === null)
    .map(({ pair, first }) => `${pair.language} ${pair.kind}: ${pair.query}; first: ${first ?? 'nothing'}`);
  const below = HELD_LANGUAGES.filter((language) => (shares.get(language)?.found ?? 0) < LEAST);
  assert.deepEqual(below, [], missed.join('\n'));
  const { found } = meanOf(shares);
  assert.ok(found >= MEAN, `${found.toFixed(1)} %\n${missed.join('\n')}`);
});

test('what a short query can stand for is found only within the scope and the filters', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const add = (text: string, fields: object = {}) => addSource(company, { title: 'a note', text, ...fields });
  await add('two herons by the river', { tags: ['birds'] });
  await add('three herons in the reeds');
  await add('herons of the client', { scope: { clientId } });
  const found = async (query: string, more: object = {}) => {
    const body = { query, embeddingMode: 'keyword', ...more } as const;
    const { hits } = await company.api.searchMemory(body);
    return hits.map(({ text }) => text).sort();
  };
  for (const query of ['heron', 'herosn']) {
    assert.deepEqual(await found(query), ['three herons in the reeds', 'two herons by the river'], query);
    assert.deepEqual(await found(query, { tags: ['birds'] }), ['two herons by the river']);
    assert.deepEqual(await found(query, { kinds: ['memory'] }), []);
    assert.deepEqual(await found(query, { scope: { clientId, include: ['client'] } }), [
      'herons of the client',
    ]);
  }
  // A word that is in a text as it is typed is no error, and comes before another form.
  await add('one heron alone');
  assert.deepEqual((await found('herosn')).length, 3);
  const { hits } = await company.api.searchMemory({ query: 'heron', embeddingMode: 'keyword' });
  assert.equal(hits[0]?.text, 'one heron alone');
});
