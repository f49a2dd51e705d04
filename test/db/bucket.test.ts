import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bucketBlobs, checkBucket, hasFiles } from '../../db/objects/blobs.ts';
import { ObjectFault } from '../../db/objects/bucket.ts';
import { moveContents, pruneObjects } from '../../db/objects/move-contents.ts';
import { usesBucket } from '../../db/queries/workspace/contents.ts';
import { createLogger } from '../../shared/logger.ts';
import { doJob } from '../support/do-job.ts';
import { noAnswer, openMemoryBucket } from '../support/memory-bucket.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { file, sha256, workspaceOf } from '../support/workspace.ts';

/** Moves and prunes go over the contents of all Companies, so no one else's are here. */
const service = await openOwnTestApp();
const { database } = service;
const bucket = openMemoryBucket();
const logger = createLogger('silent', 'test');
const blobs = bucketBlobs(database, bucket, logger);
const app = await buildTestedApp({ ...service, blobs, logger });
after(() => app.close());

/** A workspace of a Company of its own, whose contents are in the bucket. */
async function open(t: { after(fn: () => void): void }) {
  t.after(() => {
    bucket.before = () => undefined;
  });
  return workspaceOf(app, (await service.company()).headers);
}

const keyOf = (content: string) =>
  [...bucket.objects.keys()].find((key) => key.includes(sha256(content))) ?? '';

describe('a file whose object is missing or damaged', () => {
  test('does not prevent that others are pulled, and is refused on its own', async (t) => {
    const workspace = await open(t);
    const contents = ['one: whole', 'two: damaged', 'three: missing'];
    const paths = contents.map((_, n) => `team/${n}`);
    const pushed = await workspace.push(contents.map((content, n) => file(paths[n] ?? '', content)));
    assert.equal(pushed.status, 200, pushed.code);
    bucket.objects.set(keyOf('two: damaged'), Buffer.from('two: DAMAGED'));
    bucket.objects.delete(keyOf('three: missing'));
    const { status, body } = await workspace.pull(paths.map((path) => ({ path })));
    assert.equal(status, 200);
    assert.deepEqual(
      body.files.map(({ path }) => path),
      ['team/0'],
    );
    assert.deepEqual(body.remaining.sort(), ['team/1', 'team/2']);
    assert.deepEqual(body.missing, []);
    for (const some of [['team/1'], ['team/2'], ['team/1', 'team/2']])
      assert.equal((await workspace.pull(some.map((path) => ({ path })))).status, 500);
  });
});

describe('contents that nothing refers to', () => {
  test('stay in the database, except one slice, while the bucket does not answer', async (t) => {
    const workspace = await open(t);
    const count = async () => (await database.query('select from memory.workspace_blob')).length;
    const others = await count();
    // More than a slice of 50.
    const files = Array.from({ length: 60 }, (_, n) => file(`team/unused-${n}`, `unused ${n}`));
    assert.equal((await workspace.push(files)).status, 200);
    await database.query('delete from memory.workspace_version where bytes < 10');
    await database.query(
      `update memory.workspace_blob set waiting_since = now() - interval '2 hours' where bytes < 10`,
    );
    bucket.before = noAnswer;
    await assert.rejects(doJob(database, 'workspace.prune', {}, {}, blobs), /does not answer/);
    assert.equal(await count(), others + 10);
    bucket.before = () => undefined;
    await doJob(database, 'workspace.prune', {}, {}, blobs);
    assert.equal(await count(), others);
    const left = bucket.objects.size;
    const { removed } = await pruneObjects(database, bucket, null, new Date());
    assert.equal(removed, 50);
    assert.equal(bucket.objects.size, left - 50);
  });
});

