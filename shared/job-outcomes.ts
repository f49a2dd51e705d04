/**
 * How a job ended, as its worker saw it: done, failed (it may be tried again), taken over by another worker, or given
 * back because this one stopped.
 */
export const JOB_OUTCOMES = ['completed', 'failed', 'lost', 'given_back'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/**
 * Bounds in seconds between which jobs are counted by how long they took. The tally in the database has a number for
 * each, and one more: other bounds need a migration that starts a new tally.
 */
export const DURATION_BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900] as const;
