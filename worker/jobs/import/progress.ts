import { transaction } from '../../../db/driver/database.ts';
import { recordProgress } from '../../../db/queries/memory/imports.ts';
import { IMPORT_STAGES, type ImportStage } from '../../../shared/schemas/imports.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import type { JobContext } from '../../context.ts';

/** The shortest interval between two writes. Each write is a transaction, and one a second is enough for people. */
const WRITE_EVERY_MS = 1000;

/** Stores the progress of a run in its import. */
export interface ImportProgress {
  /** @param share of the stage that is done, from 0 to 1 */
  report(stage: ImportStage, share: number): void;
  /** Waits for a write in progress. Nothing is written afterwards. */
  end(): Promise<void>;
}

/**
 * @param attempt the current run. After another run has begun, nothing of this one is written
 */
export function importProgress(
  { database, logger }: Pick<JobContext, 'database' | 'logger'>,
  scope: TeamScope,
  importId: string,
  attempt: number,
): ImportProgress {
  let last = performance.now();
  let writing: Promise<void> = Promise.resolve();
  let busy = false;
  let ended = false;
  // A run begins at the first stage with nothing of it done.
  let furthest = 0;
  return {
    report: (stage, share) => {
      const now = performance.now();
      if (busy || ended || now - last < WRITE_EVERY_MS) return;
      const percent = Math.floor(share * 100);
      const far = IMPORT_STAGES.indexOf(stage) * 101 + percent;
      // The progress of some formats can go back, because their readers find more work on the way.
      if (far <= furthest) return;
      furthest = far;
      last = now;
      busy = true;
      const progress = { stage, percent, attempt };
      writing = transaction(database, scope, (tx) => recordProgress(tx, importId, progress))
        // An import must not fail because its progress could not be stored.
        .catch((error: unknown) => logger.warn({ err: error }, 'the progress was not recorded'))
        .finally(() => {
          busy = false;
        });
    },
    end: () => {
      ended = true;
      return writing;
    },
  };
}
