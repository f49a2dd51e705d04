import pg from 'pg';
import type { PgBoss } from 'pg-boss';
import { withTimeout } from '../../shared/resources/with-timeout.ts';
import { KEEP_ALIVE_AFTER_MS } from '../driver/postgres-pool.ts';

/** When pg-boss starts, it changes its tables in transactions. */
const BEGIN = /^\s*begin\b/i;
/** It builds and rebuilds indexes outside of transactions, at any time. */
const INDEX_CONCURRENTLY = /\bindex\s+concurrently\b/i;

/** How long ending LISTEN, or a connection, can take. */
const END_TIMEOUT_MS = 1000;

/**
 * Makes pg-boss change its tables and build indexes over separate connections without time-outs. The connections of its
 * pool have time-outs, and large tables take longer.
 * @returns a function that must be called when pg-boss has started
 */
export function changeTablesWithoutTimeouts(boss: PgBoss, connectionString: string): () => void {
  let isStarting = true;
  const db = boss.getDb();
  const executeSql = db.executeSql.bind(db);
  db.executeSql = async (text, values) => {
    if (!INDEX_CONCURRENTLY.test(text) && !(isStarting && BEGIN.test(text))) return executeSql(text, values);
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      application_name: 'team-memory-queue',
    });
    // The running statement fails too, and reports the error.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.query(text, values);
    } finally {
      await withTimeout(END_TIMEOUT_MS, client.end(), 'the connection did not end in time').catch(
        () => undefined,
      );
    }
  };
  return () => {
    isStarting = false;
  };
}

/**
 * Limits how long ending LISTEN takes. pg-boss waits for the server to close that connection before it stops fetching
 * jobs, and the server never closes a dead connection.
 */
export function boundListenEnd(boss: PgBoss): void {
  const db = boss.getDb();
  const listen = db.listen?.bind(db);
  if (listen === undefined) return;
  db.listen = async (...args) => {
    const handle = await listen(...args);
    return {
      close: () =>
        withTimeout(END_TIMEOUT_MS, handle.close(), 'LISTEN did not end in time').catch(() => undefined),
    };
  };
}
