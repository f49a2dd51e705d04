import type { Job } from 'pg-boss';
import { withoutScope } from '../../../db/driver/database.ts';
import {
  answerVector,
  deleteQueryEmbedding,
  remainingTimeoutMs,
} from '../../../db/queue/query-embeddings.ts';
import { LostJobError } from '../../../db/queue/queue.ts';
import type { Payload } from '../../../shared/queues.ts';
import { inStep } from '../../../shared/tracing/spans.ts';
import type { JobContext, JobHandler } from '../../context.ts';
import { EmbeddingInterruptedError, TextRefusedError } from '../../embedder/text-lanes.ts';

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
