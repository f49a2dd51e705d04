import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Import } from '../../../shared/schemas/imports.ts';
import type { Hit } from '../../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { column, columns } from '../../support/columns.ts';
import { doJob } from '../../support/do-job.ts';
import { addMemory } from '../../support/memories.ts';
import { addSource, archived, readSource } from '../../support/source-library.ts';
import { addClient } from '../../support/team.ts';
import { file, workspaceOf } from '../../support/workspace.ts';
import { openIndexer } from '../files/indexer.ts';

const service = await openTestApp();

/** The text of all files. */
const TEXT = 'The valve is shut at nine.';

/** Sends files, to be read later. */
async function send(company: SignedIn, filenames: readonly string[], clientId?: string): Promise<string[]> {
  const items = filenames.map((filename) => ({ filename, text: TEXT }));
  return column((await company.api.importFiles({ items, scope: { clientId } })).imports, 'id');
}

async function read(company: SignedIn, importId: string, clientId?: string): Promise<Import> {
  const { companyId, teamId, ownerId: userId } = company;
  const data = { companyId, teamId, userId, layerId: clientId ?? teamId, importId };
  await doJob(service.database, 'import.process', data);
  return company.api.getImport(importId);
}

/** Imports files one after the other, and returns the source of each. */
async function importFiles(company: SignedIn, ...filenames: string[]): Promise<string[]> {
  const sources: string[] = [];
  for (const id of await send(company, filenames)) {
    const { state, sourceId } = await read(company, id);
    assert.equal(state, 'completed');
    sources.push(sourceId ?? '');
  }
  return sources;
}

/** The title and `sameAs` of each active source, the oldest first. */
async function activeSources(company: SignedIn) {
  return columns(await company.all.listSources({ state: 'active' }), 'title', 'sameAs').toReversed();
}

async function find(company: SignedIn, query: string): Promise<Hit[]> {
  return (await company.api.searchMemory({ query, scope: {}, embeddingMode: 'keyword' })).hits;
}

const ingest = (company: SignedIn, body: object = {}) =>
  company.api.ingestSource({ title: 'Valves', text: TEXT, ...body });
const sameAs = async (company: SignedIn, id: string) => (await readSource(company, id)).sameAs;

describe('imported files with the same text', () => {
  test('have a source for each name, and the later ones name the first', async () => {
    const company = await service.company();
    const [first, second, third, again] = await importFiles(
      company,
      'pumps.txt',
      'valves.txt',
      'taps.txt',
      'pumps.txt',
    );
    assert.equal(again, first);
    assert.deepEqual(await activeSources(company), [
      ['pumps.txt', null],
      ['valves.txt', first],
      ['taps.txt', first],
    ]);
    assert.equal(await sameAs(company, second!), first);
    const hits = await find(company, 'shut at nine');
    assert.deepEqual(columns(hits, 'source_id', 'duplicates'), [[third, 2]], 'the text once');
    for (const name of ['pumps', 'valves', 'taps']) assert.equal((await find(company, name)).length, 1, name);
    const { source, duplicate } = await ingest(company);
    assert.deepEqual([source.id, duplicate], [first, true], 'also if it is ingested later');
  });

  test('stay when the first is deleted: the next one is the first then, and the deleted name can come again', async () => {
    const company = await service.company();
    const [first = '', second = ''] = await importFiles(company, 'pumps.txt', 'valves.txt', 'taps.txt');
    const rest = [
      ['valves.txt', null],
      ['taps.txt', second],
    ];
    await company.api.archiveSource(first);
    assert.deepEqual(await activeSources(company), rest);
    assert.equal((await find(company, 'shut at nine')).length, 1);
    const [back = ''] = await importFiles(company, 'pumps.txt');
    assert.notEqual(back, first);
    assert.deepEqual((await activeSources(company)).at(-1), ['pumps.txt', second]);
    await company.api.archiveSource(back);
    assert.deepEqual(await activeSources(company), rest, 'without a later one');
  });

  test('name no source of another layer, imported or ingested', async () => {
    const company = await service.company();
    const [clientId, other] = [await addClient(service, company), await addClient(service, company)];
    await ingest(company, { scope: { clientId: other } });
    await importFiles(company, 'pumps.txt');
    const [id = ''] = await send(company, ['valves.txt'], clientId);
    assert.equal((await read(company, id, clientId)).sameAs, undefined);
    assert.deepEqual(await activeSources(company), [
      ['Valves', null],
      ['pumps.txt', null],
      ['valves.txt', null],
    ]);
  });

  test('have one source for each name and one first, also if they are read at the same time', async () => {
    const company = await service.company();
    const ids = await send(company, ['pumps.txt', 'valves.txt', 'taps.txt', 'pumps.txt']);
    await Promise.all(ids.map((id) => read(company, id)));
    const sources = await company.all.listSources({ state: 'active' });
    assert.deepEqual(column(sources, 'title').toSorted(), ['pumps.txt', 'taps.txt', 'valves.txt']);
    assert.equal(new Set(sources.flatMap((source) => source.sameAs ?? [])).size, 1);
    assert.equal(sources.filter((source) => source.sameAs === null).length, 1);
  });
});

