import type { Logger } from '../../../shared/logger.ts';
import type { Queryable } from '../../driver/database.ts';

/**
 * The first version whose HNSW indexes can be relied on. Before it, vacuum can corrupt such an index (corrected in 0.8.3 and
 * 0.8.4), and so can a build by several processes (corrected in 0.8.2).
 */
export const OLDEST_FOR_GRAPHS = '0.8.4';

/** Whether a version such as `0.8.0` is another one or later. */
export function isAtLeast(version: string, oldest: string): boolean {
  const [given, needed] = [version, oldest].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  );
  for (const [place, part] of (needed ?? []).entries()) {
    const own = given?.[place] ?? 0;
    // What is not a number is not known to be late enough.
    if (own !== part) return own > part;
  }
  return true;
}

/**
 * The version of pgvector on the server, or null if it has none. This is the version of its library, which has the faults:
 * the extension in the database can have been created by an earlier one.
 */
export async function readPgvectorVersion(database: Queryable): Promise<string | null> {
  const [found] = await database.query<{ version: string | null }>(
    `select coalesce((select default_version from pg_available_extensions where name = 'vector'),
                     (select extversion from pg_extension where extname = 'vector')) as version`,
  );
  return found?.version ?? null;
}

/** What does not happen with a version of pgvector, and what to do; null if it has no known faults. */
export function pgvectorWarning(version: string): string | null {
  if (isAtLeast(version, OLDEST_FOR_GRAPHS)) return null;
  return (
    `pgvector ${version} can corrupt HNSW indexes: no graphs of large Teams are built, existing ones are dropped, and searches there ` +
    `compare all vectors. Install pgvector ${OLDEST_FOR_GRAPHS} or later on the server of the database`
  );
}

/** Warns if the server has a version of pgvector with which no graphs are built. */
export async function warnOfOldPgvector(database: Queryable, logger: Logger): Promise<void> {
  const warning = pgvectorWarning((await readPgvectorVersion(database)) ?? OLDEST_FOR_GRAPHS);
  if (warning !== null) logger.warn(warning);
}
