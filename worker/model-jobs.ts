import type { Logger } from '../shared/logger.ts';

/** The jobs that need the model. */
export interface ModelJobs {
  /** Starts or stops dequeuing, depending on whether the model is ready. */
  adjust(): void;
  /** Stops dequeuing. Resolves when the steps that have begun are done. */
  stop(): Promise<void>;
}

interface Setup {
  isReady: () => boolean;
  startDequeuing: () => Promise<void>;
  stopDequeuing: () => Promise<void>;
  logger: Logger;
}

/**
 * Dequeues the jobs that need the model while it is ready. While it is not, leaves them in the queue for other workers.
 */
export function openModelJobs({ isReady, startDequeuing, stopDequeuing, logger }: Setup): ModelJobs {
  let isDequeuing = false;
  let stopped = false;
  // Steps run one after the other, because the model's state can change while dequeuing is being started.
  let steps = Promise.resolve();
  const step = async () => {
    const ready = !stopped && isReady();
    if (ready === isDequeuing || stopped) return;
    isDequeuing = ready;
    try {
      await (ready ? startDequeuing() : stopDequeuing());
    } catch (error) {
      logger.error({ err: error }, 'cannot start or stop the jobs that need the model');
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
