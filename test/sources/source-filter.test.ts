import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitSource, stageSource } from '../../core/sources/store.ts';
import { transaction } from '../../db/driver/database.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addMemory, decided } from '../support/memories.ts';
import { ownerScope } from '../support/scopes.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, listSources } from '../support/source-library.ts';
import { draftOf } from '../support/sources.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

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

const { database } = service;

const ids = async (caller: Caller, query = '') => (await listSources(caller, query)).map(({ id }) => id);

describe('GET /v1/memory/sources', () => {
  test('lists every source with all its fields, newest first', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const first = await addSource(company, {
      uri: 'https://example.com/x',
      externalId: 'doc-1',
      metadata: { secret: 'not listed' },
    });
    const second = await addSource(company, { chunks: [{ text: 'a' }, { text: 'b' }] });
    const third = await addSource(company, { scope: { clientId } });
    assert.deepEqual(await listSources(company), [third, second, first]);
  });

  test('returns pages that new sources do not shift', async () => {
    const company = await service.company();
    for (let n = 0; n < 5; n++) await addSource(company);
    await assertStablePages(company, '/v1/memory/sources', () => addSource(company));
  });

  test('names the memory of a source while it is published', async () => {
    const company = await service.company();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    await addSource(company, {});
    const memory = await addMemory(company, 'published');
    const named = async () => (await listSources(reader)).map(({ memoryId }) => memoryId);
    assert.deepEqual(await named(), [memory.id, undefined]);
    assert.equal((await reader.api.getSource(memory.sourceId!)).memoryId, memory.id);
    await decided(company, { action: 'delete', memoryId: memory.id });
    assert.deepEqual(await named(), [undefined, undefined]);
  });

  test('hides a source that is still being written', async () => {
    const company = await service.company();
    const scope = ownerScope(company);
    const draft = draftOf(company.teamId, {
      layer: null,
      title: 'Half written',
      chunks: Array.from({ length: 101 }, (_, n) => ({ text: `part ${n}` })),
    });
    const staged = await stageSource(database, scope, draft);
    assert.ok(staged.written, 'its chunks are there');
    const { id } = staged.source;
    for (const query of ['', '?state=active', '?state=archived', '?kind=ingest', '?q=half']) {
      assert.deepEqual(await ids(company, query), [], query);
    }
    assert.equal(outcome(await company.ask.getSource(id)), '404 not_found');
    assert.equal(outcome(await company.ask.archiveSource(id)), '404 not_found');
    await transaction(database, scope, (tx) => commitSource(tx, staged));
    assert.deepEqual(await ids(company), [id]);
  });
});
