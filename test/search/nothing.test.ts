import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Nothing } from '../../shared/schemas/search.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { plantImport } from '../support/import-records.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, along, type Caller, CLAIM } from '../support/team.ts';
import { file, workspaceOf } from '../support/workspace.ts';
import { EVERYWHERE } from './heron-search.ts';

const service = await openTestApp();
const { database } = service;

/** A filter that no source passes, so that there are no hits. */
const FILTERED = { tags: ['no such tag'] };

/** Searches by keyword in the Team layer, unless the body says otherwise. */
const search = (caller: Caller, query: string, body: object = {}) =>
  caller.api.searchMemory({ query, scope: {}, embeddingMode: 'keyword', ...body });

/** What the answer to a search without hits says. */
async function nothing(caller: Caller, query: string, body: object = {}): Promise<Nothing> {
  const answer = await search(caller, query, { ...FILTERED, ...body });
  assert.deepEqual(answer.hits, []);
  assert.ok(answer.nothing, 'the answer describes why');
  return answer.nothing;
}
const unknown = async (caller: Caller, query: string, body: object = {}) =>
  (await nothing(caller, query, body)).unknownWords;
const waiting = async (caller: Caller, query: string, body: object = {}) =>
  (await nothing(caller, query, body)).waiting.map((item) => item.path ?? item.importId);
const nearest = async (caller: Caller, query: string, body: object = {}) =>
  (await nothing(caller, query, body)).nearest?.title ?? null;

const NEW_AND_EMPTY: Nothing = { legs: ['words'], unknownWords: ['heron'], waiting: [], nearest: null };

describe('the answer of a search without hits', () => {
  test('has the field nothing, and one with hits has not', async () => {
    const company = await service.company();
    assert.deepEqual((await search(company, 'heron')).nothing, NEW_AND_EMPTY);
    await addSource(company, { text: 'A heron.' });
    for (const body of [
      {},
      { group: 'source' },
      { maxCharacters: 100 },
      { explain: true },
      { neighbours: 1 },
    ]) {
      assert.equal('nothing' in (await search(company, 'heron', body)), false, JSON.stringify(body));
      assert.deepEqual(await nothing(company, 'heron', body), { ...NEW_AND_EMPTY, unknownWords: [] });
    }
  });

  test('says what was searched: words, codes and vectors', async () => {
    const company = await service.company();
    const legs = async (query: string, body: object = {}) => (await nothing(company, query, body)).legs;
    const vector = { embeddingMode: 'auto', queryEmbedding: along(1), ...CLAIM };
    assert.deepEqual(await legs('heron lake'), ['words']);
    assert.deepEqual(await legs('HR-2210'), ['codes']);
    assert.deepEqual(await legs('form HR-2210'), ['words', 'codes']);
    assert.deepEqual(await legs('heron', vector), ['words', 'vectors']);
    assert.deepEqual(await legs('?!', vector), ['vectors']);
    assert.deepEqual(await legs('?!'), []);
  });
});

describe('the unknown words of a search without hits', () => {
  test('are those that no passage has, as they were typed, each once, and codes too', async () => {
    const company = await service.company();
    await addSource(company, { text: 'The heron waits at gate 4, form HR-2210.' });
    const query = 'Heron FLAMINGO flamingo form HR-2210 HR-2211 don’t-know gate/pier Éclair';
    assert.deepEqual(await unknown(company, query), ['FLAMINGO', 'HR-2211', 'don’t-know', 'pier', 'Éclair']);
  });

  test('are not those of titles and headings', async () => {
    const company = await service.company();
    await addSource(company, { title: 'Lanyards', text: '# Visitors\n\nThey are yellow.' });
    assert.deepEqual(await unknown(company, 'lanyards visitors yellow green'), ['green']);
  });

  test('are whole in scripts without spaces, or the stretches that no passage has', async () => {
    const company = await service.company();
    await addSource(company, { text: '我家的猫很可爱' });
    assert.deepEqual(await unknown(company, '量子计算 可爱'), ['量子计算']);
    assert.deepEqual(await unknown(company, '我家的量子计算'), ['量子计算']);
    assert.deepEqual(await unknown(company, '可爱我家'), []);
  });
});

