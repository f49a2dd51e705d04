import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countFound, storeUses } from '../../core/feedback/commands.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { ask } from '../support/company.ts';
import { databaseError, failingDatabase } from '../support/failing-database.ts';
import { searchByWords } from '../support/feedback.ts';
import { called } from '../support/mcp.ts';
import { addMemory } from '../support/memories.ts';
import { openSecondApp } from '../support/second-app.ts';
import { addSource, listSources } from '../support/source-library.ts';
import { type Caller, post } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** The stored uses of a source. The sums of this process are stored first. */
async function usesOf(caller: Caller, id: string) {
  await storeUses(database);
  const [source] = (await listSources(service, caller)).filter((one) => one.id === id);
  const { found, opened, lastFoundAt } = source!;
  return { found, opened, lastFoundAt };
}

describe('the uses of a source', () => {
  test('are zero until a search returns it or its text is read', async () => {
    const company = await service.company();
    const source = await addSource(service, company, { text: 'A heron.' });
    assert.deepEqual([source.found, source.opened, source.lastFoundAt], [0, 0, null]);
    assert.deepEqual(await usesOf(company, source.id), { found: 0, opened: 0, lastFoundAt: null });
  });

  test('found counts each search once, also by MCP, and lastFoundAt is the time of the last', async () => {
    const company = await service.company();
    const chunks = ['A heron.', 'Another heron.'].map((text) => ({ text }));
    const { id } = await addSource(service, company, { chunks });
    const other = await addSource(service, company, { text: 'A gull.' });
    const before = Date.now();
    const { hits } = await searchByWords(service, company, 'heron');
    assert.equal(hits.length, 2);
    await searchByWords(service, company, 'heron', { group: 'source' });
    await called(service, company, 'search', { query: 'heron' });
    await searchByWords(service, company, 'walrus');
    const { found, opened, lastFoundAt } = await usesOf(company, id);
    assert.deepEqual([found, opened], [3, 0]);
    const at = Date.parse(lastFoundAt ?? '');
    assert.ok(at >= before && at <= Date.now());
    assert.deepEqual(await usesOf(company, other.id), { found: 0, opened: 0, lastFoundAt: null });
    await searchByWords(service, company, 'heron');
    assert.equal((await usesOf(company, id)).found, 4, 'added to what is stored');
  });

  test('opened counts expand, GET of the source and fetch, but not the next page of its chunks', async () => {
    const company = await service.company();
    const chunks = ['A heron.', 'Another heron.'].map((text) => ({ text }));
    const { id } = await addSource(service, company, { chunks });
    const url = `/v1/memory/sources/${id}`;
    const first = (await ask(service, company, 'GET', `${url}?limit=1`)).json<{
      chunks: { chunk_id: string }[];
      nextCursor: string;
    }>();
    await ask(service, company, 'GET', `${url}?limit=1&cursor=${first.nextCursor}`);
    await post(service, company, '/v1/memory/expand', { chunkId: first.chunks[0]!.chunk_id });
    await called(service, company, 'fetch', { id });
    await post(service, company, '/v1/memory/expand', { chunkId: id });
    await ask(service, company, 'GET', `/v1/memory/sources/${company.teamId}`);
    assert.deepEqual(await usesOf(company, id), { found: 0, opened: 3, lastFoundAt: null });
  });

  test('of a memory are those of its source', async () => {
    const company = await service.company();
    const memory = await addMemory(service, company, 'published', { content: 'The heron rule.' });
    await searchByWords(service, company, 'heron');
    await storeUses(database);
    const read = await ask(service, company, 'GET', `/v1/memory/memories/${memory.id}`);
    assert.deepEqual([read.json<Memory>().found, read.json<Memory>().opened], [1, 0]);
  });

  test('are stored when the API closes', async (t) => {
    const company = await service.company();
    const { id } = await addSource(service, company, { text: 'A heron.' });
    const second = await openSecondApp(t, service);
    await searchByWords(second, company, 'heron');
    await second.app.close();
    const [source] = await listSources(service, company);
    assert.deepEqual([source?.id, source?.found], [id, 1] satisfies [Source['id'], number]);
  });

  test('are kept for the next time if they cannot be stored, and those of a deleted source are skipped', async () => {
    const company = await service.company();
    const { id } = await addSource(service, company, { text: 'A heron.' });
    let isBroken = true;
    const failing = failingDatabase(database, (statement) =>
      isBroken && statement.includes('add_source_uses') ? databaseError('57P01') : null,
    );
    countFound(failing, company.teamId, [id, company.teamId]);
    await assert.rejects(storeUses(failing));
    countFound(failing, company.teamId, [id]);
    isBroken = false;
    await storeUses(failing);
    assert.equal((await usesOf(company, id)).found, 2);
  });
});
