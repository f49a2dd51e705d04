import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Dependencies } from '../../../core/dependencies.ts';
import { LostJobError } from '../../../db/queue/queue.ts';
import { openTestApp } from '../../support/app.ts';
import { deletion, file } from '../../support/workspace.ts';
import {
  countStored,
  fileSources,
  openIndexer,
  type PendingVersion,
  push,
  searchFiles,
  states,
} from './indexer.ts';

const service = await openTestApp();
const indexer = openIndexer(service);

/** So long that its chunks are written before the transaction that completes the job. */
const LONG = Array.from(
  { length: 150 },
  (_, n) => `# Part ${n}\n\nThe heron wades. ${'word '.repeat(300)}`,
).join('\n\n');

async function open(text = 'The heron wades.') {
  const { company, owner } = await indexer.open();
  await push(owner, file('team/a.md', text));
  const [first] = await indexer.pending(company);
  assert.ok(first);
  return { company, owner, first };
}

/** Runs a job, and does something after it has read the content and before it stores the text. */
function runWith(first: PendingVersion, change: () => Promise<unknown>) {
  const blobs: Dependencies['blobs'] = {
    ...service.blobs,
    read: async (...args) => {
      const contents = await service.blobs.read(...args);
      await change();
      return contents;
    },
  };
  return indexer.run('file.index', first, { blobs });
}

describe('a job for a version of a file', () => {
  for (const [length, text] of [
    ['few', 'The heron wades.'],
    ['many', LONG],
  ] as const) {
    test(`stores none of ${length} chunks if a later version is indexed while it reads, or the file is deleted`, async () => {
      const { company, owner, first } = await open(text);
      const { completed } = await runWith(first, async () => {
        await push(owner, file('team/a.md', 'The stork wades.', 1));
        const [, second] = await indexer.pending(company);
        await indexer.run('file.index', second ?? {});
      });
      assert.deepEqual(completed, ['file.index']);
      assert.deepEqual(await searchFiles(company, 'stork'), ['The stork wades.']);
      assert.deepEqual(await countStored(service, company.teamId), { sources: 1, chunks: 1 });

      const other = await open(text);
      await runWith(other.first, () => push(other.owner, deletion('team/a.md', 1)));
      assert.deepEqual(await countStored(service, other.company.teamId), { sources: 0, chunks: 0 });
    });
  }

  test('stores its text once when it runs twice', async () => {
    const { company, first } = await open();
    await runWith(first, () => indexer.run('file.index', first));
    assert.deepEqual(await countStored(service, company.teamId), { sources: 1, chunks: 1 });
  });

  test('stores nothing if another worker has the job', async () => {
    for (const text of ['The heron wades.', LONG]) {
      const { company, owner, first } = await open(text);
      await assert.rejects(indexer.run('file.index', first, { lost: true }), LostJobError);
      assert.deepEqual(await countStored(service, company.teamId), { sources: 0, chunks: 0 });
      assert.deepEqual(await states(owner), { 'team/a.md': 'pending' });
    }
  });

  test('is retried after an error of the service, and the file is failed after the last retry', async () => {
    const { company, owner, first } = await open();
    const blobs = { ...service.blobs, read: () => Promise.reject(new Error('the store does not answer')) };
    await assert.rejects(indexer.run('file.index', first, { blobs }), /does not answer/);
    assert.deepEqual(await states(owner), { 'team/a.md': 'pending' });
    const { completed } = await indexer.run('file.dead', first);
    assert.deepEqual(completed, ['file.dead']);
    assert.deepEqual(await states(owner), { 'team/a.md': 'failed' });
    // A job that still runs must not overrule it: its event would follow that of the failure.
    await indexer.run('file.index', first);
    assert.deepEqual(await fileSources(company), []);
  });

  test('is released if the worker stops while it reads', async () => {
    const { owner, first } = await open();
    const stopping = AbortSignal.abort();
    const { completed, released } = await indexer.run('file.index', first, { stopping });
    assert.deepEqual([completed, released], [[], ['file.index']]);
    assert.deepEqual(await states(owner), { 'team/a.md': 'pending' });
  });
});

test('twenty pushes and their jobs at once leave the text of the last version, once', async () => {
  const { company, owner } = await open();
  const jobs: Promise<unknown>[] = [];
  for (let version = 1; version < 20; version += 1) {
    for (const data of await indexer.pending(company)) jobs.push(indexer.run('file.index', data));
    const change =
      version % 5 === 4 ? deletion('team/a.md', version) : file('team/a.md', `heron ${version}`, version);
    await push(owner, change);
  }
  await Promise.all(jobs);
  await indexer.indexAll(company);
  assert.equal((await owner.wholeManifest()).length, 0);
  assert.deepEqual(await fileSources(company), []);
  await push(owner, file('team/a.md', 'heron at last', 20));
  await indexer.indexAll(company);
  assert.deepEqual(await searchFiles(company, 'heron'), ['heron at last']);
  assert.equal((await fileSources(company)).length, 1);
});
