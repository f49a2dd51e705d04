import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openPostgres } from '../../db/driver/postgres.ts';
import { checkBackend } from '../../db/startup/check-backend.ts';
import { lockFolder } from '../../db/startup/folder-lock.ts';
import { migrate } from '../../db/startup/migrate.ts';
import { ensureServiceRoles } from '../../db/startup/service-role.ts';
import { readConfig } from '../../shared/config.ts';
import { createLogger } from '../../shared/logger.ts';
import { asksForCheck } from '../../shared/settings/start-report.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { createEmptyDatabase } from '../support/needs/own-database.ts';
import { endProcesses, temporaryFolder } from '../support/needs/process.ts';

after(endProcesses);

/** What the check says, line by line. */
async function check(env: Record<string, string>): Promise<string[]> {
  const config = readConfig({ MEMORY_API_TOKEN: 'test-token-of-the-service', ...env });
  const lines = await Array.fromAsync(checkBackend(config));
  return lines.map(({ name, state, text }) => `${state} ${name}: ${text}`);
}

test('--check is the only argument of a command that starts the service', () => {
  assert.equal(asksForCheck([]), false);
  assert.equal(asksForCheck(['--check']), true);
  assert.throws(() => asksForCheck(['--chek']), /--chek is not known; the only one is --check/);
});

test('--check looks at the folder of the embedded database, and changes nothing', {
  skip: databaseUrl !== undefined,
}, async () => {
  const folder = await temporaryFolder();
  const dataDir = join(folder, 'new', 'data');
  const free = { MEMORY_DATA_DIR: dataDir, MEMORY_MIN_FREE_DISK_MB: '32' };
  assert.match((await check(free)).join(), /^ok database: embedded in \S+data; \d+ MiB are free$/);
  assert.deepEqual(await readdir(folder), []);
  assert.match(
    (await check({ ...free, MEMORY_MIN_FREE_DISK_MB: '1000000000' })).join(),
    /^failed database: MEMORY_DATA_DIR: the disk of \S+ has \d+ MiB free, and 1000000000 MiB are needed: free some space, or set MEMORY_DATA_DIR to another folder$/,
  );
  await mkdir(dataDir, { recursive: true });
  const lock = await lockFolder(dataDir);
  assert.match((await check(free)).join(), /^ok database: .* in use by the running service; /);
  await lock.release();
  await writeFile(join(folder, 'file'), '');
  assert.match(
    (await check({ ...free, MEMORY_DATA_DIR: join(folder, 'file') })).join(),
    /^failed database: MEMORY_DATA_DIR: user \d+ cannot write to \S+file: it is not a folder\. Remove it, or set /,
  );
});

test('--check names the certificate of each address that cannot be read', async () => {
  const folder = await temporaryFolder();
  const withFile = (name: string) =>
    `postgres://memory@127.0.0.1:1/memory?sslmode=verify-full&sslrootcert=${join(folder, name)}`;
  const lines = await check({
    MEMORY_DATABASE_URL: withFile('pooler.pem'),
    MEMORY_DATABASE_DIRECT_URL: withFile('direct.pem'),
    MEMORY_DATABASE_REPLICA_URL: withFile('replica.pem'),
  });
  for (const [part, variable, name] of [
    ['database', 'MEMORY_DATABASE_DIRECT_URL', 'direct.pem'],
    ['pooler', 'MEMORY_DATABASE_URL', 'pooler.pem'],
    ['replica', 'MEMORY_DATABASE_REPLICA_URL', 'replica.pem'],
  ] as const) {
    const line = lines.find((text) => text.startsWith(`failed ${part}: ${variable}: user `));
    assert.ok(
      line?.includes(`cannot read ${join(folder, name)}, the file of sslrootcert (ENOENT)`),
      lines.join(),
    );
  }
});

describe('--check on PostgreSQL', { skip: databaseUrl === undefined }, () => {
  test('says what a start would do, and what prevents it, and changes nothing', async () => {
    const own = await createEmptyDatabase(databaseUrl ?? '');
    const database = openPostgres(own.url, createLogger('fatal', 'test'), { max: 1 });
    const stranger = new URL(own.url);
    stranger.username = own.name;
    try {
      const checkOwn = () => check({ MEMORY_DATABASE_URL: own.url });
      const [server, extension, , migrations, ...none] = await checkOwn();
      assert.match(String(server), /^ok database: PostgreSQL 1\d/);
      assert.match(String(extension), /^(?:ok|warning) extension: pgvector 0\.\d+/);
      assert.match(
        String(migrations),
        /^ok migrations: the start applies (\d+) of \1, and \d+ SQL functions /,
      );
      assert.deepEqual(none, []);
      const schemas = await database.query(
        `select from pg_namespace where nspname in ('memory', 'identity', 'pgboss')`,
      );
      assert.deepEqual(schemas, []);

      await ensureServiceRoles(database);
      await migrate(database);
      const [, , roles, applied, isolation, files] = await checkOwn();
      assert.equal(roles, 'ok roles: both exist');
      assert.match(String(applied), /^ok migrations: all \d+ are applied$/);
      assert.equal(isolation, 'ok isolation: row-level security is effective');
      assert.equal(files, 'ok files: none is in a bucket');
      const primary = await check({ MEMORY_DATABASE_URL: own.url, MEMORY_DATABASE_REPLICA_URL: own.url });
      assert.match(
        String(primary.at(-1)),
        /^failed replica: is no replica: set MEMORY_DATABASE_REPLICA_URL /,
      );
      const nowhere = { MEMORY_DATABASE_REPLICA_URL: 'postgres://127.0.0.1:1/none' };
      const silent = await check({ MEMORY_DATABASE_URL: own.url, ...nowhere });
      assert.match(String(silent.at(-1)), /^failed replica: does not answer \(/);

      await database.query(`insert into identity.company (id, name) values (gen_random_uuid(), 'A')`);
      await database.query(
        `insert into memory.workspace_blob (company_id, sha256, bytes, object_id, block_sha256)
         select id, decode(repeat('00', 32), 'hex'), 1, gen_random_uuid(), '' from identity.company limit 1`,
      );
      assert.match(
        String((await checkOwn())[5]),
        /^failed files: MEMORY_BLOB_STORE: expected the bucket that has files of this database/,
      );

      await database.query(`update memory.function_file set checksum = 'x' where name like 'claims/%'`);
      assert.match(
        String((await checkOwn())[3]),
        /^ok migrations: the start applies 0 of \d+, and [1-9]\d* SQL/,
      );

      await database.query(`create role ${own.name} login password '${stranger.password}'`);
      const refused = await check({ MEMORY_DATABASE_URL: stranger.href });
      assert.match(
        String(refused[2]),
        /^failed roles: the role of MEMORY_DATABASE_URL cannot create .*as a superuser, .*run/,
      );

      await database.query(
        `insert into memory.migration (number, name, checksum) values (9999, '9999-later', 'x')`,
      );
      assert.match(
        String((await checkOwn())[3]),
        /^failed migrations: the database is newer than this version/,
      );

      stranger.password = 'SECRET';
      assert.match(
        (await check({ MEMORY_DATABASE_URL: stranger.href })).join(),
        /^failed database: does not answer \(password [^)]*\): check MEMORY_DATABASE_URL(?!.*SECRET)/,
      );
    } finally {
      await database.query(`drop role if exists ${own.name}`);
      await database.close();
      await own.drop();
    }
  });
});
