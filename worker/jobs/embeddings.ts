import type { Job } from 'pg-boss';
import { layerKey } from '../../core/sources/indexing.ts';
import {
  asWorker,
  type Database,
  type TeamTransaction,
  transaction,
  withoutScope,
} from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { BUILD_TIMEOUTS } from '../../db/driver/postgres-pool.ts';
import { call, callRows } from '../../db/queries/call.ts';
import {
  buildGraph,
  cancelStatement,
  deletePendingMarks,
  dropGraph,
  type GraphSizes,
  graphProgress,
  isAtLeast,
  leasePendingChunks,
  listGraphChanges,
  lockGraphs,
  OLDEST_FOR_GRAPHS,
  type PendingChunk,
  readPgvectorVersion,
  releaseChunks,
} from '../../db/queries/embeddings.ts';
import { insertEmbeddings } from '../../db/queries/sources/chunks.ts';
import { answerVector, deleteQueryEmbedding, remainingTimeoutMs } from '../../db/queue/query-embeddings.ts';
import { type JobQueue, LostJobError } from '../../db/queue/queue.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Payload } from '../../shared/queues.ts';
import { layerScope } from '../../shared/scope.ts';
import { inStep } from '../../shared/tracing/spans.ts';
import type { JobContext, JobHandler } from '../context.ts';
import type { ModelClient } from '../embedder/model-client.ts';
import { EmbeddingInterruptedError, TextRefusedError } from '../embedder/text-lanes.ts';

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

/** Chunks of one job. A large model needs some seconds for them, so layers take turns and new text waits briefly. */
const MAX_CHUNKS_PER_JOB = 16;
/** Longer than a job can take, so that no other job can lease its chunks while it runs. */
const LEASE_SECONDS = 900;
/** After this, no further text is started: on a slow machine, 16 long texts take longer than a job is allowed to. */
const LAST_START_MS = 60_000;
/** After this, the model is stuck. The job stores the vectors that it has, before the queue times it out. */
const TIMEOUT_MS = 600_000;

type ChunksJob = Job<Payload<'embed.chunks'>>;

/** Enqueues the layer's next job, unless one is already waiting. */
async function enqueueNext(
  tx: TeamTransaction,
  queue: JobQueue,
  payload: Payload<'embed.chunks'>,
): Promise<void> {
  await queue.enqueue(tx, 'embed.chunks', payload, { key: layerKey(payload.teamId, payload.layerId) });
}

interface MadeVectors {
  vectors: Map<string, Float32Array>;
  refused: string[];
  /** Whether vectors are missing because the worker stopped or the time was over. */
  isIncomplete: boolean;
}

async function makeVectors(
  model: ModelClient,
  chunks: readonly PendingChunk[],
  signal: AbortSignal,
): Promise<MadeVectors> {
  const made: MadeVectors = { vectors: new Map(), refused: [], isIncomplete: false };
  const began = performance.now();
  for (const { chunkId, text } of chunks) {
    if (performance.now() - began > LAST_START_MS) return { ...made, isIncomplete: true };
    try {
      const vector = await inStep(
        () => 'embed passage',
        {},
        () => model.embed(text, 'passage', signal),
      );
      made.vectors.set(chunkId, vector);
    } catch (error) {
      if (error instanceof TextRefusedError) made.refused.push(chunkId);
      else if (error instanceof EmbeddingInterruptedError) return { ...made, isIncomplete: true };
      else throw error;
    }
  }
  return made;
}

/** Leases the newest chunks of the layer, and enqueues its next job if there can be more. */
async function leaseSlice(
  tx: TeamTransaction,
  { queue, config }: JobContext,
  job: ChunksJob,
): Promise<PendingChunk[]> {
  await queue.assertRunning(tx, 'embed.chunks', job);
  // A newer version of the service uses another model. Its own workers make the vectors.
  if (!(await call(tx, 'memory.is_adopted_model', config.embeddingModel))) return [];
  const batch = { id: job.id, limit: MAX_CHUNKS_PER_JOB, leaseSeconds: LEASE_SECONDS, refusedToo: false };
  const { chunks } = await leasePendingChunks(tx, batch);
  // Enqueued now, so that the next chunks can be prepared during this job, or be processed by another worker.
  if (chunks.length === MAX_CHUNKS_PER_JOB) await enqueueNext(tx, queue, job.data);
  return chunks;
}

