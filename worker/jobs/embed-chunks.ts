import { type TeamTransaction, transaction } from '../../db/database.ts';
import { insertEmbeddings } from '../../db/queries/chunks.ts';
import {
  isAdoptedModel,
  leasePendingChunks,
  type PendingChunk,
  refuseChunks,
  releaseChunks,
  takeBatchChunks,
} from '../../db/queries/embeddings.ts';
import type { JobQueue } from '../../db/queue.ts';
import { layerKey } from '../../db/text-written.ts';
import type { Payload } from '../../shared/queues.ts';
import { layerScope } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';
import type { ModelClient } from '../embedder/model-client.ts';
import { EmbeddingInterruptedError, TextRefusedError } from '../embedder/text-lanes.ts';

/** Chunks of one job: some seconds of a large model, so that layers take turns and new text does not wait for old. */
const CHUNKS = 16;
/** Longer than a job can take: no other may lease its chunks while it works on them. */
const LEASE_SECONDS = 900;

/** The layer's next job, unless one waits already. */
async function queueNext(
  tx: TeamTransaction,
  queue: JobQueue,
  payload: Payload<'embed.chunks'>,
): Promise<void> {
  await queue.send(tx, 'embed.chunks', payload, { key: layerKey(payload.teamId, payload.clientId) });
}

interface Made {
  vectors: Map<string, Float32Array>;
  refused: string[];
  /** The worker stopped before all were made. */
  interrupted: boolean;
}

async function makeVectors(
  model: ModelClient,
  chunks: readonly PendingChunk[],
  signal: AbortSignal,
): Promise<Made> {
  const made: Made = { vectors: new Map(), refused: [], interrupted: false };
  for (const { chunkId, text } of chunks) {
    try {
      made.vectors.set(chunkId, await model.embed(text, 'passage', signal));
    } catch (error) {
      if (error instanceof TextRefusedError) made.refused.push(chunkId);
      else if (error instanceof EmbeddingInterruptedError) return { ...made, interrupted: true };
      else throw error;
    }
  }
  return made;
}

/**
 * Makes vectors of the newest chunks of a layer that have none, and queues the next job where there are more. Which
 * chunks those are is told by their marks alone: a job that is lost loses nothing, and one that runs twice stores
 * nothing twice, for it takes the marks in the transaction that stores the vectors and settles the job.
 */
export const embedChunks: JobHandler<'embed.chunks'> = async (job, context) => {
  const { database, queue, embedder, config, stopping, logger } = context;
  const model = config.embeddingModel;
  const scope = layerScope(job.data);
  const chunks = await transaction(database, scope, async (tx) => {
    await queue.assertHeld(tx, 'embed.chunks', job);
    // A newer version of the service has another model: its own workers go on.
    if (embedder === null || !(await isAdoptedModel(tx, model))) return [];
    const batch = { id: job.id, limit: CHUNKS, leaseSeconds: LEASE_SECONDS, refusedToo: false };
    const leased = await leasePendingChunks(tx, batch);
    // At once, so that another taker prepares them meanwhile, or another worker makes them.
    if (leased.chunks.length === CHUNKS) await queueNext(tx, queue, job.data);
    return leased.chunks;
  });
  const signal = AbortSignal.any([stopping, job.signal]);
  const { vectors, refused, interrupted } =
    embedder === null
      ? { vectors: new Map<string, Float32Array>(), refused: [], interrupted: false }
      : await makeVectors(embedder.model, chunks, signal);
  const stored = await transaction(database, scope, async (tx) => {
    // Gone meanwhile, or another's: text that was replaced, or a Team that was deleted.
    const taken = vectors.size === 0 ? [] : await takeBatchChunks(tx, job.id, [...vectors.keys()]);
    if (taken.length > 0) {
      await insertEmbeddings(
        tx,
        model,
        taken.map(({ chunkId, clientId }) => ({ chunkId, clientId, embedding: vectors.get(chunkId)! })),
      );
    }
    if (refused.length > 0) await refuseChunks(tx, job.id, refused);
    await releaseChunks(tx, job.id);
    // What is left of it is another job's: given back, it would meet the one that waits.
    if (interrupted) await queueNext(tx, queue, job.data);
    await queue.settle(tx, 'embed.chunks', job);
    return taken.length;
  });
  embedder?.pace.add(stored);
  if (refused.length > 0) logger.warn({ chunks: refused }, 'the model gave no vector of these chunks');
};
