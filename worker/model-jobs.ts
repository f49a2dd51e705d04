import type { Logger } from '../shared/logger.ts';

/** The jobs that need the model. */
export interface ModelJobs {
  /** Looks whether the model is ready, and acts on it. */
  adjust(): void;
  /** Takes no more jobs. Resolves when the steps that were begun are done. */
  stop(): Promise<void>;
}

interface Setup {
  isReady: () => boolean;
  take: () => Promise<void>;
  leave: () => Promise<void>;
  logger: Logger;
}

/**
 * Takes the jobs of the model while it is ready, and leaves them in the queue while it is not: another worker may have
 * one that works.
 */
export function modelJobs({ isReady, take, leave, logger }: Setup): ModelJobs {
  let taken = false;
  let stopped = false;
  // One step after the other: the model may come and go while takers are started.
  let steps = Promise.resolve();
  const step = async () => {
    const ready = !stopped && isReady();
    if (ready === taken || stopped) return;
    taken = ready;
    try {
      await (ready ? take() : leave());
    } catch (error) {
      logger.error({ err: error }, 'the jobs of the model cannot be taken, or left');
    }
  };
  return {
    adjust: () => {
      steps = steps.then(step);
    },
    stop: () => {
      stopped = true;
      return steps;
    },
  };
}
