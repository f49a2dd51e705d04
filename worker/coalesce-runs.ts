/** Coalesces the requests to run an action: only the last run matters. */
export interface CoalescedRuns {
  /** Runs the action now, or after the current run. All requests during a run share the next one. */
  request(): void;
  /** Resolves when nothing is running or requested. */
  done(): Promise<void>;
}

/** @param act never rejects */
export function coalesceRuns(act: () => Promise<void>): CoalescedRuns {
  let running: Promise<void> | null = null;
  let again = false;
  const run = async () => {
    do {
      again = false;
      await act();
    } while (again);
    running = null;
  };
  return {
    request: () => {
      if (running === null) running = run();
      else again = true;
    },
    done: () => running ?? Promise.resolve(),
  };
}
