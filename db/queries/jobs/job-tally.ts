import type { JobOutcome } from '../../../shared/job-outcomes.ts';
import { asWorker, type Database, type Queryable } from '../../driver/database.ts';

/** Jobs of a queue that ended in one way. */
export interface JobCount {
  queue: string;
  outcome: JobOutcome;
  jobs: number;
  /** How long they took, all together. */
  seconds: number;
  /** How many took so long: one number for each of DURATION_BOUNDS, and one for those beyond. */
  durations: number[];
}

/** Adds to what all workers counted. No tenant's data, so no scope. */
export async function addJobCounts(database: Database, counts: readonly JobCount[]): Promise<void> {
  if (counts.length === 0) return;
  await asWorker(database, (tx) =>
    tx.query(
      // In one order, so that two workers never wait for each other.
      `insert into memory.job_tally as t (queue, outcome, jobs, seconds, durations)
     select c.queue, c.outcome, c.jobs, c.seconds, c.durations
       from jsonb_to_recordset($1::jsonb) as c (queue text, outcome text, jobs bigint, seconds float8, durations bigint[])
      order by c.queue, c.outcome
     on conflict (queue, outcome) do update
       set jobs = t.jobs + excluded.jobs, seconds = t.seconds + excluded.seconds,
           durations = (select array_agg(u.old + u.new order by u.place)
                          from unnest(t.durations, excluded.durations) with ordinality as u (old, new, place))`,
      [JSON.stringify(counts)],
    ),
  );
}

/** What all workers counted, since there are any. */
export async function listJobCounts(tx: Queryable): Promise<JobCount[]> {
  return tx.query<JobCount>(
    'select queue, outcome, jobs, seconds, durations from memory.job_tally order by queue, outcome',
  );
}
