import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { Logger } from '../shared/logger.ts';
import type { Database, Queryable } from './database.ts';
import { type DiskSpace, freeBytesOf, watchDiskSpace } from './disk-space.ts';
import { EmbeddedFiles } from './embedded-files.ts';
import { lockFolder } from './folder-lock.ts';

type Serializer = PGlite['serializers'][number];

/** Bytes go as they are, in the binary form of the parameter's type; all else by the usual text form. */
function orBytes(text: Serializer): Serializer {
  // The engine's type says text only; what it binds are bytes as well, marked as binary.
  return ((value: unknown) => (value instanceof Uint8Array ? value : text(value))) as Serializer;
}

const BYTEA = 17;
const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;
const parsers = {
  [BYTEA]: (hex: string) => Buffer.from(hex.slice(2), 'hex'),
  [INT8]: Number,
  [NUMERIC]: Number,
  // As ISO 8601: as the server writes it, a year before 100 would be taken for one of our time.
  [TIMESTAMPTZ]: (text: string) => new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')),
};

/** An embedded database, with the engine for those that need more than the port: the queue and snapshots. */
export interface EmbeddedDatabase extends Database {
  readonly engine: PGlite;
  /**
   * The engine for the queue: a statement waits while the disk is almost full, so that jobs rest and go on by
   * themselves.
   */
  readonly patientEngine: Pick<PGlite, 'query' | 'exec' | 'listen'>;
  /** Refuses changes from now on while less than this is free on the disk. */
  keepFree(megabytes: number, logger: Logger): void;
  /** Ends the waits of `patientEngine`, for who stops. */
  stopWaiting(): void;
}

export interface EmbeddedOptions {
  /** Folder of the database, or null to keep it in memory. */
  dataDir: string | null;
  /** A snapshot to start from, as `PGlite.dumpDataDir` makes it. Only in memory. */
  snapshot?: Blob;
  /** How much is free on the disk, in bytes, where it is not to be looked up. */
  freeBytes?: () => number;
}

/** What a start writes at most, with room for four segments of the log, of 16 MiB each. */
const START_MEGABYTES = 64;

/** The disk has too little space for the database to start. One line, for the operator. */
export class DiskFullError extends Error {
  override name = 'DiskFullError';
}

function assertRoomToStart(folder: string): void {
  const free = Math.floor(freeBytesOf(folder) / 2 ** 20);
  if (free >= START_MEGABYTES) return;
  throw new DiskFullError(
    `MEMORY_DATA_DIR: the disk of ${folder} has ${free} MiB free, and the database needs ${START_MEGABYTES} MiB to start: free some space`,
  );
}

/**
 * The driver for the embedded database: PostgreSQL in this very process. It has one connection, so statements
 * and transactions wait for each other, and one process owns the folder.
 * @throws Error when another process holds the folder, or the disk has too little space
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const folder = options.dataDir;
  if (folder !== null) await mkdir(folder, { recursive: true, mode: 0o700 });
  if (folder !== null) assertRoomToStart(folder);
  const lock = folder === null ? null : await lockFolder(folder);
  const ownDisk = folder === null ? null : () => freeBytesOf(folder);
  try {
    const engine = await PGlite.create({
      ...(folder === null ? {} : { fs: new EmbeddedFiles(join(folder, 'postgres')) }),
      ...(options.snapshot === undefined ? {} : { loadDataDir: options.snapshot }),
      extensions: { vector },
      parsers,
    });
    const space = watchDiskSpace(options.freeBytes ?? ownDisk);
    return await wrap(engine, space, async () => lock?.release());
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

/** SQLSTATE of a change in a transaction that only reads, and of a full disk, which is the reason here. */
const ONLY_READS = '25006';
const DISK_FULL = '53100';

/**
 * Makes a transaction read-only as soon as the disk is almost full before one of its statements: PostgreSQL then refuses
 * every change and answers what only reads. Not waited for, so that statements keep their order.
 */
function sparing(tx: Transaction, space: DiskSpace): Pick<Transaction, 'query' | 'exec'> {
  let onlyReads = false;
  const spare = () => {
    if (onlyReads || !space.isLow()) return;
    onlyReads = true;
    // It fails where the transaction has failed, and with it whatever comes.
    tx.exec('set transaction read only').catch(() => undefined);
  };
  const tellWhy = (error: unknown): never => {
    const refused = error as { code?: unknown };
    if (onlyReads && refused.code === ONLY_READS) refused.code = DISK_FULL;
    throw error;
  };
  return {
    query: (...asked) => {
      spare();
      return tx.query<never>(...asked).catch(tellWhy);
    },
    exec: (...asked) => {
      spare();
      return tx.exec(...asked).catch(tellWhy);
    },
  };
}

async function wrap(
  engine: PGlite,
  space: DiskSpace,
  released: () => Promise<void>,
): Promise<EmbeddedDatabase> {
  let closing: Promise<void> | null = null;
  let typesKnown = false;

  /** The types whose binary form is sent have ids only once the extension is there. */
  const learnTypes = async () => {
    const found = await engine.query<{ oid: number; name: string }>(
      `select oid::int4 as oid, typname as name from pg_type where typname in ('halfvec', 'sparsevec', '_int4')`,
    );
    for (const { oid } of found.rows) engine.serializers[oid] = orBytes(engine.serializers[oid] ?? String);
    engine.serializers[BYTEA] = orBytes(String);
    typesKnown = found.rows.length === 3;
  };
  await learnTypes();

  const queryable = (runner: Pick<Transaction, 'query'>): Queryable => ({
    query: async <R extends object>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await runner.query<R>(text, [...values]);
      // The engine computes on this thread and never waits: without a turn of the event loop after each
      // statement, a loop of them would keep the process from reading its sockets until it is through.
      await nextTurn();
      return rows;
    },
  });

  const whenEnough = async <T>(run: () => Promise<T>): Promise<T> => {
    await space.untilEnough();
    return run();
  };

  return {
    backend: 'pglite',
    engine,
    patientEngine: {
      query: (...asked) => whenEnough(() => engine.query(...asked)),
      exec: (...asked) => whenEnough(() => engine.exec(...asked)),
      listen: (...asked) => engine.listen(...asked),
    },
    keepFree: space.keepFree,
    stopWaiting: space.stopWaiting,
    canWrite: () => !space.isLow(),
    query: (text, values) =>
      space.isLow()
        ? engine.transaction((tx) => queryable(sparing(tx, space)).query(text, values))
        : queryable(engine).query(text, values),
    transaction: async (fn) => {
      if (!typesKnown) await learnTypes();
      return engine.transaction(async (tx) => {
        const spared = sparing(tx, space);
        const result = await fn(scriptable(queryable(spared), spared));
        // COMMIT after a failed statement rolls back without a word: this statement fails there instead.
        await tx.query('select');
        return result;
      });
    },
    script: async (tx, text) => {
      await (tx as ScriptableTransaction).exec(text);
    },
    connections: () => null,
    close: () =>
      (closing ??= engine.close().then(
        () => released(),
        async (error) => {
          await released();
          throw error;
        },
      )),
  };
}

/** PGlite runs one statement by `query` and several by `exec`: the transaction carries both. */
interface ScriptableTransaction extends Queryable {
  exec(text: string): Promise<unknown>;
}

function scriptable(base: Queryable, tx: { exec(text: string): Promise<unknown> }): ScriptableTransaction {
  return { query: base.query, exec: (text) => tx.exec(text) };
}
