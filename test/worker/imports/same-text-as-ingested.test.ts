import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Source } from '../../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { addMemory } from '../../support/memories.ts';
import { addSource, archived, readSource } from '../../support/source-library.ts';
import { addClient } from '../../support/team.ts';
import { file, workspaceOf } from '../../support/workspace.ts';
import { openIndexer } from '../files/indexer.ts';
import { sameTextFiles, TEXT } from './same-text-files.ts';

const service = await openTestApp();
const { send, read, importFiles, activeSources, find } = sameTextFiles(service);

const ingest = (company: SignedIn, body: object = {}) =>
  company.ask.ingestSource({ title: 'Valves', text: TEXT, ...body });
const purge = (company: SignedIn, id: string) => company.ask.purgeSource(id);
const sameAs = async (company: SignedIn, id: string) => (await readSource(company, id)).sameAs;

/** A file with a text that was ingested before. */
async function importIngested(body: object = {}) {
  const company = await service.company();
  const first = await addSource(company, { title: 'Valves', text: TEXT, ...body });
  const [copy = ''] = await importFiles(company, 'pumps.txt');
  return { company, first: first.id, copy };
}

describe('an imported file whose text was ingested before', () => {
  for (const externalId of [undefined, 'wiki/valves']) {
    const how = externalId === undefined ? 'without an id' : 'with an externalId';
    test(`has a source of its own with an original, which names the first, if it was ingested ${how}`, async () => {
      const company = await service.company();
      const { id } = await addSource(company, { title: 'Valves', text: TEXT, externalId });
      const [importId = ''] = await send(company, ['pumps.txt']);
      const imported = await read(company, importId);
      assert.deepEqual([imported.state, imported.sameAs], ['completed', { sourceId: id, title: 'Valves' }]);
      const source = await readSource(company, imported.sourceId ?? '');
      assert.notEqual(source.id, id);
      assert.deepEqual([source.kind, source.title, source.sameAs], ['import', 'pumps.txt', id]);
      assert.deepEqual(source.metadata, { filename: 'pumps.txt' });
      assert.equal(source.original?.bytes, TEXT.length);
      assert.deepEqual(
        (await find(company, 'shut at nine')).map(({ source_id, duplicates }) => [source_id, duplicates]),
        [[source.id, 1]],
        'the text once',
      );
      assert.equal((await find(company, 'pumps')).length, 1);
      assert.equal((await find(company, 'valves')).length, 1);
    });
  }

  test('has no second source if it is imported again, and the ingested text is a duplicate still', async () => {
    const { company, first, copy } = await importIngested();
    const [other, again, otherAgain] = await importFiles(company, 'taps.txt', 'pumps.txt', 'taps.txt');
    assert.deepEqual([again, otherAgain], [copy, other]);
    const { source, duplicate } = (await ingest(company)).json<{ source: Source; duplicate: boolean }>();
    assert.deepEqual([source.id, duplicate], [first, true]);
    assert.deepEqual(await activeSources(company), [
      ['Valves', null],
      ['pumps.txt', first],
      ['taps.txt', first],
    ]);
  });

  test('is the first if that source was archived before it was read', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { title: 'Valves', text: TEXT });
    const [importId = ''] = await send(company, ['pumps.txt']);
    await archived(company, id);
    const imported = await read(company, importId);
    assert.deepEqual(await activeSources(company), [['pumps.txt', null]]);
    assert.equal(imported.sameAs, undefined);
    const restored = await company.ask.restoreSource(id);
    assert.equal(restored.statusCode, 409, restored.body);
    assert.match(restored.body, /has the same text/);
  });

  for (const externalId of [undefined, 'wiki/valves']) {
    const how = externalId === undefined ? '' : ' with its externalId';
    test(`stays when the ingested source is archived or purged${how}, and is the first then`, async () => {
      const remove = {
        archive: (company: SignedIn, id: string) => archived(company, id),
        purge: async (company: SignedIn, id: string) => {
          const answer = await purge(company, id);
          assert.equal(answer.statusCode, 204, answer.body);
        },
      };
      for (const gone of Object.values(remove)) {
        const { company, first, copy } = await importIngested({ externalId });
        const [later = ''] = await importFiles(company, 'taps.txt');
        await gone(company, first);
        assert.deepEqual(await activeSources(company), [
          ['pumps.txt', null],
          ['taps.txt', copy],
        ]);
        assert.deepEqual(
          (await find(company, 'shut at nine')).map(({ source_id }) => source_id),
          [later],
        );
        const { source, duplicate } = (await ingest(company)).json<{ source: Source; duplicate: boolean }>();
        assert.deepEqual([source.id, duplicate], [copy, true]);
      }
    });
  }

  test('can be archived and restored only while no other source has its text', async () => {
    const { company, first, copy } = await importIngested();
    await archived(company, copy);
    assert.equal(await sameAs(company, first), null);
    const restore = () => company.ask.restoreSource(copy);
    assert.equal((await restore()).statusCode, 409);
    await archived(company, first);
    assert.equal((await restore()).statusCode, 200);
    assert.deepEqual(await activeSources(company), [['pumps.txt', null]]);
  });

  test('no longer names a source that has got another text, or has moved to another layer', async () => {
    const { company, copy } = await importIngested({ externalId: 'wiki/valves' });
    const [later = ''] = await importFiles(company, 'taps.txt');
    const replaced = await ingest(company, { externalId: 'wiki/valves', text: 'The valve is open.' });
    assert.equal(replaced.statusCode, 200, replaced.body);
    assert.deepEqual([await sameAs(company, copy), await sameAs(company, later)], [null, copy]);
    assert.equal((await find(company, 'shut at nine')).length, 1);

    const moving = await importIngested();
    const clientId = await addClient(service, moving.company);
    const url = `/v1/memory/sources/${moving.first}`;
    const moved = await moving.company.send('PATCH', url, { clientId });
    assert.equal(moved.statusCode, 200, moved.body);
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
    const sources = (await activeSources(company)).filter(([title]) => title !== 'Valves');
    assert.deepEqual(sources.map(([title]) => title).toSorted(), ['pumps.txt', 'taps.txt']);
    assert.equal(sources.filter(([, first]) => first === null).length, 1);
  });

  test('names the source without an externalId if there are two, so that either can go', async () => {
    const company = await service.company();
    const named = await addSource(company, {
      externalId: 'wiki/valves',
      text: 'The valve is open.',
    });
    const plain = await addSource(company, { text: TEXT });
    await ingest(company, { externalId: 'wiki/valves' });
    const [copy = ''] = await importFiles(company, 'pumps.txt');
    assert.equal(await sameAs(company, copy), plain.id);
    await archived(company, named.id);
    assert.equal(await sameAs(company, copy), plain.id);
    await archived(company, plain.id);
    assert.equal(await sameAs(company, copy), null);
  });

  test('is the only one in its layer if the text was ingested in another one', async () => {
    const company = await service.company();
    await addSource(company, { title: 'Valves', text: TEXT });
    const clientId = await addClient(service, company);
    const [id = ''] = await send(company, ['pumps.txt'], clientId);
    assert.equal((await read(company, id, clientId)).sameAs, undefined);
    assert.deepEqual(await activeSources(company), [
      ['Valves', null],
      ['pumps.txt', null],
    ]);
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
  const hits = await find(company, 'shut at nine');
  assert.deepEqual(
    hits.map(({ title, duplicates }) => [title, duplicates]),
    [['pumps.txt', 2]],
  );
});
