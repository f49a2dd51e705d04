import type { Config } from '../../shared/config.ts';
import type { BlobPlace } from '../../shared/formats/bucket-address.ts';
import { describeError } from '../../shared/lifecycle.ts';
import { createLogger } from '../../shared/logger.ts';
import { assertCanWrite, assertCertificates } from '../../shared/settings/folders.ts';
import { type CheckResult, checkPart } from '../../shared/settings/start-report.ts';
import type { Database, Queryable } from '../driver/database.ts';
import { DATA_NAMES, START_MEGABYTES } from '../driver/embedded.ts';
import { freeBytesOf } from '../driver/faults.ts';
import { openPostgres } from '../driver/postgres.ts';
import { REQUEST_TIMEOUTS } from '../driver/postgres-pool.ts';
import { assertNoObjects, checkBlobStore } from '../objects/blobs.ts';
import { isAtLeast, pgvectorWarning, readPgvectorVersion } from '../queries/embeddings.ts';
import { isInUse } from './folder-lock.ts';
import { countMigrations } from './migrate.ts';
import { assertIsolation, assertServiceRoles } from './service-role.ts';
import { assertNoUnfinishedMove, isMarkedFolder, UnfinishedMoveError } from './unfinished-move.ts';

/** Checks what `startBackend` needs, and changes nothing. In a bucket it writes an object, and deletes it again. */
export async function* checkBackend(config: Config): AsyncGenerator<CheckResult, void> {
  const { databaseUrl, databaseDirectUrl } = config;
  if (databaseUrl === null) yield await checkPart('database', () => checkFolder(config));
  else {
    yield* checkPostgres(config, databaseDirectUrl ?? databaseUrl);
    if (databaseDirectUrl !== databaseUrl) yield await checkPart('pooler', () => checkPooler(databaseUrl));
  }
  const { databaseReplicaUrl } = config;
  if (databaseReplicaUrl !== null) yield await checkPart('replica', () => checkReplica(databaseReplicaUrl));
  const { blobStore } = config;
  if (blobStore !== 'database') yield await checkPart('bucket', () => checkObjects(blobStore));
}

/** Checks the folder of the embedded database. It is not opened, because opening changes it. */
async function checkFolder({ dataDir, minFreeDiskMegabytes }: Config): Promise<string> {
  const folder = await assertCanWrite('MEMORY_DATA_DIR', dataDir, DATA_NAMES);
  const free = Math.floor(freeBytesOf(folder) / 2 ** 20);
  const needed = Math.max(START_MEGABYTES, minFreeDiskMegabytes);
  if (free < needed) {
    throw new Error(
      `MEMORY_DATA_DIR: the disk of ${folder} has ${free} MiB free, and ${needed} MiB are needed: free some space, or set MEMORY_DATA_DIR to another folder`,
    );
  }
  if (await isMarkedFolder(dataDir)) throw new UnfinishedMoveError();
  const state = isInUse(dataDir) ? ', in use by the running service' : '';
  return `embedded in ${dataDir}${state}; ${free} MiB are free`;
}

async function* checkPostgres(
  { databaseUrl, blobStore }: Config,
  url: string,
): AsyncGenerator<CheckResult, void> {
  const variable = url === databaseUrl ? 'MEMORY_DATABASE_URL' : 'MEMORY_DATABASE_DIRECT_URL';
  const options = { max: 1, timeouts: REQUEST_TIMEOUTS };
  const database = openPostgres(url, createLogger('silent', 'check'), options);
  /** Runs a check that cannot write. */
  const reading = (name: string, check: (tx: Queryable) => Promise<string>) =>
    checkPart(name, () => database.transaction(check, { text: 'set transaction read only' }));
  try {
    const server = await checkPart('database', async () => {
      await assertCertificates(variable, url);
      return checkServer(database);
    });
    yield server;
    if (server.state === 'failed') return;
    const extension = await reading('extension', checkExtension);
    const version = await database.transaction(readPgvectorVersion, { text: 'set transaction read only' });
    const warning = version === null ? null : pgvectorWarning(version);
    yield extension.state === 'ok' && warning !== null
      ? { ...extension, state: 'warning', text: warning }
      : extension;
    const roles = await reading('roles', checkRoles);
    yield roles;
    const migrations = await reading('migrations', checkMigrations);
    yield migrations;
    const isComplete = roles.text === ROLES_EXIST && migrations.text.startsWith(ALL_APPLIED);
    if (!isComplete) return;
    yield await checkPart('isolation', () => checkIsolation(database));
    if (blobStore === 'database') yield await reading('files', checkFiles);
  } finally {
    await database.close();
  }
}

/** Requests and jobs use this address, which leads to the same database in another way. */
async function checkPooler(url: string): Promise<string> {
  await assertCertificates('MEMORY_DATABASE_URL', url);
  const options = { max: 1, timeouts: REQUEST_TIMEOUTS };
  const database = openPostgres(url, createLogger('silent', 'check'), options);
  try {
    await database.query('select');
    return 'the database answers through it';
  } catch (error) {
    const reason = describeError(error);
    throw new Error(`does not answer (${reason}): check MEMORY_DATABASE_URL, and that the pooler runs`);
  } finally {
    await database.close();
  }
}

