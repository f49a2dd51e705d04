import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { Database } from '../../../db/driver/database.ts';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { bucketBlobs } from '../../../db/objects/blobs.ts';
import { openBucket } from '../../../db/objects/bucket.ts';
import { pruneObjects } from '../../../db/objects/move-contents.ts';
import { BLOB_STORE } from '../../../shared/formats/bucket-address.ts';
import { createLogger } from '../../../shared/logger.ts';
import { doJob } from '../../support/do-job.ts';
import { endProcesses, startMain } from '../../support/needs/process.ts';
import { until } from '../../support/process-table.ts';
import { file } from '../../support/workspace.ts';
import { endServers } from '../servers/debian.ts';
import { type ObjectGateway, startGateway } from '../servers/radosgw.ts';
import {
  assertContents,
  environment,
  listKeys,
  openServerDatabase,
  placeOf,
  places,
  type RunningService,
  readObject,
  startService,
  writeObject,
} from './service.ts';

const BUCKET = 'memory-files';
const MEGABYTE = 1024 * 1024;

let gateway: ObjectGateway;
let own: Awaited<ReturnType<typeof openServerDatabase>>;
let env: Record<string, string>;
let database: Database;
let service: RunningService;

before(async () => {
  gateway = await startGateway();
  await gateway.createBucket(BUCKET);
  own = await openServerDatabase();
  env = environment(gateway, own.url, BUCKET);
  Object.assign(process.env, gateway.credentials);
  database = openPostgres(own.url, createLogger('fatal', 'test'), { max: 3 });
  service = await startService(env);
});

after(async () => {
  await endProcesses();
  await database?.close();
  await own?.close();
  await endServers();
});

const keys = () => listKeys(gateway, BUCKET);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const keyOf = async (content: Buffer) => (await keys()).find((key) => key.includes(sha256(content))) ?? '';

/** The bucket and the store of the service, in this process. */
async function openStore() {
  const place = BLOB_STORE.parse(placeOf(gateway, BUCKET));
  assert.ok(place !== null && place !== 'database');
  const bucket = await openBucket(place);
  return { bucket, blobs: bucketBlobs(database, bucket, createLogger('silent', 'test')) };
}

/** Imports a file, and returns its source. */
async function importFile(filename: string, content: Buffer) {
  const { api } = service.owner;
  const items = [{ filename, contentBase64: content.toString('base64') }];
  const { imports } = await api.importFiles({ items }, { 'idempotency-key': filename });
  const read = () => api.getImport(imports[0]?.id ?? '');
  await until(AbortSignal.timeout(60_000), async () => !['queued', 'running'].includes((await read()).state));
  const { state, sourceId, error } = await read();
  assert.equal(state, 'completed', JSON.stringify(error));
  return api.getSource(sourceId ?? '');
}

/** A text of this many bytes that is equal to no other one. */
const textOf = (bytes: number) =>
  Buffer.from(
    randomBytes(Math.ceil(bytes / 2))
      .toString('hex')
      .slice(0, bytes),
  );

/** Deletes what nothing has referred to for two hours, as the worker does. */
async function prune(): Promise<void> {
  await database.query(
    `update memory.workspace_blob set waiting_since = waiting_since - interval '2 hours' where waiting_since is not null`,
  );
  const { blobs } = await openStore();
  await doJob(database, 'workspace.prune', {}, { MEMORY_WORKSPACE_KEEP_VERSIONS: '1' }, blobs);
}