/** Stores the vectors and completes the job. Returns the number of vectors that were still needed. */
async function storeSlice(
  tx: TeamTransaction,
  { queue, config }: JobContext,
  job: ChunksJob,
  { vectors, refused, isIncomplete }: MadeVectors,
): Promise<number> {
  const model = config.embeddingModel;
  // Another model may have been adopted since then. Its own workers need the marks, so they must not be deleted.
  const wanted = vectors.size > 0 && (await call(tx, 'memory.is_adopted_model', model));
  // Skips marks that are gone or belong to another job: the text was replaced, or the Team was deleted.
  const needed = wanted ? await deletePendingMarks(tx, job.id, [...vectors.keys()]) : [];
  if (needed.length > 0) {
    await insertEmbeddings(
      tx,
      model,
      needed.map(({ chunkId, layerId }) => ({ chunkId, layerId, embedding: vectors.get(chunkId)! })),
    );
  }
  await releaseChunks(tx, job.id, refused);
  // Another job makes the rest. Releasing this job instead would conflict with the job that already waits.
  if (isIncomplete || (vectors.size > 0 && !wanted)) await enqueueNext(tx, queue, job.data);
  await queue.complete(tx, 'embed.chunks', job);
  return needed.length;
}

/**
 * Makes vectors of the newest chunks of a layer that have none, and enqueues the next job if there are more. Only the
 * marks decide which chunks need a vector, so nothing is lost with a job. The transaction that stores the vectors also
 * deletes the marks and completes the job, so a job that runs twice stores nothing twice.
 */
