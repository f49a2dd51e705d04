import { withoutScope } from '../../db/database.ts';
import { prune, pruneImportPayloads, pruneLoadingChunks } from '../../db/queries/upkeep.ts';
import type { JobHandler } from '../context.ts';

/** Chunks removed by one statement. */
const SLICE = 500;
/** Files removed by one statement: they may be large. */
const FILES = 20;

/** Removes what has had its time: kept answers and files, ended sessions and links, what a dead writer left half-way. */
export const pruneOld: JobHandler<'upkeep.prune'> = async (job, { config, database, queue, logger }) => {
  while ((await withoutScope(database, (tx) => pruneLoadingChunks(tx, SLICE))) > 0);
  const days = config.importPayloadDays;
  while ((await withoutScope(database, (tx) => pruneImportPayloads(tx, days, FILES))) > 0);
  await withoutScope(database, async (tx) => {
    const removed = await prune(tx, config);
    await queue.settle(tx, 'upkeep.prune', job);
    logger.debug(removed, 'pruned');
  });
};
