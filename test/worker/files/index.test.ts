import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { via } from '../../support/client/client.ts';
import { column, columns } from '../../support/columns.ts';
import { recordedBy } from '../../support/company.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, readSource, removeSource } from '../../support/source-library.ts';
import { archiveTeam, readStatus } from '../../support/team.ts';
import { deletion, file, workspaceOf } from '../../support/workspace.ts';
import { countStored, fileSources, openIndexer, push, searchFiles, states } from './indexer.ts';

const service = await openTestApp();
const { database } = service;
const indexer = openIndexer(service);

/** Bytes that are no UTF-8. */
const SPOILT = Buffer.from([0x78, 0x81, 0x79]);

describe('a pushed file', () => {
  test('becomes a source that is named by its path and that searches find', async () => {
    const { company, owner } = await indexer.open();
    // Neither a search nor a list for files shows it.
    await addSource(company, { text: 'The heron sings.' });
    await push(owner, file('team/notes/vpn.md', '# Gateway\n\nThe heron nests at dawn.'));
    assert.deepEqual(await states(owner), { 'team/notes/vpn.md': 'pending' });
    assert.deepEqual(await searchFiles(company, 'heron'), []);
    const { events } = await recordedBy(service, company, () => indexer.indexAll(company));
    assert.deepEqual(await states(owner), { 'team/notes/vpn.md': 'yes' });
    const [source, ...more] = await fileSources(company);
    assert.deepEqual(more, []);
    assert.partialDeepStrictEqual(source, {
      title: 'vpn.md',
      uri: 'team/notes/vpn.md',
      externalId: null,
      layer: 'team',
      createdBy: company.ownerId,
      chunks: 1,
      state: 'active',
    });
    const [found = '', ...others] = await searchFiles(company, 'heron');
    assert.match(found, /The heron nests at dawn/);
    assert.deepEqual(others, []);
    assert.equal((await readSource(company, source?.id ?? '')).chunks[0]?.kind, 'file');
    assert.deepEqual((await readStatus(company)).sources.byKind, { file: 1, ingest: 1 });
    assert.deepEqual(columns(events, 'kind', 'detail'), [
      ['workspace.index', { sourceId: source?.id, version: 1, chunks: 1 }],
    ]);
  });

  test('keeps its source and its old text until the new version is indexed', async () => {
    const { company, owner } = await indexer.open();
    await push(owner, file('team/a.txt', 'The heron wades.'));
    await indexer.indexAll(company);
    const [before] = await fileSources(company);
    await push(owner, file('team/a.txt', 'The stork wades.', 1));
    assert.deepEqual(await states(owner), { 'team/a.txt': 'pending' });
    assert.deepEqual(await searchFiles(company, 'heron'), ['The heron wades.']);
    await indexer.indexAll(company);
    assert.deepEqual(await searchFiles(company, 'heron'), []);
    assert.deepEqual(await searchFiles(company, 'stork'), ['The stork wades.']);
    assert.deepEqual(column(await fileSources(company), 'id'), [before?.id]);
  });

  test('loses its source in the push that deletes it, and gets another when it is pushed again', async () => {
    const { company, owner } = await indexer.open();
    await push(owner, file('team/a.txt', 'The heron wades.'), file('team/b.txt', 'The heron sleeps.'));
    await indexer.indexAll(company);
    const [, first] = await fileSources(company);
    assert.equal(first?.uri, 'team/a.txt');
    await push(owner, deletion('team/a.txt', 1));
    assert.deepEqual(await searchFiles(company, 'heron'), ['The heron sleeps.']);
    assert.deepEqual(column(await fileSources(company), 'uri'), ['team/b.txt']);
    assert.equal((await company.ask.getSource(first.id)).statusCode, 404);
    const { sources, chunks } = await readStatus(company);
    assert.deepEqual([sources.byKind, chunks.total, chunks.pending], [{ file: 1 }, 1, 1]);
    assert.deepEqual(await states(owner, 0), { 'team/a.txt': 'no', 'team/b.txt': 'yes' });
    await push(owner, file('team/a.txt', 'The heron wades.', 0));
    await indexer.indexAll(company);
    assert.equal((await searchFiles(company, 'heron')).length, 2);
  });

  test('is marked as failed if it cannot be read, and its earlier text is no longer found', async () => {
    const { company, owner } = await indexer.open();
    await push(owner, file('team/a.txt', 'The heron wades.'));
    await indexer.indexAll(company);
    await push(owner, file('team/a.txt', SPOILT, 1), file('team/b.pdf', 'not a PDF'));
    const { events } = await recordedBy(service, company, () => indexer.indexAll(company));
    assert.deepEqual(await states(owner), { 'team/a.txt': 'failed', 'team/b.pdf': 'failed' });
    assert.deepEqual(await fileSources(company), []);
    assert.deepEqual(events.map(({ detail }) => String(detail.code)).sort(), [
      'corrupt',
      'invalid_encoding',
      'undefined',
    ]);
    await push(owner, file('team/a.txt', 'The heron is back.', 2));
    await indexer.indexAll(company);
    assert.deepEqual(await searchFiles(company, 'heron'), ['The heron is back.']);
  });

  test('is not indexed if its format cannot be read or it is empty', async () => {
    const { company, owner } = await indexer.open();
    const paths = ['team/image.png', 'team/image', 'team/folder.md/image.png'];
    await push(owner, ...paths.map((path) => file(path, 'heron')), file('team/empty.md', ''));
    assert.deepEqual(await indexer.pending(company), []);
    assert.deepEqual(
      await states(owner),
      Object.fromEntries([...paths, 'team/empty.md'].map((path) => [path, 'no'])),
    );
    await push(owner, file('team/empty.md', 'The heron wades.', 1));
    await indexer.indexAll(company);
    await push(owner, file('team/empty.md', '', 2));
    assert.deepEqual(await searchFiles(company, 'heron'), []);
  });

  test('has a source of its own if another file or a stored text is equal to it', async () => {
    const { company, owner } = await indexer.open();
    const text = 'The heron wades.';
    await push(owner, file('team/a.txt', text), file('team/b.txt', text));
    await indexer.indexAll(company);
    // Fails if the file counts as a duplicate.
    await addSource(company, { text });
    await push(owner, file('team/c.txt', text));
    await indexer.indexAll(company);
    assert.deepEqual((await fileSources(company)).map(({ uri }) => uri).sort(), [
      'team/a.txt',
      'team/b.txt',
      'team/c.txt',
    ]);
  });

  test('of source code is named by its path, and its passages by the functions that they are in', async () => {
    const { company, owner } = await indexer.open();
    const lines = Array.from({ length: 60 }, (_, n) => `  heron_${n}("nests at dawn, and sings at noon")`);
    await push(owner, file('team/src/birds/nest.py', `def nest():\n${lines.join('\n')}\n`));
    await indexer.indexAll(company);
    const [source] = await fileSources(company);
    assert.equal(source?.title, 'src/birds/nest.py');
    const { chunks } = await readSource(company, source?.id ?? '');
    assert.ok(chunks.length > 1);
    for (const { location } of chunks) assert.deepEqual(location.headings, ['def nest']);
  });

  test('gets tags by PATCH, which a new version keeps, no other title, and cannot be archived', async () => {
    const { company, owner } = await indexer.open();
    await push(owner, file('team/a.txt', 'The heron wades.'));
    await indexer.indexAll(company);
    const [source] = await fileSources(company);
    const id = source?.id ?? '';
    await company.api.changeSource(id, { tags: ['birds'] });
    const retitled = await company.ask.changeSource(id, { title: 'Other', tags: ['b'] });
    assert.equal(outcome(retitled), '409 conflict');
    assert.equal(outcome(await removeSource(company, id)), '409 conflict');
    await push(owner, file('team/a.txt', 'The heron calls.', 1));
    await indexer.indexAll(company);
    const [now] = await fileSources(company);
    assert.deepEqual([now?.id, now?.title, now?.tags], [id, 'a.txt', ['birds']]);
    assert.deepEqual(await searchFiles(company, 'a.txt'), ['The heron calls.'], 'by its name');
  });
});

