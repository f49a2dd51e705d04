/**
 * How a run of a job ended, as its worker reports it: completed; failed (a retry can follow); lost to another worker;
 * or given back to the queue because this worker stopped.
 */
export const JOB_OUTCOMES = ['completed', 'failed', 'lost', 'given_back'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/**
 * Upper bounds, in seconds, of the histogram of job durations. The tally in the database has one number for each bound,
 * and one for longer runs. Other bounds require a migration that starts a new tally.
 */
export const DURATION_BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900] as const;
