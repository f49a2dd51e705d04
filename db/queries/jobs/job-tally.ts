import type { JobOutcome } from '../../../shared/job-outcomes.ts';
import { asWorker, type Database, type Queryable } from '../../driver/database.ts';

/** The jobs of a queue with one outcome. */
export interface JobCount {
  queue: string;
  outcome: JobOutcome;
  jobs: number;
  /** How long they took in total. */
  seconds: number;
  /** A histogram: the number of jobs for each of DURATION_BOUNDS, and the number of longer jobs. */
  durations: number[];
}

/** Adds counts to the counts of all workers. Not the data of a tenant, so there is no scope. */
export async function addJobCounts(database: Database, counts: readonly JobCount[]): Promise<void> {
  if (counts.length === 0) return;
  await asWorker(database, (tx) =>
    tx.query(
      // Ordered, to prevent a deadlock between two workers.
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

/** Returns the counts of all workers since the first start. */
export async function listJobCounts(tx: Queryable): Promise<JobCount[]> {
  return tx.query<JobCount>(
    'select queue, outcome, jobs, seconds, durations from memory.job_tally order by queue, outcome',
  );
}
