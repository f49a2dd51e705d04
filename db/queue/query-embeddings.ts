import { newId } from '../../shared/ids.ts';
import type { Payload } from '../../shared/queues.ts';
import type { Queryable } from '../driver/database.ts';
import {
  completeWithOutput,
  deleteEndedJobs,
  deleteJob,
  deleteOldJobs,
  readActiveAge,
} from './pg-boss-jobs.ts';
import type { JobQueue } from './queue.ts';

/*
 * The vector of a query: asked for by an API process, made by a worker, over the queue `embed.query`. The answer is in
 * the job, in the place of the text, and is told at once by NOTIFY. The caller takes it and removes the job. A caller
 * that stops waiting removes the job too, so that no worker makes a vector that nobody needs.
 */

const QUEUE = 'embed.query';
const CHANNEL = 'memory_query_embedded';

/** Queues a query's text and returns the job's id. */
export async function askForVector(
  { boss }: Pick<JobQueue, 'boss'>,
  payload: Payload<'embed.query'>,
  id: string = newId(),
): Promise<string> {
  await boss.send(QUEUE, payload, { id });
  return id;
}

/**
 * Hears of each answer as it is given, until closed.
 * @param hear gets the job's id
 * @param missed answers may have been missed: the connection was made, or made again
 * @throws Error where connections that pass NOTIFY on cannot be had, as behind some poolers
 */
export async function listenForVectors(
  { boss }: Pick<JobQueue, 'boss'>,
  hear: (id: string) => void,
  missed: () => void,
): Promise<{ close(): Promise<void> }> {
  const db = boss.getDb();
  if (db.listen === undefined) throw new Error('the database connection does not pass on NOTIFY');
  return db.listen(CHANNEL, hear, missed);
}

/** An answer: the vector of 1,024 numbers, or null where the model gave none. */
export interface VectorAnswer {
  id: string;
  vector: Float32Array | null;
  /** Which model made it; null where the job failed. */
  model: string | null;
}

/** Takes the answers to these jobs that are there, and removes the jobs. */
export async function deleteAnswers(tx: Queryable, ids: readonly string[]): Promise<VectorAnswer[]> {
  const ended = await deleteEndedJobs(tx, QUEUE, ids);
  return ended.map(({ id, output }) => {
    const vector = output?.['vector'] ?? null;
    return { id, vector: vector === null ? null : decode(vector), model: output?.['model'] ?? null };
  });
}

/** Removes a job whose answer no one waits for, with the text. */
export async function abandonVector(tx: Queryable, id: string): Promise<void> {
  await deleteJob(tx, QUEUE, id);
}

/** Removes jobs that were left behind by processes that died. */
export async function pruneAbandonedVectors(tx: Queryable, olderThanMs: number): Promise<void> {
  await deleteOldJobs(tx, QUEUE, olderThanMs / 1000);
}

/**
 * How long the one who asked still waits, in milliseconds by the database's clock: 0 or less where it has given up,
 * and the job may be gone.
 */
export async function remainingPatience(
  tx: Queryable,
  job: { id: string; data: Payload<'embed.query'> },
): Promise<number> {
  const age = await readActiveAge(tx, QUEUE, job.id);
  return age === null ? 0 : job.data.patienceMs - age;
}

/** Ends a job with its answer, in the place of the text, and notifies those that wait. */
export async function answerVector(tx: Queryable, { id, vector, model }: VectorAnswer): Promise<void> {
  const output = { vector: vector === null ? null : encode(vector), model };
  await completeWithOutput(tx, QUEUE, { id, output, channel: CHANNEL });
}

/** As half-precision numbers, the form in which stored vectors are compared. */
function encode(vector: Float32Array): string {
  return Buffer.from(Float16Array.from(vector).buffer).toString('base64');
}

function decode(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return Float32Array.from(new Float16Array(bytes.buffer));
}
