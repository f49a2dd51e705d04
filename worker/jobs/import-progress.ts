import { transaction } from '../../db/driver/database.ts';
import { recordProgress } from '../../db/queries/memory/imports.ts';
import { IMPORT_STAGES, type ImportStage } from '../../shared/schemas/imports.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { JobContext } from '../context.ts';

/** Written this often at most: each time costs a transaction, and people look once a second. */
const WRITE_EVERY_MS = 1000;

/** Tells the import's record how far its run is. */
export interface ImportProgress {
  /** @param share of the stage that is done, from 0 to 1 */
  tell(stage: ImportStage, share: number): void;
  /** Waits for what is being written. Nothing is written afterwards. */
  end(): Promise<void>;
}

/**
 * @param attempt the run that tells: once another has begun, nothing of this one is written
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
    tell: (stage, share) => {
      const now = performance.now();
      if (busy || ended || now - last < WRITE_EVERY_MS) return;
      const percent = Math.floor(share * 100);
      const far = IMPORT_STAGES.indexOf(stage) * 101 + percent;
      // Readers of some formats find more to do as they go.
      if (far <= furthest) return;
      furthest = far;
      last = now;
      busy = true;
      const progress = { stage, percent, attempt };
      writing = transaction(database, scope, (tx) => recordProgress(tx, importId, progress))
        // Nobody is to lose an import because its progress could not be told.
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
