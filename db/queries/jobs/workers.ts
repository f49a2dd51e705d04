import type { EmbedderState } from '../../../shared/schemas/status.ts';
import { asWorker, type Database, type Queryable } from '../../driver/database.ts';
import { wireTime } from '../fragments/layers.ts';

/** A worker process, as it reports itself. */
export interface WorkerRecord {
  id: string;
  startedAt: string;
  lastSeenAt: string;
  queues: string[];
  rssBytes: number;
  /** The state of its model; null if it makes no vectors. */
  embedder: EmbedderState | null;
}

/** A worker whose last heartbeat is older than this counts as stopped. Workers send one every ten seconds. */
const ALIVE_SECONDS = 30;

/** Stores the heartbeat of a worker, and deletes workers without a heartbeat for an hour. Not the data of a tenant. */
export async function recordWorker(
  database: Database,
  worker: Pick<WorkerRecord, 'id' | 'rssBytes' | 'embedder'> & { queues: readonly string[] },
): Promise<void> {
  await asWorker(database, async (tx) => {
    await tx.query(
      `insert into memory.worker (id, queues, rss_bytes, embedder) values ($1, $2, $3, $4::jsonb)
       on conflict (id) do update
         set last_seen_at = now(), rss_bytes = excluded.rss_bytes, embedder = excluded.embedder`,
      [
        worker.id,
        worker.queues,
        worker.rssBytes,
        worker.embedder === null ? null : JSON.stringify(worker.embedder),
      ],
    );
    await tx.query(`delete from memory.worker where last_seen_at < now() - interval '1 hour'`);
  });
}

/** Deletes a worker, because it has stopped. */
export async function deleteWorker(database: Database, id: string): Promise<void> {
  await asWorker(database, (tx) => tx.query('delete from memory.worker where id = $1', [id]));
}

/** Lists the running workers. */
export async function listWorkers(tx: Queryable): Promise<WorkerRecord[]> {
  const rows = await tx.query<
    Omit<WorkerRecord, 'startedAt' | 'lastSeenAt'> & { startedAt: Date; lastSeenAt: Date }
  >(
    `select id, started_at as "startedAt", last_seen_at as "lastSeenAt", queues, rss_bytes as "rssBytes",
            embedder
       from memory.worker where last_seen_at > now() - make_interval(secs => $1) order by started_at, id`,
    [ALIVE_SECONDS],
  );
  return rows.map((row) => ({
    ...row,
    startedAt: wireTime(row.startedAt),
    lastSeenAt: wireTime(row.lastSeenAt),
  }));
}