describe('the check of a bucket', () => {
  const openDenying = (denied: string) => {
    const checked = openMemoryBucket();
    checked.before = (operation) => {
      if (operation === denied) throw new ObjectFault('refused', 'denied', 'AccessDenied');
    };
    return checked;
  };

  test('leaves nothing if the bucket can be used, or cannot be read', async () => {
    const good = openMemoryBucket();
    await checkBucket(good);
    assert.equal(good.objects.size, 0);
    const unreadable = openDenying('get');
    await assert.rejects(checkBucket(unreadable), /the bucket denies access/);
    assert.equal(unreadable.objects.size, 0);
  });

  test('leaves one object at most if nothing can be deleted, and names that', async () => {
    const denying = openDenying('delete');
    for (let starts = 0; starts < 3; starts += 1)
      await assert.rejects(checkBucket(denying), /the bucket denies access/);
    assert.equal(denying.objects.size, 1);
  });

  test('succeeds if another process deletes the object of both', async () => {
    const shared = openMemoryBucket();
    shared.before = (operation) => {
      if (operation === 'get') shared.objects.clear();
    };
    await checkBucket(shared);
  });
});

/** Moves all contents, and returns the progress at the end. */
const move = async (to: 's3' | 'database') =>
  (await Array.fromAsync(moveContents(database, bucket, to))).at(-1);

/** How many contents have a place in the database, and in the bucket. */
async function places() {
  const [row] = await database.query<{ database: number; bucket: number }>(
    'select count(content) as database, count(object_id) as bucket from memory.workspace_blob where bytes > 0',
  );
  return row;
}

describe('a move', () => {
  before(async () => {
    // The objects of other tests are damaged or missing.
    await database.query('delete from memory.workspace_version');
    await database.query('delete from memory.workspace_blob');
  });

  test('to the bucket also moves what a push that began before stores during it', async (t) => {
    const workspace = await open(t);
    await move('database');
    assert.equal((await workspace.push([file('team/early', 'early')])).status, 200);
    // Its hash is below that of the other one, so the move is past it.
    const late = 'lat0';
    let copied = false;
    bucket.before = async (operation, key) => {
      if (copied || operation !== 'put' || key.startsWith('check/')) return;
      copied = true;
      await database.query(
        `insert into memory.workspace_blob (company_id, sha256, bytes, content)
         select company_id, decode($1, 'hex'), 4, convert_to($2, 'UTF8') from memory.workspace_blob where bytes = 5`,
        [sha256(late), late],
      );
    };
    await move('s3');
    assert.ok(copied);
    assert.equal((await places())?.database, 0);
    await database.query('delete from memory.workspace_blob where bytes = 4');
  });

  test('to the database succeeds if an object cannot be deleted', async (t) => {
    const workspace = await open(t);
    await move('s3');
    assert.equal((await workspace.push([file('team/kept', 'kept object')])).status, 200);
    bucket.before = (operation) => {
      if (operation === 'delete') noAnswer();
    };
    const progress = await move('database');
    assert.ok(progress !== undefined && progress.moved > 0);
    assert.deepEqual([progress.moved, progress.damaged], [progress.total, []]);
    assert.equal((await places())?.bucket, 0);
    assert.notEqual(keyOf('kept object'), '');
    assert.equal(await workspace.content('team/kept'), 'kept object');
  });

  test('to a bucket that refuses changes nothing', async (t) => {
    await open(t);
    await move('database');
    bucket.before = () => {
      throw new ObjectFault('refused', 'denied', 'AccessDenied');
    };
    await assert.rejects(move('s3'), /the bucket denies access/);
    assert.equal(await usesBucket(database), false);
  });
});

test('a start sees whether the bucket has the files of the database', async (t) => {
  const workspace = await open(t);
  await move('s3');
  assert.equal((await workspace.push([file('team/seen', 'seen')])).status, 200);
  assert.equal(await hasFiles(database, bucket), true);
  assert.equal(await hasFiles(database, openMemoryBucket()), false);
  await move('database');
  assert.equal(await hasFiles(database, openMemoryBucket()), true);
});
