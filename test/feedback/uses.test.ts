import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countFound, storeUses } from '../../core/feedback/commands.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { databaseError, failingDatabase } from '../support/failing-database.ts';
import { searchByWords } from '../support/feedback.ts';
import { called } from '../support/mcp.ts';
import { openSecondApp } from '../support/second-app.ts';
import { addSource, listSources } from '../support/source-library.ts';
import type { Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** The stored uses of a source. The sums of this process are stored first. */
async function usesOf(caller: Caller, id: string) {
  await storeUses(database);
  const [source] = (await listSources(caller)).filter((one) => one.id === id);
  const { found, opened, lastFoundAt } = source!;
  return { found, opened, lastFoundAt };
}

describe('the uses of a source', () => {
  test('found counts each search once, also by MCP, and lastFoundAt is the time of the last', async () => {
    const company = await service.company();
    const chunks = ['A heron.', 'Another heron.'].map((text) => ({ text }));
    const { id } = await addSource(company, { chunks });
    const other = await addSource(company, { text: 'A gull.' });
    const before = Date.now();
    const { hits } = await searchByWords(company, 'heron');
    assert.equal(hits.length, 2);
    await searchByWords(company, 'heron', { group: 'source' });
    await called(company, 'search', { query: 'heron' });
    await searchByWords(company, 'walrus');
    const { found, opened, lastFoundAt } = await usesOf(company, id);
    assert.deepEqual([found, opened], [3, 0]);
    const at = Date.parse(lastFoundAt ?? '');
    assert.ok(at >= before && at <= Date.now());
    assert.deepEqual(await usesOf(company, other.id), { found: 0, opened: 0, lastFoundAt: null });
    await searchByWords(company, 'heron');
    assert.equal((await usesOf(company, id)).found, 4, 'added to what is stored');
  });

  test('opened counts expand, GET of the source and fetch, but not the next page of its chunks', async () => {
    const company = await service.company();
    const chunks = ['A heron.', 'Another heron.'].map((text) => ({ text }));
    const { id } = await addSource(company, { chunks });
    const url = `/v1/memory/sources/${id}`;
    const first = (await company.send('GET', `${url}?limit=1`)).json<{
      chunks: { chunk_id: string }[];
      nextCursor: string;
    }>();
    await company.send('GET', `${url}?limit=1&cursor=${first.nextCursor}`);
    await company.ask.expandChunk({ chunkId: first.chunks[0]!.chunk_id });
    await called(company, 'fetch', { id });
    await company.ask.expandChunk({ chunkId: id });
    await company.ask.getSource(company.teamId);
    assert.deepEqual(await usesOf(company, id), { found: 0, opened: 3, lastFoundAt: null });
  });

  test('are stored when the API closes', async (t) => {
    const company = await service.company();
    const { id } = await addSource(company, { text: 'A heron.' });
    const second = await openSecondApp(t, service);
    await searchByWords(via(second, company), 'heron');
    await second.app.close();
    const [source] = await listSources(company);
    assert.deepEqual([source?.id, source?.found], [id, 1] satisfies [Source['id'], number]);
  });

  test('are kept for the next time if they cannot be stored, and those of a deleted source are skipped', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { text: 'A heron.' });
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
