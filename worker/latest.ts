/** Something to be done again, where only the last time counts. */
export interface Latest {
  /** Has it done, after the one that is under way; whoever asks meanwhile asks for the same. */
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
