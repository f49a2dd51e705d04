import { newId } from '../../shared/ids.ts';
import type { Payload } from '../../shared/queues.ts';
import type { Queryable } from '../driver/database.ts';
import {
  completeWithOutput,
  deleteEndedJobs,
  deleteJob,
  deleteOldJobs,
  readActiveAge,
  sendTraced,
} from './pg-boss-jobs.ts';
import type { JobQueue } from './queue.ts';

/*
 * The vector of a query. An API process asks for it with a job of the queue `embed.query`, and a worker makes it. The
 * worker stores the answer in the job, in place of the text, and sends a NOTIFY. The caller reads the answer and
 * deletes the job. A caller that stops waiting deletes the job too, so that no worker makes a vector that is not
 * needed.
 */

const QUEUE = 'embed.query';
const CHANNEL = 'memory_query_embedded';

/** Enqueues the text of a query. Returns the id of the job. */
export async function enqueueQueryEmbedding(
  { boss }: Pick<JobQueue, 'boss'>,
  payload: Payload<'embed.query'>,
  id: string = newId(),
): Promise<string> {
  await sendTraced(QUEUE, (carried) => boss.send(QUEUE, { ...payload, ...carried }, { id }));
  return id;
}

/**
 * Listens for answers until it is closed.
 * @param onAnswer called with the id of each job that is answered
 * @param onConnect called when the connection was opened or opened again: answers can have been missed
 * @throws Error if the connection does not pass on NOTIFY, for example behind some poolers
 */
export async function listenForVectors(
  { boss }: Pick<JobQueue, 'boss'>,
  onAnswer: (id: string) => void,
  onConnect: () => void,
): Promise<{ close(): Promise<void> }> {
  const db = boss.getDb();
  if (db.listen === undefined) throw new Error('the database connection does not pass on NOTIFY');
  return db.listen(CHANNEL, onAnswer, onConnect);
}

/** An answer: a vector of 1,024 numbers, or null if the model gave none. */
export interface VectorAnswer {
  id: string;
  vector: Float32Array | null;
  /** The model of the vector; null if the job failed. */
  model: string | null;
}

/** Returns the answers of these jobs, as far as there are any, and deletes the answered jobs. */
export async function deleteAnswers(tx: Queryable, ids: readonly string[]): Promise<VectorAnswer[]> {
  const ended = await deleteEndedJobs(tx, QUEUE, ids);
  return ended.map(({ id, output }) => {
    const vector = output?.['vector'] ?? null;
    return { id, vector: vector === null ? null : decode(vector), model: output?.['model'] ?? null };
  });
}

/** Deletes a job, with its text, because its caller no longer waits. */
export async function deleteQueryEmbedding(tx: Queryable, id: string): Promise<void> {
  await deleteJob(tx, QUEUE, id);
}

/** Deletes the jobs of processes that ended without deleting them. */
export async function pruneQueryEmbeddings(tx: Queryable, olderThanMs: number): Promise<void> {
  await deleteOldJobs(tx, QUEUE, olderThanMs / 1000);
}

/**
 * Returns how long the caller will still wait, in milliseconds by the database's clock. 0 or less: the caller has
 * stopped waiting, and the job can have been deleted.
 */
export async function remainingTimeoutMs(
  tx: Queryable,
  job: { id: string; data: Payload<'embed.query'> },
): Promise<number> {
  const age = await readActiveAge(tx, QUEUE, job.id);
  return age === null ? 0 : job.data.timeoutMs - age;
}

/** Completes a job with its answer, which replaces the text, and notifies the callers. */
export async function answerVector(tx: Queryable, { id, vector, model }: VectorAnswer): Promise<void> {
  const output = { vector: vector === null ? null : encode(vector), model };
  await completeWithOutput(tx, QUEUE, { id, output, channel: CHANNEL });
}

/** Encodes a vector in half precision, in which stored vectors are compared. */
function encode(vector: Float32Array): string {
  return Buffer.from(Float16Array.from(vector).buffer).toString('base64');
}

function decode(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return Float32Array.from(new Float16Array(bytes.buffer));
}
