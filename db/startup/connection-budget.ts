import type { Logger } from '../../shared/logger.ts';
import type { Database } from '../driver/database.ts';

/** How the connections of a process are divided. One more listens. */
export interface ConnectionShares {
  /** For requests and jobs. */
  pool: number;
  /** For the queue: enqueuing, fetching and maintaining jobs. */
  queue: number;
}

/**
 * Divides the connections of a process: one listens, the queue gets a third of the others.
 * @param connections `MEMORY_DATABASE_POOL`
 */
export function shareConnections(connections: number): ConnectionShares {
  const others = connections - 1;
  const queue = Math.max(1, Math.floor(others / 3));
  return { pool: others - queue, queue };
}

/**
 * Warns if the server does not have as many connections left as this process can open. Other processes can open more
 * than they have open now, and behind a pooler the server counts the connections of the pooler: so a start without a
 * warning is no proof.
 * @param connections `MEMORY_DATABASE_POOL`
 */
export async function warnOfTooFewConnections(
  database: Database,
  connections: number,
  logger: Logger,
): Promise<void> {
  const [found] = await database.query<{ accepted: number; open: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
              - current_setting('reserved_connections')::int as accepted,
            (select sum(numbackends) from pg_stat_database)::int as open`,
  );
  if (found === undefined) return;
  // The connection that asks is one of this process.
  const open = Math.max(0, found.open - 1);
  if (open + connections <= found.accepted) return;
  logger.warn(
    { acceptedByServer: found.accepted, openNow: open, ofThisProcess: connections },
    'the database accepts fewer connections than this process can open: raise max_connections, lower MEMORY_DATABASE_POOL, or use a pooler',
  );
}
