import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../../db/driver/database.ts';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { createLogger } from '../../../shared/logger.ts';
import { endProcesses, startCommand, startMain } from '../../support/needs/process.ts';
import { until } from '../../support/process-table.ts';
import { ROOT } from '../../support/root.ts';
import { file, sha256 } from '../../support/workspace.ts';
import { endServers } from '../servers/debian.ts';
import { type ObjectGateway, startGateway } from '../servers/radosgw.ts';
import {
  assertContents,
  environment,
  listKeys,
  openServerDatabase,
  places,
  type RunningService,
  startService,
  writeObject,
} from './service.ts';

const BUCKET = 'moved-files';
const FILES = 100;
/** Files of one push: as many as a busy machine stores in time. */
const PUSH_FILES = 20;

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
  database = openPostgres(own.url, createLogger('fatal', 'test'), { max: 3 });
  service = await startService(env);
});

after(async () => {
  await endProcesses();
  await database?.close();
  await own?.close();
  await endServers();
});

/** All files that were pushed, by their paths. */
const contents: Record<string, Buffer> = {};

/** Pushes files with contents of their own. */
async function push(folder: string, count: number): Promise<void> {
  const made = Array.from({ length: count }, (_, n) => [`team/${folder}/${n}`, randomBytes(3000)] as const);
  await service.owner.api.pushFiles({ files: made.map(([path, content]) => file(path, content)) });
  for (const [path, content] of made) contents[path] = content;
}

const move = (to: 's3' | 'database') =>
  startCommand(process.execPath, [join(ROOT, 'worker/move-blobs.ts'), '--to', to], { env });

/** Reads all files and pushes new ones until the work ends. Returns how often. */
async function useDuring(work: Promise<unknown>, folder: string): Promise<number> {
  let ended = false;
  const done = work.finally(() => {
    ended = true;
  });
  let rounds = 0;
  for (; !ended || rounds === 0; rounds += 1) {
    await push(`${folder}-${rounds}`, 2);
    await assertContents(service, { ...contents });
  }
  await done;
  return rounds;
}

describe('moving files while the service runs', () => {
  test('to the database: reads and pushes go on, a killed move continues, and the bucket is empty', async () => {
    for (let pushed = 0; pushed < FILES; pushed += PUSH_FILES) await push(`first-${pushed}`, PUSH_FILES);
    assert.deepEqual(await places(database), { database: 0, bucket: FILES });
    const killed = move('database');
    await until(AbortSignal.timeout(60_000), async () => (await places(database)).database > 0);
    await killed.kill9();
    const between = await places(database);
    assert.ok(between.database > 0);
    await assertContents(service, { ...contents });
    const second = move('database');
    await useDuring(second.exited, 'to-database');
    assert.equal(await second.exited, 0, second.stderr.join('\n'));
    assert.match(second.stdout.join('\n'), /moved, 0 failed; new files are stored in the database/);
    assert.equal((await places(database)).bucket, 0);
    await assertContents(service, contents);
    // What the killed move had moved and not yet deleted is left to the job that deletes unused objects.
    assert.ok((await listKeys(gateway, BUCKET)).length <= 4);
  });

  test('to the bucket: reads and pushes go on, and no content is left in the database', async () => {
    const moved = move('s3');
    await useDuring(moved.exited, 'to-bucket');
    assert.equal(await moved.exited, 0, moved.stderr.join('\n'));
    assert.match(moved.stderr.join('\n'), /^\d+ of \d+ moved, \d+ MiB$/m);
    assert.deepEqual(await places(database), { database: 0, bucket: Object.keys(contents).length });
    await assertContents(service, contents);
  });

  test('leaves an object that is damaged where it is, and names it', async () => {
    const [key = ''] = await listKeys(gateway, BUCKET);
    const [row] = await database.query<{ key: string }>(
      `select company_id || '/' || encode(sha256, 'hex') as key from memory.workspace_blob limit 1`,
    );
    const all = await listKeys(gateway, BUCKET);
    const damaged = all.find((each) => each.includes(row?.key ?? '')) ?? key;
    await writeObject(gateway, BUCKET, damaged, Buffer.alloc(3000));
    const moved = move('database');
    assert.equal(await moved.exited, 1);
    assert.match(
      moved.stderr.join('\n'),
      /^[0-9a-f-]+\/[0-9a-f]{64}: damaged or missing, left where it is$/m,
    );
    assert.equal((await places(database)).bucket, 1);
    assert.ok((await listKeys(gateway, BUCKET)).includes(damaged));
    const path = Object.entries(contents).find(([, content]) => damaged.includes(sha256(content)))?.[0] ?? '';
    await writeObject(gateway, BUCKET, damaged, contents[path] ?? Buffer.alloc(0));
    assert.equal(await move('s3').exited, 0);
  });

  test('is required before a service starts without the bucket', async () => {
    const api = startMain('api/main.ts', { env: { ...env, MEMORY_BLOB_STORE: 'database' } });
    assert.equal(await api.exited, 1);
    assert.match(
      api.stderr.join('\n'),
      /^MEMORY_BLOB_STORE: expected the bucket that has files of this database/,
    );
  });
});

describe('a bucket that does not answer', () => {
  for (const [fault, signal] of Object.entries({ 'is gone': 'SIGKILL', hangs: 'SIGSTOP' } as const)) {
    test(`and ${fault} fails only what needs files, with 503, and works again when it is back`, async () => {
      const [path = ''] = Object.keys(contents);
      const rows = await places(database);
      await gateway.server().signal(signal, signal === 'SIGKILL');
      const { ask, api } = service.owner;
      const files = [file(`team/${fault}`, randomBytes(3000))];
      const push = () => ask.pushFiles({ files }, { 'idempotency-key': fault });
      const pushed = await push();
      assert.equal(pushed.statusCode, 503, pushed.body);
      assert.match(pushed.body, /The storage of files does not answer/);
      assert.equal((await ask.pullFiles({ files: [{ path }] })).statusCode, 503);
      assert.deepEqual(await places(database), rows);
      assert.equal((await service.fetch('/readyz')).status, 200);
      await api.listSources();
      await api.getManifest();
      const started = await startService(env);
      assert.ok(started.process.stdout.some((line) => line.includes('the bucket does not answer')));
      await started.process.kill9();
      if (signal === 'SIGKILL') await gateway.start();
      else await gateway.server().signal('SIGCONT');
      await until(AbortSignal.timeout(60_000), async () => (await push()).statusCode === 200);
      await assertContents(service, contents);
    });
  }
});
