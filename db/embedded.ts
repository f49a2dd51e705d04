import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { Database, Queryable } from './database.ts';
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
}

export interface EmbeddedOptions {
  /** Folder of the database, or null to keep it in memory. */
  dataDir: string | null;
  /** A snapshot to start from, as `PGlite.dumpDataDir` makes it. Only in memory. */
  snapshot?: Blob;
}

/**
 * The driver for the embedded database: PostgreSQL in this very process. It has one connection, so statements
 * and transactions wait for each other, and one process owns the folder.
 * @throws Error when another process holds the folder
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const folder = options.dataDir;
  if (folder !== null) await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = folder === null ? null : await lockFolder(folder);
  try {
    const engine = await PGlite.create({
      ...(folder === null ? {} : { dataDir: join(folder, 'postgres') }),
      ...(options.snapshot === undefined ? {} : { loadDataDir: options.snapshot }),
      extensions: { vector },
      parsers,
    });
    return await wrap(engine, async () => lock?.release());
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

async function wrap(engine: PGlite, released: () => Promise<void>): Promise<EmbeddedDatabase> {
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

  const queryable = (runner: Pick<PGlite, 'query'>): Queryable => ({
    query: async <R extends object>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await runner.query<R>(text, [...values]);
      // The engine computes on this thread and never waits: without a turn of the event loop after each
      // statement, a loop of them would keep the process from reading its sockets until it is through.
      await nextTurn();
      return rows;
    },
  });

  return {
    backend: 'pglite',
    engine,
    query: queryable(engine).query,
    transaction: async (fn) => {
      if (!typesKnown) await learnTypes();
      return engine.transaction(async (tx) => {
        const result = await fn(scriptable(queryable(tx as unknown as PGlite), tx));
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