async function checkReplica(url: string): Promise<string> {
  await assertCertificates('MEMORY_DATABASE_REPLICA_URL', url);
  const options = { max: 1, timeouts: REQUEST_TIMEOUTS, isForReading: true };
  const database = openPostgres(url, createLogger('silent', 'check'), options);
  try {
    const [server] = await database.query<{ isReplica: boolean }>(
      'select pg_is_in_recovery() as "isReplica"',
    );
    if (server?.isReplica === true) {
      await database.query(`select identity.require_replayed('0/0')`);
      return 'answers';
    }
  } catch (error) {
    const reason = describeError(error);
    throw new Error(
      `does not answer (${reason}): check MEMORY_DATABASE_REPLICA_URL, and that the replica runs`,
    );
  } finally {
    await database.close();
  }
  throw new Error('is no replica: set MEMORY_DATABASE_REPLICA_URL to a server that follows the primary');
}

async function checkObjects(place: BlobPlace): Promise<string> {
  await checkBlobStore(place);
  return 'objects can be written, read and deleted';
}

async function checkFiles(tx: Queryable): Promise<string> {
  await assertNoObjects(tx);
  return 'none is in a bucket';
}

const OLDEST_SERVER = 17;

async function checkServer(database: Database): Promise<string> {
  const [server] = await database
    .query<{ number: number; version: string; isReadOnly: boolean }>(
      `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
              pg_is_in_recovery() or current_setting('transaction_read_only')::bool as "isReadOnly"`,
    )
    .catch((error: unknown) => {
      const reason = describeError(error);
      throw new Error(
        `does not answer (${reason}): check MEMORY_DATABASE_URL or, if it is set, MEMORY_DATABASE_DIRECT_URL, and that the server runs`,
      );
    });
  if (server === undefined) throw new Error('does not answer');
  if (server.number < OLDEST_SERVER * 10_000) {
    throw new Error(`is PostgreSQL ${server.version}: ${OLDEST_SERVER} or later is required`);
  }
  if (server.isReadOnly) {
    throw new Error('accepts no changes, as a standby does: set MEMORY_DATABASE_URL to the primary');
  }
  await assertNoUnfinishedMove(database);
  return `PostgreSQL ${server.version}`;
}

interface Extension {
  installed: string | null;
  schema: string | null;
  available: string | null;
  canCreate: boolean | null;
}

async function checkExtension(tx: Queryable): Promise<string> {
  const [found] = await tx.query<Extension>(
    `select e.extversion as installed, e.extnamespace::regnamespace::text as schema, a.default_version as available,
            r.rolsuper or (v.trusted and has_database_privilege(current_database(), 'CREATE')) as "canCreate"
       from pg_roles r
       left join pg_extension e on e.extname = 'vector'
       left join pg_available_extensions a on a.name = 'vector'
       left join pg_available_extension_versions v on v.name = a.name and v.version = a.default_version
      where r.rolname = current_user`,
  );
  const { installed = null, schema = null, available = null, canCreate = null } = found ?? {};
  const version = installed ?? available;
  if (version === null) throw new Error('pgvector is not installed on the server: install 0.8 or later');
  if (!isAtLeast(version, '0.8')) throw new Error(`pgvector is ${version}: install 0.8 or later`);
  if (schema !== null && schema !== 'public') {
    throw new Error(
      `pgvector is in the schema ${schema}: a superuser runs there: alter extension vector set schema public`,
    );
  }
  if (installed !== null) return `pgvector ${version}`;
  if (canCreate === true) return `pgvector ${version}, which the start creates`;
  throw new Error(
    'pgvector is not in the database: a superuser runs there: create extension vector schema public',
  );
}

const ROLES_EXIST = 'both exist';

async function checkRoles(tx: Queryable): Promise<string> {
  return (await assertServiceRoles(tx))
    ? ROLES_EXIST
    : 'the start creates them, or lets the role of MEMORY_DATABASE_URL act as them';
}

const ALL_APPLIED = 'all ';

async function checkMigrations(tx: Queryable): Promise<string> {
  const { known, pending, functions } = await countMigrations(tx);
  if (pending + functions === 0) return `${ALL_APPLIED}${known} are applied`;
  const [may] = await tx.query<{ create: boolean }>(
    `select has_database_privilege(current_database(), 'CREATE') as create`,
  );
  if (may?.create !== true) {
    throw new Error('the role of MEMORY_DATABASE_URL cannot create schemas: let it own the database');
  }
  return `the start applies ${pending} of ${known}, and ${functions} SQL functions that are new or have changed`;
}

async function checkIsolation(database: Database): Promise<string> {
  await assertIsolation(database);
  return 'row-level security is effective';
}