describe('a start', () => {
  const cases: Record<string, [Record<string, string>, RegExp]> = {
    'names MEMORY_BLOB_STORE if the bucket does not exist': [
      { MEMORY_BLOB_STORE: 's3://no-such-bucket' },
      /^MEMORY_BLOB_STORE: the bucket does not exist; create it, or correct its name$/,
    ],
    'names the variables of the key if the key is unknown': [
      { AWS_ACCESS_KEY_ID: 'unknown-key-of-the-test' },
      /^AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: expected credentials/,
    ],
    'names the variables of the key if they are missing': [
      { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' },
      /^AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: expected credentials/,
    ],
  };
  for (const [title, [wrong, line]] of Object.entries(cases)) {
    test(title, async () => {
      const given = { ...env, ...wrong };
      if (wrong['MEMORY_BLOB_STORE'] !== undefined) {
        given['MEMORY_BLOB_STORE'] = placeOf(gateway, 'no-such-bucket');
      }
      const api = startMain('api/main.ts', { env: given });
      assert.equal(await api.exited, 1);
      assert.match(api.stderr.join('\n'), line);
      assert.equal(api.stderr.length, 1, api.stderr.join('\n'));
      const said = [...api.stdout, ...api.stderr].join('\n');
      for (const value of [
        ...Object.values(wrong).filter(Boolean),
        gateway.credentials.AWS_SECRET_ACCESS_KEY,
      ]) {
        assert.ok(!said.includes(value), 'no value is printed');
      }
    });
  }
});

describe('files in a bucket', () => {
  test('are pushed to it, once for each content, and pulled as they were', async () => {
    const large = randomBytes(3 * MEGABYTE + 7);
    const contents = {
      'team/small': Buffer.from('A small file of the bucket.\n'),
      'team/again': Buffer.from('A small file of the bucket.\n'),
      'team/empty': Buffer.alloc(0),
      'team/large': large,
    };
    const before = (await keys()).length;
    const { api } = service.owner;
    await api.pushFiles({ files: Object.entries(contents).map(([path, content]) => file(path, content)) });
    await assertContents(service, contents);
    assert.equal((await keys()).length, before + 3);
    assert.ok((await readObject(gateway, BUCKET, await keyOf(large))).equals(large));
    assert.equal((await places(database)).database, 0);
    // A content that exists is not uploaded again.
    await api.pushFiles({ files: [file('team/third', large)] });
    assert.equal((await keys()).length, before + 3);
  });

  test('are not readable without a valid signature', async () => {
    const key = await keyOf(Buffer.from('A small file of the bucket.\n'));
    const answer = await fetch(`${gateway.endpoint}/${BUCKET}/${key}`);
    assert.equal(answer.status, 403);
  });

  test('are originals of imports, whole and in ranges', async () => {
    const content = Buffer.concat([Buffer.from('The original. '), textOf(2.5 * MEGABYTE)]);
    const { id, original } = await importFile('original.txt', content);
    assert.deepEqual(original, { mediaType: 'text/plain', bytes: content.length, sha256: sha256(content) });
    const path = `/v1/memory/sources/${id}/original`;
    const whole = Buffer.from(await (await service.fetch(path)).arrayBuffer());
    assert.ok(whole.equals(content));
    const ranges = [
      [0, 0],
      [MEGABYTE - 3, MEGABYTE + 3],
      [MEGABYTE, 2 * MEGABYTE - 1],
      [5, content.length - 1],
    ];
    for (const [first = 0, last = 0] of ranges) {
      const answer = await service.fetch(path, { range: `bytes=${first}-${last}` });
      assert.equal(answer.status, 206);
      const part = Buffer.from(await answer.arrayBuffer());
      assert.ok(part.equals(content.subarray(first, last + 1)), `${first} to ${last}`);
    }
    const tail = await service.fetch(path, { range: 'bytes=-10' });
    assert.equal(await tail.text(), content.subarray(-10).toString());
    assert.equal((await places(database)).database, 0);
  });

  test('are refused if an object is not what was stored, and the log and a metric show it', async () => {
    const content = Buffer.concat([Buffer.from('To be damaged. '), textOf(2 * MEGABYTE)]);
    const { id } = await importFile('damaged.txt', content);
    await service.owner.api.pushFiles({ files: [file('team/damaged', content)] });
    const pull = () => service.owner.ask.pullFiles({ files: [{ path: 'team/damaged' }] });
    const key = await keyOf(content);
    const path = `/v1/memory/sources/${id}/original`;
    const damaged = Buffer.from(content);
    damaged[MEGABYTE + 1] = 0;
    await writeObject(gateway, BUCKET, key, damaged);
    const refusal = await pull();
    assert.equal(refusal.statusCode, 500);
    assert.match(refusal.body, /The stored file is damaged or missing. Ask the operator to restore it/);
    const inDamaged = await service.fetch(path, { range: `bytes=${MEGABYTE + 5}-${MEGABYTE + 9}` });
    assert.equal(inDamaged.status, 500);
    // Its first block is correct, so the answer has begun when the damage is found.
    await assert.rejects(async () => (await service.fetch(path)).arrayBuffer());
    const inOther = await service.fetch(path, { range: 'bytes=0-9' });
    assert.equal(await inOther.text(), content.subarray(0, 10).toString());
    await writeObject(gateway, BUCKET, key, content.subarray(1));
    assert.equal((await pull()).statusCode, 500);
    await gateway.client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: key }));
    assert.equal((await pull()).statusCode, 500);
    const metrics = await (await service.fetch('/metrics')).text();
    assert.match(metrics, /memory_object_requests_total\{operation="get",outcome="damaged"\} [1-9]/);
    assert.match(metrics, /memory_object_requests_total\{operation="get",outcome="missing"\} [1-9]/);
    assert.ok(service.process.stdout.some((line) => line.includes('a download ended early')));
    const log = service.process.stdout.filter((line) => line.includes('"type":"ObjectFault"'));
    assert.ok(log.some((line) => line.includes('request failed') && line.includes(sha256(content))));
    await writeObject(gateway, BUCKET, key, content);
    await assertContents(service, { 'team/damaged': content });
  });
});

