import { asWorker } from '../../db/driver/database.ts';
import { call } from '../../db/queries/call.ts';
import { prune } from '../../db/queries/upkeep.ts';
import { pruneQueryEmbeddings } from '../../db/queue/query-embeddings.ts';
import type { JobHandler } from '../context.ts';
import { inSlices } from '../slices.ts';

/** Chunks deleted by one statement. */
const MAX_CHUNKS_PER_SLICE = 500;
/** Files deleted by one statement: they can be large. */
const MAX_FILES_PER_SLICE = 20;
/** A query that is still queued this long after its timeout will not be deleted by its caller. */
const ABANDONED_AFTER_MS = 60_000;

/** Deletes expired data: stored answers and files, ended sessions and links, and incomplete data of ended processes. */
export const pruneOld: JobHandler<'upkeep.prune'> = async (job, context) => {
  const { config, database, queue, logger } = context;
  await inSlices(context, (tx) => call(tx, 'memory.prune_loading_chunks', MAX_CHUNKS_PER_SLICE));
  const { archiveDays, importPayloadDays: days } = config;
  await asWorker(database, (tx) => call(tx, 'memory.expire_kept_sources'));
  await inSlices(context, (tx) => call(tx, 'memory.prune_kept_sources', archiveDays, MAX_CHUNKS_PER_SLICE));
  await inSlices(context, (tx) => call(tx, 'memory.prune_import_payloads', days, MAX_FILES_PER_SLICE));
  await asWorker(database, (tx) =>
    pruneQueryEmbeddings(tx, config.queryEmbeddingTimeoutMs + ABANDONED_AFTER_MS),
  );
  await asWorker(database, async (tx) => {
    const removed = await prune(tx, config);
    await queue.complete(tx, 'upkeep.prune', job);
    logger.debug(removed, 'pruned');
  });
};