test('what is said of a search without hits is of what the caller can read in the scope', async () => {
  const [company, other] = [await service.company(), await service.company()];
  const [clientId, otherId] = [await addClient(service, company), await addClient(service, company)];
  /** Puts a word, a title and an import into a layer. */
  const add = async (caller: SignedIn, word: string, client?: string) => {
    const scope = client === undefined ? {} : { clientId: client };
    const { id } = await addSource(caller, { title: `Flaming${word[0]}`, text: word, scope });
    const filename = `${word} crane.md`;
    await plantImport(service, caller, client === undefined ? { filename } : { filename, clientId: client });
    return id;
  };
  await add(company, 'heron');
  await add(company, 'ibis', clientId);
  await add(company, 'stork', otherId);
  await add(other, 'egret');
  await archived(company, await add(company, 'gull'));
  const member = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'read' } });
  /** The first letters of the words that are known, of the names that wait, and of the nearest title. */
  const told = async (caller: Caller, scope: object) => {
    const said = await nothing(caller, 'heron ibis stork egret gull crane xflaming', { scope });
    const known = ['heron', 'ibis', 'stork', 'egret', 'gull'].filter(
      (word) => !said.unknownWords.includes(word),
    );
    return [known.join(' '), column(said.waiting, 'title').sort().join(' '), said.nearest?.title];
  };
  const waits = (...words: string[]) => words.map((word) => `${word} crane.md`).join(' ');
  assert.deepEqual(await told(company, {}), ['heron', waits('gull', 'heron'), 'Flamingh']);
  const inClient = { clientId, include: ['client'] };
  assert.deepEqual(await told(member, inClient), ['ibis', waits('ibis'), 'Flamingi']);
  const [known, waiting] = await told(member, EVERYWHERE);
  assert.deepEqual([known, waiting], ['heron ibis', waits('gull', 'heron', 'ibis')]);
});

describe('what waits, in the answer of a search without hits', () => {
  test('is each import and file that waits or has failed and whose name shares a word, the best first', async () => {
    const company = await service.company();
    const owner = workspaceOf(service.app, company.headers);
    const planted = (filename: string, state: 'queued' | 'running' | 'failed' | 'completed' | 'cancelled') =>
      plantImport(service, company, { filename, state });
    const failed = await planted('Visitors 2026.pdf', 'failed');
    const queued = await planted('All visitors of the Lanyard room.docx', 'queued');
    const running = await planted('visitors.md', 'running');
    await planted('visitors of 2024.md', 'completed');
    await planted('visitors of 2023.md', 'cancelled');
    await planted('lunch.md', 'queued');
    const pushed = await owner.push([
      file('team/handbook/Lanyards for visitors.md', 'x'),
      file('team/visitors.bin', 'x'),
      file('team/visitors.md', 'x'),
    ]);
    assert.equal(pushed.status, 200);
    await database.query(
      `update memory.workspace_version set indexed = 'failed' where team_id = $1 and path = 'visitors.md'`,
      [company.teamId],
    );
    assert.deepEqual((await nothing(company, 'lanyard visitors')).waiting, [
      { importId: queued, state: 'queued', title: 'All visitors of the Lanyard room.docx' },
      { path: 'team/visitors.md', state: 'failed', title: 'visitors.md' },
      { path: 'team/handbook/Lanyards for visitors.md', state: 'pending', title: 'Lanyards for visitors.md' },
      { importId: running, state: 'running', title: 'visitors.md' },
      { importId: failed, state: 'failed', title: 'Visitors 2026.pdf' },
    ]);
    assert.deepEqual(await waiting(company, 'flamingo'), []);
  });

  test('has no files for an agent token that cannot list files', async () => {
    const company = await service.company();
    const path = 'team/heron.md';
    const pushed = await workspaceOf(service.app, company.headers).push([file(path, 'x')]);
    assert.equal(pushed.status, 200);
    const reader = await createAgent(service, company, company, { permissions: ['memory:read'] });
    const both = await createAgent(service, company, company, {
      permissions: ['memory:read', 'workspace:read'],
    });
    assert.deepEqual(await waiting(reader, 'heron'), []);
    assert.deepEqual(await waiting(both, 'heron'), [path]);
  });
});

describe('the nearest title, in the answer of a search without hits', () => {
  test('is that of the source that shares most, without case and accents; null if no title shares three letters', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { title: 'Überstundenregelung' });
    await addSource(company, { title: 'Unterkünfte' });
    assert.deepEqual((await nothing(company, 'stundenreglung')).nearest, {
      sourceId: id,
      title: 'Überstundenregelung',
    });
    assert.equal(await nearest(company, 'xyunt'), 'Unterkünfte');
    assert.equal(await nearest(company, 'qxz'), null);
    assert.equal(await nearest(company, 'xü'), null);
  });
});
