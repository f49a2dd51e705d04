import type { JobCount } from '../db/queries/jobs/job-tally.ts';
import { DURATION_BOUNDS, type JobOutcome } from '../shared/job-outcomes.ts';

/** Counts of job outcomes that have not been stored yet. */
export interface JobTally {
  /** Counts one job. */
  count(queue: string, outcome: JobOutcome, seconds: number): void;
  /** Returns everything that was counted, and starts again from zero. */
  drain(): JobCount[];
  /** Adds counts again that could not be stored. */
  restore(counts: readonly JobCount[]): void;
}

/** Counts jobs in memory, so that a job needs no statement. If the worker is killed, counts not stored yet are lost. */
export function jobTally(): JobTally {
  let counts = new Map<string, JobCount>();
  const add = ({ queue, outcome, jobs, seconds, durations }: JobCount) => {
    const key = `${queue} ${outcome}`;
    const known = counts.get(key);
    counts.set(key, {
      queue,
      outcome,
      jobs: jobs + (known?.jobs ?? 0),
      seconds: seconds + (known?.seconds ?? 0),
      durations: durations.map((n, place) => n + (known?.durations[place] ?? 0)),
    });
  };
  return {
    count: (queue, outcome, seconds) => {
      const bounds = [...DURATION_BOUNDS, Number.POSITIVE_INFINITY];
      const within = bounds.findIndex((bound) => seconds <= bound);
      const durations = bounds.map((_, place) => (place === within ? 1 : 0));
      add({ queue, outcome, jobs: 1, seconds, durations });
    },
    drain: () => {
      const drained = [...counts.values()];
      counts = new Map();
      return drained;
    },
    restore: (drained) => {
      for (const count of drained) add(count);
    },
  };
}
