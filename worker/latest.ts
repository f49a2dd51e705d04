/** Coalesces the requests to run an action: only the last run matters. */
export interface Latest {
  /** Runs the action now, or after the current run. All requests during a run share the next one. */
  ask(): void;
  /** Resolves when nothing is running or requested. */
  done(): Promise<void>;
}

/** @param act never rejects */
export function latest(act: () => Promise<void>): Latest {
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
    ask: () => {
      if (running === null) running = run();
      else again = true;
    },
    done: () => running ?? Promise.resolve(),
  };
}
