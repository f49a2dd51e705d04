import type { Job } from 'pg-boss';
import { layerKey } from '../../../core/sources/enqueue-indexing.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { call } from '../../../db/queries/call.ts';
import { insertEmbeddings } from '../../../db/queries/memory/chunks.ts';
import {
  deletePendingMarks,
  leasePendingChunks,
  type PendingChunk,
  releaseChunks,
} from '../../../db/queries/memory/embeddings.ts';
import type { JobQueue } from '../../../db/queue/queue.ts';
import type { Payload } from '../../../shared/queues.ts';
import { layerScope } from '../../../shared/scope.ts';
import { inStep } from '../../../shared/tracing/spans.ts';
import type { JobContext, JobHandler } from '../../context.ts';
import type { ModelClient } from '../../embedder/model-client.ts';
import { EmbeddingInterruptedError, TextRefusedError } from '../../embedder/text-lanes.ts';

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