/** A file with a text that was ingested before. */
async function importIngested(body: object = {}) {
  const company = await service.company();
  const first = await addSource(company, { title: 'Valves', text: TEXT, ...body });
  const [copy = ''] = await importFiles(company, 'pumps.txt');
  return { company, first: first.id, copy };
}

describe('an imported file whose text was ingested before', () => {
  for (const [how, externalId] of [
    ['without an id', undefined],
    ['with an externalId', 'wiki/valves'],
  ] as const) {
    test(`has a source of its own with an original, which names the first, if it was ingested ${how}`, async () => {
      const company = await service.company();
      const { id } = await addSource(company, { title: 'Valves', text: TEXT, externalId });
      const [importId = ''] = await send(company, ['pumps.txt']);
      const imported = await read(company, importId);
      assert.deepEqual([imported.state, imported.sameAs], ['completed', { sourceId: id, title: 'Valves' }]);
      const source = await readSource(company, imported.sourceId ?? '');
      assert.deepEqual([source.kind, source.title, source.sameAs], ['import', 'pumps.txt', id]);
      assert.deepEqual(source.metadata, { filename: 'pumps.txt' });
      assert.equal(source.original?.bytes, TEXT.length);
      const hits = await find(company, 'shut at nine');
      assert.deepEqual(columns(hits, 'source_id', 'duplicates'), [[source.id, 1]], 'the text once');
      for (const name of ['pumps', 'valves']) assert.equal((await find(company, name)).length, 1, name);
    });

    for (const removal of ['archiveSource', 'purgeSource'] as const) {
      test(`stays and is the first when the source that was ingested ${how} is gone by ${removal}`, async () => {
        const { company, first, copy } = await importIngested({ externalId });
        const [later] = await importFiles(company, 'taps.txt');
        await company.api[removal](first);
        assert.deepEqual(await activeSources(company), [
          ['pumps.txt', null],
          ['taps.txt', copy],
        ]);
        assert.deepEqual(column(await find(company, 'shut at nine'), 'source_id'), [later]);
        const { source, duplicate } = await ingest(company);
        assert.deepEqual([source.id, duplicate], [copy, true]);
      });
    }
  }

  test('has no second source if it is imported again, and the ingested text is a duplicate still', async () => {
    const { company, first, copy } = await importIngested();
    const [other, again, otherAgain] = await importFiles(company, 'taps.txt', 'pumps.txt', 'taps.txt');
    assert.deepEqual([again, otherAgain], [copy, other]);
    const { source, duplicate } = await ingest(company);
    assert.deepEqual([source.id, duplicate], [first, true]);
    assert.equal((await activeSources(company)).length, 3);
  });

  test('can be archived and restored only while no other source has its text', async () => {
    const { company, first, copy } = await importIngested();
    await archived(company, copy);
    assert.equal(await sameAs(company, first), null);
    assert.equal((await company.ask.restoreSource(copy)).statusCode, 409);
    await archived(company, first);
    await company.api.restoreSource(copy);
    assert.deepEqual(await activeSources(company), [['pumps.txt', null]]);
  });

  test('no longer names a source that has got another text, or has moved to another layer', async () => {
    const { company, copy } = await importIngested({ externalId: 'wiki/valves' });
    const [later = ''] = await importFiles(company, 'taps.txt');
    await ingest(company, { externalId: 'wiki/valves', text: 'The valve is open.' });
    assert.deepEqual([await sameAs(company, copy), await sameAs(company, later)], [null, copy]);
    assert.equal((await find(company, 'shut at nine')).length, 1);

    const moving = await importIngested();
    const clientId = await addClient(service, moving.company);
    await moving.company.api.changeSource(moving.first, { clientId });
    assert.equal(await sameAs(moving.company, moving.copy), null);
  });

  test('names no source that gets another text at the same moment', async () => {
    const company = await service.company();
    const ids = await Promise.all([1, 2, 3, 4].map(() => send(company, ['pumps.txt', 'taps.txt'])));
    await ingest(company, { externalId: 'wiki/valves' });
    await Promise.all([
      ...ids.flat().map((id) => read(company, id)),
      ingest(company, { externalId: 'wiki/valves', text: 'The valve is open.' }),
    ]);
    const sources = (await company.all.listSources({ state: 'active' })).filter(
      ({ kind }) => kind === 'import',
    );
    assert.deepEqual(column(sources, 'title').toSorted(), ['pumps.txt', 'taps.txt']);
    assert.equal(sources.filter((source) => source.sameAs === null).length, 1);
  });
});

test('an imported file with the text of a memory or of a workspace file has a source of its own, and a search shows the text once', async () => {
  const company = await service.company();
  await addMemory(company, 'published', { title: 'Valves', content: TEXT });
  await workspaceOf(service.app, company.headers).push([file('team/taps.txt', TEXT)]);
  await openIndexer(service).indexAll(company);
  await importFiles(company, 'pumps.txt');
  assert.deepEqual(await activeSources(company), [
    ['Valves', null],
    ['taps.txt', null],
    ['pumps.txt', null],
  ]);
  assert.deepEqual(columns(await find(company, 'shut at nine'), 'title', 'duplicates'), [['pumps.txt', 2]]);
});
