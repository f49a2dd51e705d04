import { asWorker, type Database } from '../../db/driver/database.ts';
import { addSourceUses, type SourceUse } from '../../db/queries/feedback/source-use.ts';

const INTERVAL_MS = 3000;
/** Sources whose uses are summed at most. Uses of further ones are not counted until the sums are stored. */
const MAX_SOURCES = 10_000;

/**
 * The uses that are not stored yet, by Team and source. They are stored in the background, so that no search waits for it. A
 * process that is killed loses those of the last seconds.
 */
const pendingUses = new WeakMap<Database, Map<string, SourceUse>>();

/** Counts that a search has returned these sources. A source that is given several times counts once. */
export function countFound(database: Database, teamId: string, sourceIds: Iterable<string>): void {
  const foundAt = new Date();
  for (const sourceId of new Set(sourceIds)) {
    add(database, { teamId, sourceId, found: 1, opened: 0, foundAt });
  }
}

/** Counts that the text of a source was read. */
export function countOpened(database: Database, teamId: string, sourceId: string): void {
  add(database, { teamId, sourceId, found: 0, opened: 1, foundAt: null });
}

/** Stores the uses that were counted so far. If it fails, they are kept for the next time. */
export async function storeUses(database: Database): Promise<void> {
  const uses = pendingUses.get(database);
  if (uses === undefined) return;
  pendingUses.delete(database);
  try {
    await asWorker(database, (tx) => addSourceUses(tx, [...uses.values()]));
  } catch (error) {
    for (const use of uses.values()) add(database, use);
    throw error;
  }
}

/**
 * Stores uses every few seconds.
 * @returns stops it
 */
export function storeUsesRegularly(database: Database): () => void {
  // A database that cannot be reached is reported by the requests that need it.
  const timer = setInterval(() => void storeUses(database).catch(() => undefined), INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function add(database: Database, { foundAt, ...use }: SourceUse): void {
  const uses = pendingUses.get(database) ?? new Map<string, SourceUse>();
  pendingUses.set(database, uses);
  const key = `${use.teamId} ${use.sourceId}`;
  const present = uses.get(key);
  if (present === undefined) {
    if (uses.size < MAX_SOURCES) uses.set(key, { ...use, foundAt });
    return;
  }
  present.found += use.found;
  present.opened += use.opened;
  if (foundAt !== null && (present.foundAt === null || present.foundAt < foundAt)) present.foundAt = foundAt;
}
