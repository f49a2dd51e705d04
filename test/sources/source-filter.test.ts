import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addMemory } from '../support/memories.ts';
import { addSource, archived, listSources } from '../support/source-library.ts';
import { addClient, type Caller } from '../support/team.ts';

const service = await openTestApp();

/** The titles of the sources that a filtered list shows. */
async function titles(caller: Caller, q: string, more = ''): Promise<string[]> {
  const found = await listSources(caller, `?q=${encodeURIComponent(q)}${more}`);
  return found.map(({ title }) => title);
}

/** A Team with a source for each of these titles, the last one newest. */
async function shelf(...given: string[]): Promise<SignedIn> {
  const company = await service.company();
  for (const title of given) await addSource(company, { title });
  return company;
}

describe('the filter q of the list of sources', () => {
  test('q searches title, uri and external id, and nothing else', async () => {
    const company = await service.company();
    const add = (title: string, fields: object) => addSource(company, { title, ...fields });
    await add('The Heron', {});
    await add('by uri', { uri: 'https://example.com/HERON.html' });
    await add('by id', { externalId: 'heron-7' });
    await add('by text', { text: 'A heron stands.' });
    await add('by metadata', { metadata: { bird: 'heron' } });
    await add('by nothing', { uri: 'x:y', externalId: 'her on' });
    assert.deepEqual(await titles(company, 'heron'), ['by id', 'by uri', 'The Heron']);
  });

  test('q finds the whole text anywhere in a title', async () => {
    const company = await shelf('Annual report 2024', 'Report', 'A reporter');
    assert.deepEqual(await titles(company, 'report'), ['A reporter', 'Report', 'Annual report 2024']);
    assert.deepEqual(await titles(company, 'reporter'), ['A reporter']);
    assert.deepEqual(await titles(company, 'report 2'), ['Annual report 2024']);
    assert.deepEqual(await titles(company, 'annual 2024'), []);
    assert.deepEqual(await titles(company, ' reporter\t\n'), ['A reporter'], 'without the space around it');
    for (const blank of ['', ' ', '\t \n', '\u00a0']) assert.equal((await titles(company, blank)).length, 3);
  });

  test('q can be combined with kind, state and clientId', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const gone = await addSource(company, { title: 'Heron, archived' });
    await addSource(company, { title: 'Heron, ingested' });
    await addSource(company, { title: 'Heron, of a client', scope: { clientId } });
    await addMemory(company, 'published', { title: 'Heron, remembered' });
    await addSource(company, { title: 'Another' });
    await archived(company, gone.id);
    for (const [more, expected] of [
      ['', ['Heron, remembered', 'Heron, of a client', 'Heron, ingested', 'Heron, archived']],
      ['&kind=memory', ['Heron, remembered']],
      ['&state=archived', ['Heron, archived']],
      [`&clientId=${clientId}`, ['Heron, of a client']],
      [`&clientId=${clientId}&kind=memory`, []],
      ['&kind=ingest&state=active', ['Heron, of a client', 'Heron, ingested']],
    ] as const) {
      assert.deepEqual(await titles(company, 'heron', more), expected, more);
    }
  });
});

describe('the comparison of the filter q', () => {
  test('q treats wildcards and special characters literally', async () => {
    const plain = ['100 of 100', 'a_b', 'a\\b', "it's", 'a.c (1)', '[x]'];
    const company = await shelf('100% sure', ...plain, 'axb');
    for (const [q, expected] of [
      ['%', ['100% sure']],
      ['100%', ['100% sure']],
      ['%sure', []],
      ['_', ['a_b']],
      ['a_b', ['a_b']],
      ['\\', ['a\\b']],
      ['a\\b', ['a\\b']],
      ['\\%', []],
      ["'", ["it's"]],
      ["' or '1'='1", []],
      ['.', ['a.c (1)']],
      ['(1)', ['a.c (1)']],
      ['.*', []],
      ['[x]', ['[x]']],
      ['$1', []],
    ] as const) {
      assert.deepEqual(await titles(company, q), expected, q);
    }
  });

  const ALIKE = [
    ['Latin', 'Übergröße', 'übergröße', 'ÜBERGRÖßE', 'ÜBER'],
    ['Latin, composed or not', 'Cafe\u0301 cre\u0300me', 'café', 'CAFÉ', 'CAFE\u0301', 'CRÈME'],
    ['Turkish', 'ISPARTA', 'ısparta', 'isparta'],
    ['Greek', 'Οδός', 'οδός', 'ΟΔΌΣ', 'ΟΔΌΣ'.toLowerCase(), 'δόσ'],
    ['Greek, in capitals', 'ΛΌΓΟΣ', 'λόγος', 'λόγοσ', 'Λόγος'],
    ['Cyrillic', 'Отчёт за год', 'отчёт', 'ОТЧЁТ ЗА ГОД'],
    ['Armenian', 'Երեւան', 'ԵՐԵ', 'երե'],
    ['Georgian', 'თბილისი', 'ᲗᲑᲘᲚᲘᲡᲘ', 'თბილ'],
    ['Deseret, beyond 16 bits', '𐐔𐐯𐑅', '𐐼𐐯𐑅', '𐐔𐐇𐐝'],
    ['Hangul, by syllable or by letter', '한국', '\u1112\u1161\u11ab', '한국'.normalize('NFD')],
    ['without upper and lower case', '年度报告', '年度', '报告'],
  ] as const;

  test('q ignores case and composition, in every script', async () => {
    const company = await shelf(...ALIKE.map(([, title]) => title));
    for (const [script, title, ...sought] of ALIKE) {
      for (const q of sought) assert.deepEqual(await titles(company, q), [title], `${script}: ${q}`);
    }
  });
});