describe('a service that does not index files', () => {
  test('shows them as not indexed, and a push removes the source of an earlier version', async (t) => {
    const { company, owner } = await indexer.open();
    await push(owner, file('team/a.txt', 'The heron wades.'));
    await indexer.indexAll(company);
    const off = await openTestApp({ MEMORY_INDEX_FILES: 'off' });
    t.after(() => off.app.close());
    const there = workspaceOf(off.app, company.headers);
    await push(there, file('team/a.txt', 'The stork wades.', 1), file('team/b.txt', 'The heron wades.'));
    assert.deepEqual(await states(there), { 'team/a.txt': 'no', 'team/b.txt': 'no' });
    assert.deepEqual(await indexer.pending(company), []);
    assert.deepEqual(await fileSources(via(off, company)), []);
    // As soon as the setting is on again.
    assert.deepEqual(await states(owner), { 'team/a.txt': 'pending', 'team/b.txt': 'pending' });
  });
});

describe('a job for a file that must not be indexed now', () => {
  for (const [why, options, prevent] of [
    ['the Team was archived', {}, archiveTeam],
    ['the service no longer indexes files', { env: { MEMORY_INDEX_FILES: 'off' } }, async () => undefined],
  ] as const) {
    test(`stores nothing if ${why}, and leaves the decision to upkeep`, async () => {
      const { company, owner } = await indexer.open();
      await push(owner, file('team/a.txt', 'The heron wades.'));
      await prevent(service, company.teamId);
      await indexer.indexAll(company, options);
      assert.deepEqual(await countStored(service, company.teamId), { sources: 0, chunks: 0 });
      const [version] = await database.query<{ indexed: string | null }>(
        'select indexed from memory.workspace_version where team_id = $1',
        [company.teamId],
      );
      assert.equal(version?.indexed, null);
    });
  }
});
