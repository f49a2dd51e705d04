import { abandonVector, answerVector, remainingPatience } from '../../db/query-embeddings.ts';
import type { JobHandler } from '../context.ts';
import { EmbeddingInterruptedError, TextRefusedError } from '../embedder/text-lanes.ts';

/**
 * Makes the vector of a query and tells whoever waits for it. One that nobody waits for any more is dropped, before it
 * is computed and before it overtakes another.
 */
export const embedQuery: JobHandler<'embed.query'> = async (
  job,
  { config, database, embedder, stopping },
) => {
  const patience = await remainingPatience(database, job);
  if (embedder === null || patience <= 0) {
    await abandonVector(database, job.id);
    return;
  }
  const model = config.embeddingModel;
  // A time-out takes whole milliseconds alone.
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(Math.ceil(patience))]);
  try {
    const vector = await embedder.model.embed(job.data.text, 'query', signal);
    await answerVector(database, { id: job.id, vector, model });
  } catch (error) {
    // Where the model gives none, whoever waits need not wait longer.
    if (error instanceof TextRefusedError) await answerVector(database, { id: job.id, vector: null, model });
    else if (error instanceof EmbeddingInterruptedError) await abandonVector(database, job.id);
    else throw error;
  }
};
