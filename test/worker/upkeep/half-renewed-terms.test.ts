import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Database, transaction } from '../../../db/driver/database.ts';
import { countTeamFigures } from '../../../db/queries/jobs/status.ts';
import { searchChunks } from '../../../db/queries/search/search.ts';
import { searchExplained } from '../../../db/queries/search/search-explained.ts';
import { queryTerms, TERMS_VERSION } from '../../../shared/text/terms.ts';
import { doJob } from '../../support/do-job.ts';
import { EARLIER_TEXTS, storeEarlierTexts } from '../../support/earlier-terms.ts';
import { createTestCompany, openTestDatabase, TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { ownerScope } from '../../support/scopes.ts';
import { countTermsNow } from '../../support/term-counts.ts';

const database = await openTestDatabase();
const company = await createTestCompany(database);
const scope = ownerScope(company);
/** It is in every text. */
const CODE = 'PX-4711';

/** Words with six letters or more, of alphabets in which other words are not joined before them, and of others. */
const LONG = /^[\p{sc=Latin}\p{sc=Cyrillic}]{6,}$/u;
const LONG_JOINED = /^[\p{sc=Hebrew}\p{sc=Arabic}]{6,}$/u;

/** What found the text by the rules of version 3: each word, each code as it is written, and beginnings of words. */
function queriesOf(text: string): Set<string> {
  const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const written = text.split(' ').filter((part) => /\p{L}|\p{N}/u.test(part));
  // Of the same first five letters.
  const beginnings = words.flatMap((word) => [
    ...(LONG.test(word) ? [word.slice(0, 5)] : []),
    ...(LONG.test(word) || LONG_JOINED.test(word) ? [word.slice(0, -1)] : []),
  ]);
  return new Set([...words, ...written, ...beginnings]);
}

/** What finds the texts by the present rules, by a part of the text. Version 3 found none of these. */
const NEW_FORMS: Readonly<Record<string, readonly string[]>> = {
  keys: ['key', 'user'],
  pumps: ['pump', 'leak'],
  getUserById: ['get user by id', 'db session'],
  parseHtmlNode: ['html node', 'http request'],
  'e-mail': ['email', 'obrien', 'signin', 'pocs30017'],
  '1,250,000': ['1250000'],
  Straße: ['Strasse', 'Fuss'],
  Krankenversicherungskarte: ['Versicherungskarte', 'Mueller'],
  Łódź: ['Lodz', 'kapi'],
  Søren: ['Aero', 'Ost'],
  œuvre: ['oeuvre'],
  Đak: ['dak'],
  Ключи: ['ключ'],
  בשבכה: ['שבכה'],
  والمفاتيح: ['مفاتيح'],
  我家的猫: ['猫'],
  Rocket: ['🚀'],
};

const asked = (query: string) => ({
  terms: queryTerms(scope.teamId, query),
  embedding: null,
  model: TEST_MODEL_NAME,
  topK: 50,
});

/** Transactions of the job for a source with one passage: find, read, replace, read on, end. */
const TRANSACTIONS = 5;

/** Runs the job until it has begun this many transactions, as if the worker was killed in the last one. */
async function renewUntilKilled(transactions: number): Promise<void> {
  let begun = 0;
  const killed = new Error('the worker was killed');
  const dying: Database = {
    ...database,
    transaction: (fn, opening) => {
      begun += 1;
      return begun < transactions ? database.transaction(fn, opening) : Promise.reject(killed);
    },
  };
  const { companyId, teamId, ownerId: userId } = company;
  await assert.rejects(doJob(dying, 'terms.renew', { companyId, teamId, userId }), killed);
}

const outdated = async () => (await transaction(database, scope, countTeamFigures)).terms.outdated;

/** The queries that do not find their text exactly once. */
const lost = () =>
  transaction(database, scope, async (tx) => {
    const faults: string[] = [];
    for (const { text } of EARLIER_TEXTS) {
      for (const query of queriesOf(text)) {
        const hits = await searchChunks(tx, asked(query));
        const found = hits.filter((hit) => hit.text === text).length;
        if (found !== 1) faults.push(`${query}: ${found} x ${text}`);
      }
    }
    return faults;
  });

/** The new forms that do not find a text whose terms were made again. */
const lostForms = () =>
  transaction(database, scope, async (tx) => {
    const renewed = await tx.query<{ text: string }>(
      `select c.text from memory.chunk c join memory.source s on s.team_id = c.team_id and s.id = c.source_id
        where s.team_id = $1 and s.terms_version = $2`,
      [scope.teamId, TERMS_VERSION],
    );
    const faults: string[] = [];
    for (const [part, queries] of Object.entries(NEW_FORMS)) {
      const text = renewed.find((each) => each.text.includes(part))?.text;
      if (text === undefined) continue;
      for (const query of queries) {
        const hits = await searchChunks(tx, asked(query));
        if (!hits.some((hit) => hit.text === text)) faults.push(`${query}: ${text}`);
      }
    }
    return faults;
  });

/** The texts that a code finds which is in all of them, sorted, and by which counts. */
async function everything() {
  const { hits, trace } = await transaction(database, scope, (tx) => searchExplained(tx, asked(CODE)));
  return {
    texts: hits.map(({ text }) => text).toSorted(),
    counted: trace.counted?.chunks,
    documents: Math.max(...trace.weights.map(({ documents }) => documents)),
  };
}

describe('a Team whose terms are made again', () => {
  const all = {
    texts: EARLIER_TEXTS.map(({ text }) => text).toSorted(),
    counted: EARLIER_TEXTS.length,
    documents: EARLIER_TEXTS.length,
  };

  test('finds each text by its words, codes and beginnings of words, also halfway, when the worker was killed', async () => {
    const { companyId, teamId, ownerId: userId } = company;
    await storeEarlierTexts(database, scope);
    await countTermsNow(database, company);
    const mark = (version: number) =>
      database.query('update memory.source set terms_version = $2 where team_id = $1', [teamId, version]);
    // As a source with another title is marked.
    await mark(0);
    assert.deepEqual([await lost(), await everything()], [[], all], 'before');
    await mark(TERMS_VERSION - 1);
    const half = Math.floor(EARLIER_TEXTS.length / 2);
    // The terms of the last one are replaced, but it is still outdated.
    await renewUntilKilled(TRANSACTIONS * half + 4);
    assert.equal(await outdated(), EARLIER_TEXTS.length - half);
    assert.deepEqual([await lost(), await everything()], [[], all], 'halfway, by the counts of before');
    assert.deepEqual(await lostForms(), [], 'halfway');
    await doJob(database, 'terms.renew', { companyId, teamId, userId });
    assert.equal(await outdated(), 0);
    assert.deepEqual([await lostForms(), await everything()], [[], all], 'after');
  });
});