export const embedChunks: JobHandler<'embed.chunks'> = async (job, context) => {
  const { database, embedder, stopping, logger } = context;
  if (embedder === null) throw new Error('a worker without a model cannot run this job');
  const scope = layerScope(job.data);
  const chunks = await transaction(database, scope, (tx) => leaseSlice(tx, context, job));
  const signal = AbortSignal.any([stopping, job.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const made = await makeVectors(embedder.model, chunks, signal);
  embedder.pace.add(await transaction(database, scope, (tx) => storeSlice(tx, context, job, made)));
  if (made.refused.length > 0) {
    logger.warn({ chunks: made.refused }, 'the model gave no vector of these passages');
  }
};

/** Releases a query to another worker, because this one stops or its model cannot be used. */
async function releaseQuery(
  { database, queue }: JobContext,
  job: Job<Payload<'embed.query'>>,
): Promise<void> {
  try {
    await withoutScope(database, (tx) => queue.release(tx, 'embed.query', job));
  } catch (error) {
    // The caller has already deleted the job.
    if (!(error instanceof LostJobError)) throw error;
  }
}

/**
 * Makes the vector of a query and answers the caller. A query that nobody waits for is dropped before it is computed,
 * and before it overtakes another.
 */
export const embedQuery: JobHandler<'embed.query'> = async (job, context) => {
  const { config, database, embedder, stopping } = context;
  const timeoutMs = await remainingTimeoutMs(database, job);
  if (embedder === null || timeoutMs <= 0) {
    await deleteQueryEmbedding(database, job.id);
    return;
  }
  const model = config.embeddingModel;
  // `AbortSignal.timeout` accepts only whole milliseconds.
  const late = AbortSignal.timeout(Math.ceil(timeoutMs));
  try {
    const signal = AbortSignal.any([stopping, late]);
    const vector = await inStep(
      () => 'embed query',
      {},
      () => embedder.model.embed(job.data.text, 'query', signal),
    );
    await answerVector(database, { id: job.id, vector, model });
  } catch (error) {
    // If the model gives no vector, the caller need not wait longer.
    if (error instanceof TextRefusedError) await answerVector(database, { id: job.id, vector: null, model });
    else if (!(error instanceof EmbeddingInterruptedError)) throw error;
    else if (late.aborted) await deleteQueryEmbedding(database, job.id);
    else await releaseQuery(context, job);
  }
};

/**
 * Enqueues jobs for layers in which chunks wait for a vector without a job. Such chunks were stored before the service
 * made vectors, or were leased by a program that never sent them, or their job failed, or they were stored just when the
 * waiting job of their layer started.
 */
export const queueWaitingLayers: JobHandler<'embed.waiting'> = async (job, { database, queue }) => {
  for (const layer of await asWorker(database, (tx) => callRows(tx, 'memory.layers_without_vectors'))) {
    // In separate transactions, so that one that waits for a lock does not delay the others.
    await asWorker(database, (tx) =>
      queue.enqueue(tx, 'embed.chunks', layer, { key: layerKey(layer.teamId, layer.layerId) }),
    );
  }
  await asWorker(database, (tx) => queue.complete(tx, 'embed.waiting', job));
};

/** Chunks checked by one statement. */
const MAX_CHUNKS_PER_SLICE = 1000;

/** Old vectors deleted by one statement. */
const MAX_VECTORS_PER_SLICE = 1000;

/**
 * After a change of the embedding model, marks every chunk that has no vector of the new model, and deletes the vectors
 * of the old model in each Team whose new vectors are complete. Runs at intervals, and has nothing to do unless the
 * model changed recently. It repeats the check for an hour after a change, because a process of the earlier version can
 * still store vectors of the old model.
 */
export const backfillPending: JobHandler<'embeddings.backfill'> = async (
  job,
  { database, queue, config, stopping },
) => {
  for (let after: string | null = null; ; ) {
    const last: string | null = await asWorker(database, (tx) =>
      call(tx, 'memory.backfill_pending', after, MAX_CHUNKS_PER_SLICE),
    );
    if (last === null) break;
    after = last;
  }
  await asWorker(database, async (tx) => {
    await call(tx, 'memory.finish_backfill');
    if (config.serverEmbeddings) await queue.enqueue(tx, 'embed.waiting', {});
  });
  while (!stopping.aborted) {
    if ((await asWorker(database, (tx) => call(tx, 'memory.prune_old_vectors', MAX_VECTORS_PER_SLICE))) === 0)
      break;
  }
  await asWorker(database, (tx) => queue.complete(tx, 'embeddings.backfill', job));
};

/** The jobs that need the model. */
export interface ModelJobs {
  /** Starts or stops dequeuing, depending on whether the model is ready. */
  adjust(): void;
  /** Stops dequeuing. Resolves when the steps that have begun are done. */
  stop(): Promise<void>;
}

interface Setup {
  isReady: () => boolean;
  startDequeuing: () => Promise<void>;
  stopDequeuing: () => Promise<void>;
  logger: Logger;
}

/**
 * Dequeues the jobs that need the model while it is ready. While it is not, leaves them in the queue for other workers.
 */
export function openModelJobs({ isReady, startDequeuing, stopDequeuing, logger }: Setup): ModelJobs {
  let isDequeuing = false;
  let stopped = false;
  // Steps run one after the other, because the model's state can change while dequeuing is being started.
  let steps = Promise.resolve();
  const step = async () => {
    const ready = !stopped && isReady();
    if (ready === isDequeuing || stopped) return;
    isDequeuing = ready;
    try {
      await (ready ? startDequeuing() : stopDequeuing());
    } catch (error) {
      logger.error({ err: error }, 'cannot start or stop the jobs that need the model');
    }
  };
  return {
    adjust: () => {
      steps = steps.then(step);
    },
    stop: () => {
      stopped = true;
      return steps;
    },
  };
}
