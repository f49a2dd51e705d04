import type { JobCount } from '../db/queries/jobs/job-tally.ts';
import { DURATION_BOUNDS, type JobOutcome } from '../shared/job-outcomes.ts';

/** How jobs ended since that was last written down. */
export interface JobTally {
  /** Counts one job. */
  count(queue: string, outcome: JobOutcome, seconds: number): void;
  /** Returns everything that was counted, and starts again from zero. */
  take(): JobCount[];
  /** Takes back what was handed out and could not be written down. */
  putBack(counts: readonly JobCount[]): void;
}

/** Counts jobs in memory: a job costs no statement of its own. What a killed worker had not written down is lost. */
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
    take: () => {
      const taken = [...counts.values()];
      counts = new Map();
      return taken;
    },
    putBack: (taken) => {
      for (const count of taken) add(count);
    },
  };
}
