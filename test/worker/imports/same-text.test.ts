import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Import } from '../../../shared/schemas/imports.ts';
import type { Hit, Source } from '../../../shared/schemas/memory.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { doJob } from '../../support/do-job.ts';
import { addSource, removal, removeSource } from '../../support/source-library.ts';
import { addClient, get, post } from '../../support/team.ts';

const service = await openTestApp();
const { database } = service;
const TEXT = 'The valve is shut at nine.';

/** Sends files with the same text, to be read later. */
async function send(company: SignedIn, filenames: readonly string[], clientId?: string): Promise<string[]> {
  const items = filenames.map((filename) => ({ filename, text: TEXT }));
  const scope = clientId === undefined ? {} : { clientId };
  const answer = await post(service, company, '/v1/memory/imports', { items, scope });
  assert.equal(answer.statusCode, 202, answer.body);
  return answer.json<{ imports: Import[] }>().imports.map(({ id }) => id);
}

async function read(company: SignedIn, importId: string, clientId: string | null = null): Promise<void> {
  const { companyId, teamId, ownerId: userId } = company;
  await doJob(database, 'import.process', { companyId, teamId, userId, clientId, importId });
}

/** Imports files with the same text one after the other, and returns the source of each. */
async function importFiles(company: SignedIn, ...filenames: string[]): Promise<string[]> {
  const sources: string[] = [];
  for (const id of await send(company, filenames)) {
    await read(company, id);
    const { state, sourceId } = (await get(service, company, `/v1/memory/imports/${id}`)).json<Import>();
    assert.equal(state, 'completed');
    sources.push(sourceId ?? '');
  }
  return sources;
}

/** The title and `sameAs` of each active source, the oldest first. */
async function activeSources(company: SignedIn): Promise<[string, string | null][]> {
  const answer = await get(service, company, '/v1/memory/sources?state=active');
  const { items } = answer.json<{ items: Source[] }>();
  return items.map(({ title, sameAs }): [string, string | null] => [title, sameAs]).toReversed();
}

async function find(company: SignedIn, query: string): Promise<Hit[]> {
  const body = { query, scope: {}, embeddingMode: 'keyword' };
  return (await post(service, company, '/v1/memory/search', body)).json<{ hits: Hit[] }>().hits;
}

describe('imported files with the same text', () => {
  test('have a source for each name, and the later ones name the first', async () => {
    const company = await service.company();
    const [first, second, third] = await importFiles(company, 'pumps.txt', 'valves.txt', 'taps.txt');
    assert.equal(new Set([first, second, third]).size, 3);
    assert.deepEqual(await activeSources(company), [
      ['pumps.txt', null],
      ['valves.txt', first],
      ['taps.txt', first],
    ]);
    const single = (await get(service, company, `/v1/memory/sources/${second}`)).json<Source>();
    assert.equal(single.sameAs, first);
    assert.deepEqual(
      (await find(company, 'shut at nine')).map(({ source_id, duplicates }) => [source_id, duplicates]),
      [[third, 2]],
      'the text once',
    );
    for (const name of ['pumps', 'valves', 'taps']) assert.equal((await find(company, name)).length, 1, name);
  });

  test('are a duplicate if the name is the same too, or if the text was ingested', async () => {
    const company = await service.company();
    const [first, again] = await importFiles(company, 'pumps.txt', 'pumps.txt');
    assert.equal(first, again);
    const ingested = await post(service, company, '/v1/memory/ingest', { title: 'Valves', text: TEXT });
    const { source, duplicate } = ingested.json<{ source: Source; duplicate: boolean }>();
    assert.deepEqual([source.id, duplicate], [first, true]);
    const other = await service.company();
    const { id } = await addSource(service, other, { text: TEXT });
    assert.deepEqual(await importFiles(other, 'pumps.txt'), [id]);
  });

  test('stay when the first is deleted: the next one is the first then, and the deleted name can come again', async () => {
    const company = await service.company();
    const [first = '', second = ''] = await importFiles(company, 'pumps.txt', 'valves.txt', 'taps.txt');
    assert.equal(removal(await removeSource(service, company, first)), '204');
    assert.deepEqual(await activeSources(company), [
      ['valves.txt', null],
      ['taps.txt', second],
    ]);
    assert.equal((await find(company, 'shut at nine')).length, 1);
    const [back] = await importFiles(company, 'pumps.txt');
    assert.notEqual(back, first);
    assert.deepEqual((await activeSources(company)).at(-1), ['pumps.txt', second]);
    assert.equal(removal(await removeSource(service, company, back ?? '')), '204', 'a later one');
    assert.deepEqual(await activeSources(company), [
      ['valves.txt', null],
      ['taps.txt', second],
    ]);
  });

  test('name no source of another layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await importFiles(company, 'pumps.txt');
    const [id = ''] = await send(company, ['valves.txt'], clientId);
    await read(company, id, clientId);
    assert.deepEqual(await activeSources(company), [
      ['pumps.txt', null],
      ['valves.txt', null],
    ]);
  });

  test('have one source for each name and one first, also if they are read at the same time', async () => {
    const company = await service.company();
    const ids = await send(company, ['pumps.txt', 'valves.txt', 'taps.txt', 'pumps.txt']);
    await Promise.all(ids.map((id) => read(company, id)));
    const sources = await activeSources(company);
    assert.deepEqual(sources.map(([title]) => title).toSorted(), ['pumps.txt', 'taps.txt', 'valves.txt']);
    assert.equal(new Set(sources.flatMap(([, sameAs]) => sameAs ?? [])).size, 1);
    assert.equal(sources.filter(([, sameAs]) => sameAs === null).length, 1);
  });
});
