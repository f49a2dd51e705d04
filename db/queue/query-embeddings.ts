import { newId } from '../../shared/ids.ts';
import type { Payload } from '../../shared/queues.ts';
import type { Queryable } from '../driver/database.ts';
import type { JobQueue } from './queue.ts';

/*
 * The vector of a query: asked for by an API process, made by a worker, over the queue `embed.query`. The answer is in
 * the job, in the place of the text, and is told at once by NOTIFY. The caller takes it and removes the job. A caller
 * that stops waiting removes the job too, so that no worker makes a vector that nobody needs.
 */

const QUEUE = 'embed.query';
const JOBS = 'pgboss.job';
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
  const rows = await tx.query<{ id: string; vector: string | null; model: string | null }>(
    `delete from ${JOBS} where name = $1 and id = any ($2::uuid[]) and state > 'active'
     returning id, output ->> 'vector' as vector, output ->> 'model' as model`,
    [QUEUE, ids],
  );
  return rows.map((row) => ({ ...row, vector: row.vector === null ? null : decode(row.vector) }));
}

/** Removes a job whose answer no one waits for, with the text. */
export async function abandonVector(tx: Queryable, id: string): Promise<void> {
  await tx.query(`delete from ${JOBS} where name = $1 and id = $2`, [QUEUE, id]);
}

/** Removes jobs that were left behind by processes that died. */
export async function pruneAbandonedVectors(tx: Queryable, olderThanMs: number): Promise<void> {
  await tx.query(`delete from ${JOBS} where name = $1 and created_on < now() - make_interval(secs => $2)`, [
    QUEUE,
    olderThanMs / 1000,
  ]);
}

/**
 * How long the one who asked still waits, in milliseconds by the database's clock: 0 or less where it has given up,
 * and the job may be gone.
 */
export async function remainingPatience(
  tx: Queryable,
  job: { id: string; data: Payload<'embed.query'> },
): Promise<number> {
  const [row] = await tx.query<{ age: number }>(
    `select (extract(epoch from clock_timestamp() - created_on) * 1000)::float8 as age
       from ${JOBS} where name = $1 and id = $2 and state = 'active'`,
    [QUEUE, job.id],
  );
  return row === undefined ? 0 : job.data.patienceMs - row.age;
}

/** Ends a job with its answer, in the place of the text, and notifies those that wait. */
export async function answerVector(tx: Queryable, { id, vector, model }: VectorAnswer): Promise<void> {
  await tx.query(
    `with answered as (
       update ${JOBS} set state = 'completed', completed_on = now(), data = null,
              output = jsonb_build_object('vector', $3::text, 'model', $4::text)
        where name = $1 and id = $2 and state = 'active' returning id
     )
     select pg_notify('${CHANNEL}', id::text) from answered`,
    [QUEUE, id, vector === null ? null : encode(vector), model],
  );
}

/** As half-precision numbers, the form in which stored vectors are compared. */
function encode(vector: Float32Array): string {
  return Buffer.from(Float16Array.from(vector).buffer).toString('base64');
}

function decode(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return Float32Array.from(new Float16Array(bytes.buffer));
}