describe('a process that is killed between the upload and the row', () => {
  test('leaves an unused object, which is deleted a day later, and a repeated push succeeds', async (t) => {
    const content = randomBytes(5000);
    const push = ({ owner }: RunningService) =>
      owner.ask.pushFiles({ files: [file('team/killed', content)] }, { 'idempotency-key': 'killed' });
    const used = await keys();
    const victim = await startService(env);
    await database.transaction(async (tx) => {
      await tx.query('lock table memory.blob_place in exclusive mode');
      const pushed = push(victim).catch(() => null);
      await until(t.signal, async () => {
        const waiting = await tx.query(
          `select from pg_locks where relation = 'memory.blob_place'::regclass and not granted`,
        );
        return waiting.length > 0;
      });
      await victim.process.kill9();
      assert.equal(await pushed, null);
    });
    const orphans = (await keys()).filter((key) => !used.includes(key));
    assert.equal(orphans.length, 1);
    const { missing } = await service.owner.api.pullFiles({ files: [{ path: 'team/killed' }] });
    assert.equal(missing.length, 1);
    await until(t.signal, async () => (await push(service)).statusCode === 200);
    await assertContents(service, { 'team/killed': content });
    const { bucket } = await openStore();
    const foreign = `files/${crypto.randomUUID()}/${sha256(content)}/${crypto.randomUUID()}`;
    await writeObject(gateway, BUCKET, foreign, content);
    await writeObject(gateway, BUCKET, 'files/of somebody else', content);
    const ago = (ms: number) => new Date(Date.now() - ms);
    assert.deepEqual(await pruneObjects(database, bucket, null, ago(86_400_000)), { next: null, removed: 0 });
    assert.deepEqual(await pruneObjects(database, bucket, null, ago(-60_000)), { next: null, removed: 1 });
    const left = await keys();
    assert.ok(!left.includes(orphans[0] ?? ''));
    assert.ok(left.includes(foreign) && left.includes('files/of somebody else'));
    assert.equal(left.length, used.length + 3);
    await assertContents(service, { 'team/killed': content });
  });
});

describe('bytes that nothing refers to', () => {
  test('are deleted from the bucket after a purge and the deletion of a Team, and others stay', async (t) => {
    const [shared, purged, ofTeam] = [textOf(2000), textOf(2000), randomBytes(2000)];
    const { id } = await importFile('purged.txt', purged);
    await importFile('shared.txt', shared);
    const { owner } = service;
    const { team } = await owner.api.createTeam({ name: 'Gone' });
    await owner
      .with({ 'memory-team': team.id })
      .api.pushFiles({ files: [file('team/of-team', ofTeam), file('team/shared', shared)] });
    await owner.api.purgeSource(id);
    await prune();
    assert.equal(await keyOf(purged), '');
    assert.notEqual(await keyOf(ofTeam), '');
    await owner.api.archiveTeam(team.id);
    await owner.api.deleteTeam(team.id);
    await until(t.signal, async () => {
      const rows = await database.query('select from identity.team where id = $1', [team.id]);
      return rows.length === 0;
    });
    await prune();
    assert.equal(await keyOf(ofTeam), '');
    assert.ok((await readObject(gateway, BUCKET, await keyOf(shared))).equals(shared));
  });
});
