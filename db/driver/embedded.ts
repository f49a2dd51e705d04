import pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Logger } from '../../shared/logger.ts';
import { makeFolder, writing } from '../../shared/settings/folders.ts';
import { lockFolder } from '../startup/folder-lock.ts';
import type { Database, Queryable } from './database.ts';
import { CHECKPOINT_BYTES } from './engine/checkpoints.ts';
import { type Engine, startEngine } from './engine/engine.ts';
import { type DiskSpace, freeBytesOf, watchDiskSpace } from './faults.ts';
import { statementsOn } from './postgres.ts';

type QueueDatabase = ReturnType<PgBoss['getDb']>;

/** An embedded database, with the additional functions for the queue and for snapshots. */
export interface EmbeddedDatabase extends Database {
  /** For the queue. Its statements wait while the disk is almost full, so that jobs continue when there is space. */
  readonly queueDatabase: QueueDatabase;
  /** Returns a snapshot of all files, for `EmbeddedOptions.snapshot`. */
  dump(): Promise<Blob>;
  /** From now on, refuses changes while less than this is free on the disk. */
  setMinFree(megabytes: number, logger: Logger): void;
  /** Ends the waits of `queueDatabase`. Call it when the service stops. */
  stopWaiting(): void;
}

export interface EmbeddedOptions {
  /** Folder of the database, or null for a database in memory. */
  dataDir: string | null;
  /** What names the folder, for messages: MEMORY_DATA_DIR, or an option of a command. */
  variable?: string;
  /** A snapshot to start from, as returned by `dump`. Only for a database in memory. */
  snapshot?: Blob;
  /** Returns how many bytes are free, in place of a check of the disk. For tests. */
  freeBytes?: () => number;
  /** How much of the log is written before a checkpoint. Tests pass less. */
  checkpointBytes?: number;
  /** Called when the folder is locked, before anything in it is opened. If it fails, the lock is released. */
  onLocked?: () => Promise<void>;
}

/** The most that a start writes: room for four segments of the write-ahead log, of 16 MiB each. */
export const START_MEGABYTES = 64;

/** The disk has too little space for the database to start. The message is one line for the operator. */
export class DiskFullError extends Error {
  override name = 'DiskFullError';
}

/** What is written in the folder: the lock, and the files of the database. */
export const DATA_NAMES = ['lock', 'postgres'];

function assertRoomToStart(variable: string, folder: string): void {
  const free = Math.floor(freeBytesOf(folder) / 2 ** 20);
  if (free >= START_MEGABYTES) return;
  throw new DiskFullError(
    `${variable}: the disk of ${folder} has ${free} MiB free, and the database needs ${START_MEGABYTES} MiB to start: free some space`,
  );
}

/**
 * The driver for the embedded database, which is PostgreSQL in a thread of this process. It has one connection, so
 * statements and transactions wait for each other. Only one process can open the folder.
 * @throws FolderLockedError if another process has opened the folder
 * @throws DiskFullError if the disk has too little space
 * @throws FolderError if this user cannot write to the folder
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { dataDir: folder, variable = 'MEMORY_DATA_DIR' } = options;
  if (folder !== null) await makeFolder(variable, folder, DATA_NAMES);
  if (folder !== null) assertRoomToStart(variable, folder);
  const lock = folder === null ? null : await writing(variable, folder, () => lockFolder(folder));
  const ownDisk = folder === null ? null : () => freeBytesOf(folder);
  try {
    await options.onLocked?.();
    const engine = await startEngine({
      folder,
      checkpointBytes: options.checkpointBytes ?? CHECKPOINT_BYTES,
      ...(options.snapshot === undefined ? {} : { snapshot: options.snapshot }),
    });
    const space = watchDiskSpace(options.freeBytes ?? ownDisk);
    return wrap(engine, space, async () => lock?.release());
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

/** SQLSTATEs of a change in a read-only transaction, and of a full disk, which is the reason for it here. */
const ONLY_READS = '25006';
const DISK_FULL = '53100';

/**
 * Makes a transaction read-only when the disk is almost full before one of its statements. PostgreSQL then refuses
 * changes, and statements that only read still work. The statement that does so is not awaited, to keep the order of
 * statements.
 */
function readOnlyWhenLow(tx: Queryable, space: DiskSpace): Queryable {
  let onlyReads = false;
  return {
    ...tx,
    query: async (text, values) => {
      if (!onlyReads && space.isLow()) {
        onlyReads = true;
        // This fails if the transaction has already failed. Then all later statements fail too.
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
  const statements = statementsOn(engine, null);
  const transaction: Database['transaction'] = (fn, opening) =>
    statements.transaction((tx) => fn(readOnlyWhenLow(tx, space)), opening);
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
    setMinFree: space.setMinFree,
    stopWaiting: space.stopWaiting,
    canWrite: () => !space.isLow(),
    freeBytes: space.freeBytes,
    connections: () => null,
    close: () => (closing ??= engine.close().finally(released)),
  };
}

/** The database in the interface of pg-boss. */
function forQueue(engine: Engine, space: DiskSpace): QueueDatabase {
  const executeSql = async (text: string, values?: unknown[]) => {
    await space.waitForSpace();
    return engine.use(async (client) => {
      try {
        return await client.query(text, values);
      } catch (error) {
        // A script of several statements can have begun a transaction. Otherwise this does nothing.
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
