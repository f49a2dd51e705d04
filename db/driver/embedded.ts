import { mkdir } from 'node:fs/promises';
import pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Logger } from '../../shared/logger.ts';
import { lockFolder } from '../startup/folder-lock.ts';
import type { Database, Queryable } from './database.ts';
import { type DiskSpace, freeBytesOf, watchDiskSpace } from './disk-space.ts';
import { type Engine, startEngine } from './engine.ts';
import { statementsOn } from './postgres.ts';

type QueueDatabase = ReturnType<PgBoss['getDb']>;

/** An embedded database, with what the queue and snapshots need beyond the port. */
export interface EmbeddedDatabase extends Database {
  /** For the queue: a statement waits while the disk is almost full, so that jobs rest and go on by themselves. */
  readonly queueDatabase: QueueDatabase;
  /** A snapshot of all its files, as `EmbeddedOptions` take it. */
  dump(): Promise<Blob>;
  /** Refuses changes from now on while less than this is free on the disk. */
  keepFree(megabytes: number, logger: Logger): void;
  /** Ends the waits of `queueDatabase`, when the service stops. */
  stopWaiting(): void;
}

export interface EmbeddedOptions {
  /** Folder of the database, or null to keep it in memory. */
  dataDir: string | null;
  /** A snapshot to start from, as `dump` makes it. Only in memory. */
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
 * The driver for the embedded database: PostgreSQL in a thread of this very process. It has one connection, so
 * statements and transactions wait for each other, and one process owns the folder.
 * @throws Error when another process holds the folder, or the disk has too little space
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const folder = options.dataDir;
  if (folder !== null) await mkdir(folder, { recursive: true, mode: 0o700 });
  if (folder !== null) assertRoomToStart(folder);
  const lock = folder === null ? null : await lockFolder(folder);
  const ownDisk = folder === null ? null : () => freeBytesOf(folder);
  try {
    const engine = await startEngine({
      folder,
      ...(options.snapshot === undefined ? {} : { snapshot: options.snapshot }),
    });
    const space = watchDiskSpace(options.freeBytes ?? ownDisk);
    return wrap(engine, space, async () => lock?.release());
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
function sparing(tx: Queryable, space: DiskSpace): Queryable {
  let onlyReads = false;
  return {
    ...tx,
    query: async (text, values) => {
      if (!onlyReads && space.isLow()) {
        onlyReads = true;
        // It fails where the transaction has failed, and with it whatever comes.
        tx.query('set transaction read only').catch(() => undefined);
      }
      try {
        return await tx.query(text, values);
      } catch (error) {
        const refused = error as { code?: unknown };
        if (onlyReads && refused.code === ONLY_READS) refused.code = DISK_FULL;
        throw error;
      }
    },
  };
}

function wrap(engine: Engine, space: DiskSpace, released: () => Promise<void>): EmbeddedDatabase {
  const statements = statementsOn(engine);
  const transaction: Database['transaction'] = (fn, opening) =>
    statements.transaction((tx) => fn(sparing(tx, space)), opening);
  let closing: Promise<void> | null = null;
  return {
    backend: 'pglite',
    query: (text, values) =>
      space.isLow() ? transaction((tx) => tx.query(text, values)) : statements.query(text, values),
    transaction,
    // Scripts run when the service starts, before it watches the disk.
    script: statements.script,
    queueDatabase: forQueue(engine, space),
    dump: () => engine.dump(),
    keepFree: space.keepFree,
    stopWaiting: space.stopWaiting,
    canWrite: () => !space.isLow(),
    connections: () => null,
    close: () => (closing ??= engine.close().finally(released)),
  };
}

/** The database as pg-boss takes it. */
function forQueue(engine: Engine, space: DiskSpace): QueueDatabase {
  const executeSql = async (text: string, values?: unknown[]) => {
    await space.untilEnough();
    return engine.use(async (client) => {
      try {
        return await client.query(text, values);
      } catch (error) {
        // A script of several statements may have begun a transaction. Elsewhere this does nothing.
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  };
  return {
    executeSql,
    listen: async (channel, onNotification, onReconnect) => {
      const stop = engine.onNotification((received) => {
        if (received.channel === channel) onNotification(received.payload ?? '');
      });
      try {
        await engine.use((client) => client.query(`listen ${pg.escapeIdentifier(channel)}`));
      } catch (error) {
        stop();
        throw error;
      }
      onReconnect();
      return {
        close: async () => {
          stop();
          await engine.use((client) => client.query(`unlisten ${pg.escapeIdentifier(channel)}`));
        },
      };
    },
  };
}
