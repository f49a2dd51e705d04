import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HELD_LANGUAGES, readPairs } from '../../bench/pairs/languages.ts';
import { askPairs, meanOf, sharesOf, storePairs } from '../../bench/pairs/team-of-pairs.ts';
import { openTestApp } from '../../support/app.ts';

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
