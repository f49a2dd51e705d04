import { asWorker, type Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { BUILD_TIMEOUTS } from '../../db/driver/postgres-pool.ts';
import {
  isAtLeast,
  OLDEST_FOR_GRAPHS,
  readPgvectorVersion,
} from '../../db/queries/search/pgvector-version.ts';
import {
  buildGraph,
  cancelStatement,
  dropGraph,
  type GraphSizes,
  graphProgress,
  listGraphChanges,
  lockGraphs,
} from '../../db/queries/search/vector-graphs.ts';
import type { Logger } from '../../shared/logger.ts';
import type { JobHandler } from '../context.ts';

/**
 * With more vectors, a graph finds the nearest of a whole Team faster than a comparison of all: with 100,000 in half of
 * the time, with 45,000 in the same. `keep` is lower, so that a Team whose size changes a little is not built again and again.
 */
export const GRAPH_SIZES: GraphSizes = { build: 80_000, keep: 60_000 };

/** No Team is so large that it gets a graph, and each graph is dropped. */
const NO_GRAPHS: GraphSizes = { build: 2 ** 31 - 1, keep: 2 ** 31 - 1 };

/**
 * The sizes for a version of pgvector. Graphs that an earlier version built are dropped too, and not only left unused: they can be
 * corrupt, also after the server has got a later version, which then builds them again.
 */
export function graphSizesFor(version: string | null): GraphSizes {
  return version !== null && isAtLeast(version, OLDEST_FOR_GRAPHS) ? GRAPH_SIZES : NO_GRAPHS;
}

const PROGRESS_INTERVAL_MS = 30_000;

/**
 * Builds the graphs of Teams that have become large, and drops those of Teams that are smaller, deleted, or have another
 * model. Until it runs, searches compare all vectors. If it is interrupted, the next run drops what was left and starts
 * again. The embedded database gets no graph: building one takes 40 times as long there. Nor does a server whose pgvector can
 * corrupt it.
 */
export const buildVectorGraphs: JobHandler<'graphs.build'> = async (job, context) => {
  const { database, queue, config, logger, stopping } = context;
  if (database.backend === 'postgres' && config.databaseDirectUrl !== null) {
    // One connection without a pooler, which keeps the lock and its settings, and has no time-outs.
    const connection = openPostgres(config.databaseDirectUrl, logger, { max: 1, timeouts: BUILD_TIMEOUTS });
    try {
      const sizes = graphSizesFor(await readPgvectorVersion(connection));
      await changeGraphs({ database, connection, logger, stopping }, sizes);
    } finally {
      await connection.close();
    }
  }
  await asWorker(database, (tx) => queue.complete(tx, 'graphs.build', job));
};

interface Needed {
  database: Database;
  /** Has a single connection, as the owner of the tables. */
  connection: Database;
  logger: Logger;
  stopping: AbortSignal;
}

/**
 * Drops and builds graphs until every large Team has one. Does nothing while another worker does this.
 * @throws Error if the worker stops during a build
 */
export async function changeGraphs(needed: Needed, sizes: GraphSizes): Promise<void> {
  const { database, connection, logger } = needed;
  const pid = await lockGraphs(connection);
  if (pid === null) return;
  const { toDrop, toBuild } = await asWorker(database, (tx) => listGraphChanges(tx, sizes));
  for (const name of toDrop) {
    await dropGraph(connection, name);
    logger.info({ index: name }, 'a graph of vectors was dropped');
  }
  for (const graph of toBuild) {
    const began = performance.now();
    logger.info(graph, 'building the graph of the vectors of a Team');
    await whileReported(needed, pid, () => buildGraph(connection, graph, needed.stopping));
    const ms = Math.round(performance.now() - began);
    logger.info({ ...graph, ms }, 'the graph of the vectors of a Team was built');
  }
}

/** Logs the progress of a build at intervals, and cancels it when the worker stops. */
async function whileReported(
  { database, logger, stopping }: Needed,
  pid: number,
  build: () => Promise<void>,
): Promise<void> {
  const report = async () => {
    const progress = await graphProgress(database, pid);
    if (progress !== null) logger.info(progress, 'building the graph of the vectors of a Team');
  };
  const ignored = (error: unknown) =>
    logger.warn({ err: error }, 'the build of a graph was not reported or cancelled');
  const timer = setInterval(() => void report().catch(ignored), PROGRESS_INTERVAL_MS);
  const cancel = () => void cancelStatement(database, pid).catch(ignored);
  stopping.addEventListener('abort', cancel);
  try {
    stopping.throwIfAborted();
    await build();
  } finally {
    clearInterval(timer);
    stopping.removeEventListener('abort', cancel);
  }
}
