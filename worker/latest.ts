/** Something to be done again, where only the last time counts. */
export interface Latest {
  /** Runs it now, or after the run that is under way; all requests during that run share the next one. */
  ask(): void;
  /** Resolves when nothing is under way or asked for. */
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
