import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asWorker } from '../../../db/driver/database.ts';
import { callRows } from '../../../db/queries/call.ts';
import {
  IMPORT_BUILD_NAMES,
  IMPORT_EXTENSIONS,
  IMPORT_NAMES,
  importMediaType,
} from '../../../shared/formats/media-types.ts';
import { createLogger } from '../../../shared/logger.ts';
import { startWorker } from '../../../worker/worker.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { until } from '../../support/process-table.ts';
import { addClient, archiveTeam } from '../../support/team.ts';
import { deletion, file } from '../../support/workspace.ts';
import { countStored, fileSources, openIndexer, searchFiles, states } from './indexer.ts';

/** The job goes over the files of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;
const indexer = openIndexer(service);

/** Makes all files of the Team look as if they were from before the service indexed files. */
async function forgetStates(teamId: string): Promise<void> {
  await database.query('update memory.workspace_version set indexed = null where team_id = $1', [teamId]);
}

/** The versions of the Team that a run enqueues. */
async function enqueued(teamId: string): Promise<object[]> {
  const told = await indexer.run('file.waiting', {});
  assert.deepEqual(told.completed, ['file.waiting']);
  return told.enqueued
    .map(({ data }) => data)
    .filter((data) => (data as { teamId: string }).teamId === teamId);
}

describe('the job file.waiting', () => {
  test('enqueues each live file from before files were indexed, once, for its author', async () => {
    const { company, owner } = await indexer.open();
    const clientId = await addClient(service, company);
    const paths = ['team/a.md', 'team/B.MD', `clients/${clientId}/c.txt`, 'team/image.png'];
    await owner.push([...paths.map((path) => file(path, `heron in ${path}`)), file('team/empty.md', '')]);
    await owner.push([file('team/a.md', 'heron in team/a.md, again', 1), file('team/gone.md', 'heron')]);
    await owner.push([deletion('team/gone.md', 1)]);
    await forgetStates(company.teamId);
    assert.deepEqual(await states(owner), {
      'team/a.md': 'pending',
      'team/B.MD': 'pending',
      [`clients/${clientId}/c.txt`]: 'pending',
      'team/image.png': 'no',
      'team/empty.md': 'no',
    });
    const jobs = await enqueued(company.teamId);
    assert.equal(jobs.length, 3);
    assert.deepEqual(await enqueued(company.teamId), []);
    for (const job of jobs) {
      assert.equal((job as { userId: string }).userId, company.ownerId);
      await indexer.run('file.index', job);
    }
    assert.deepEqual(
      (await searchFiles(company, 'heron')).sort(),
      ['heron in team/B.MD', 'heron in team/a.md, again', `heron in clients/${clientId}/c.txt`].sort(),
    );
  });

  test('decides by the name of a file as a push does', async () => {
    const { company, owner } = await indexer.open();
    const names =
      'Dockerfile,Dockerfile.prod,Makefile.am,README,.env,.gitignore,a.PY,a.tar.gz,a.docm,notes,x.Dockerfile';
    const paths = names.split(',').map((name) => `team/docs.v2/${name}`);
    await owner.push(paths.map((path) => file(path, `heron in ${path}`)));
    const pushed = await states(owner);
    for (const [path, state] of Object.entries(pushed))
      assert.equal(state, importMediaType(path, undefined, false) === null ? 'no' : 'pending', path);
    await forgetStates(company.teamId);
    const jobs = await enqueued(company.teamId);
    assert.equal(jobs.length, Object.values(pushed).filter((state) => state === 'pending').length);
    assert.deepEqual(await states(owner), pushed);
  });

  test('enqueues the next files of a Team only as earlier ones are indexed', async () => {
    const { company, owner } = await indexer.open();
    await owner.push(Array.from({ length: 5 }, (_, n) => file(`team/${n}.md`, `heron ${n}`)));
    await forgetStates(company.teamId);
    const enqueue = (limit: number) =>
      asWorker(database, (tx) =>
        callRows(
          tx,
          'memory.queue_files',
          company.teamId,
          IMPORT_EXTENSIONS,
          IMPORT_NAMES,
          IMPORT_BUILD_NAMES,
          limit,
        ),
      );
    assert.equal((await enqueue(3)).length, 3);
    assert.equal((await enqueue(3)).length, 0);
    await indexer.run('file.index', (await indexer.pending(company))[0] ?? {});
    assert.equal((await enqueue(3)).length, 1);
    assert.equal((await enqueue(10)).length, 1);
  });

  test('enqueues the files of an archived Team when it is restored', async () => {
    const { company, owner } = await indexer.open();
    await owner.push([file('team/a.md', 'heron')]);
    await forgetStates(company.teamId);
    await archiveTeam(service, company.teamId);
    assert.deepEqual(await enqueued(company.teamId), []);
    await database.query(`update identity.team set state = 'active' where id = $1`, [company.teamId]);
    assert.equal((await enqueued(company.teamId)).length, 1);
  });

  test('removes the sources of all files while files are not indexed, and enqueues the files after that', async () => {
    const { company, owner } = await indexer.open();
    const clientId = await addClient(service, company);
    await owner.push([file('team/a.md', 'heron'), file(`clients/${clientId}/b.md`, 'heron too')]);
    await indexer.indexAll(company);
    assert.equal((await searchFiles(company, 'heron')).length, 2);
    await indexer.run('file.waiting', {}, { env: { MEMORY_INDEX_FILES: 'off' } });
    assert.deepEqual(await fileSources(company), []);
    assert.deepEqual(await searchFiles(company, 'heron'), []);
    await indexer.run('upkeep.prune', {});
    assert.deepEqual(await countStored(service, company.teamId), { sources: 0, chunks: 0 });
    assert.equal((await enqueued(company.teamId)).length, 2);
    await indexer.indexAll(company);
    assert.equal((await searchFiles(company, 'heron')).length, 2);
  });
});

test('a worker indexes what is pushed and what was pushed before, and deletes the chunks of deleted files', async (t) => {
  const { company, owner } = await indexer.open();
  const untilIndexed = (files: number) =>
    until(t.signal, async () => {
      const found = Object.values(await states(owner));
      return found.filter((indexed) => indexed === 'yes').length === files;
    });
  await owner.push([file('team/old.md', 'The old heron.')]);
  await database.query(`delete from pgboss.job where name = 'file.index'`);
  await forgetStates(company.teamId);
  const worker = await startWorker({ ...service, logger: createLogger('silent', 'test') });
  try {
    await owner.push([file('team/new.md', 'The new heron.')]);
    await untilIndexed(2);
    assert.deepEqual((await searchFiles(company, 'heron')).sort(), ['The new heron.', 'The old heron.']);
    await owner.push([deletion('team/new.md', 1)]);
    assert.deepEqual(await searchFiles(company, 'heron'), ['The old heron.']);
    await until(t.signal, async () => (await countStored(service, company.teamId))?.sources === 1);
  } finally {
    await worker.stop();
  }
});
