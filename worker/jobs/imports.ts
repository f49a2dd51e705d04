import { isQuotaExceeded } from '../../core/access/lock-and-recheck.ts';
import {
  completeImport,
  failImport,
  type RunningImport,
  releaseImport,
  stageImport,
  startImport,
  undoImportStart,
} from '../../core/imports/run.ts';
import type { StagingReport } from '../../core/sources/store.ts';
import { transaction, withoutScope } from '../../db/driver/database.ts';
import { recordProgress } from '../../db/queries/imports.ts';
import { LostJobError, type RunningJob } from '../../db/queue/queue.ts';
import { dayOfMoment } from '../../shared/formats/times.ts';
import { freeUnshared } from '../../shared/resources/process.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import { IMPORT_STAGES, type ImportStage, MAX_KEPT_REDACTIONS } from '../../shared/schemas/imports.ts';
import { PLACE_TEXTS } from '../../shared/schemas/sources.ts';
import { jobScope, type TeamScope } from '../../shared/scope.ts';
import { fieldsNow, fieldsOn } from '../../shared/text/prepared-chunks.ts';
import type { JobContext, JobHandler } from '../context.ts';
import type { FileFields } from '../extract/document.ts';
import { FileFault, SecretFault } from '../extract/extraction.ts';
import { ReadingInterruptedError } from '../sandbox/reader.ts';

/** The shortest interval between two writes. Each write is a transaction, and one a second is enough for people. */
const WRITE_EVERY_MS = 1000;

/** Stores the progress of a run in its import. */
interface ImportProgress {
  /** @param share of the stage that is done, from 0 to 1 */
  report(stage: ImportStage, share: number): void;
  /** Waits for a write in progress. Nothing is written afterwards. */
  end(): Promise<void>;
}

/**
 * @param attempt the current run. After another run has begun, nothing of this one is written
 */
function importProgress(
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

/** The interval at which a long run checks whether another Company waits. */
const CHECK_INTERVAL_MS = 500;

/** Decides when a run must let the import of another Company run. */
interface ImportYield {
  /** Aborts when the run must stop for another Company. */
  readonly signal: AbortSignal;
  /** To be called when reading the file begins: the time for starting a process does not count. */
  readonly begin: () => void;
  /** To be called at the end of the run. */
  readonly end: () => void;
}

/**
 * Lets a run yield to another Company: after its file has been read for `yieldAfterMs`, the run must stop as soon
 * as a Company without a running import waits.
 */
function watchForOthers(
  { database, queue, logger, yieldAfterMs }: JobContext,
  companyId: string,
): ImportYield {
  const controller = new AbortController();
  const { signal } = controller;
  if (yieldAfterMs === null) return { signal, begin: () => undefined, end: () => undefined };
  const check = async () => {
    try {
      const isAnotherWaiting = await withoutScope(database, (tx) =>
        queue.isAnotherWaiting(tx, 'import.process', companyId),
      );
      if (isAnotherWaiting) controller.abort();
    } catch (error) {
      logger.warn({ err: error }, 'cannot check whether another Company waits');
    }
  };
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  // If a process ends, its file is read again from the start. Only the last beginning counts.
  let beginnings = 0;
  const checkAgain = async (beginning: number) => {
    await check();
    if (ended || signal.aborted || beginning !== beginnings) return;
    timer = setTimeout(checkAgain, CHECK_INTERVAL_MS, beginning);
  };
  return {
    signal,
    begin: () => {
      beginnings += 1;
      clearTimeout(timer);
      timer = setTimeout(checkAgain, yieldAfterMs, beginnings);
    },
    end: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}

/** One run of an import. */
interface ImportRun {
  job: RunningJob<'import.process'>;
  file: RunningImport;
  progress: ImportProgress;
  /** Aborts when the worker stops, the job is lost, or the import must yield. */
  signal: AbortSignal;
  /** When it must yield to another Company. */
  importYield: ImportYield;
}

/** Reads the file, cuts it into chunks and stores them. */
async function runImport(context: JobContext, scope: TeamScope, run: ImportRun): Promise<void> {
  const { job, file, progress, signal, importYield } = run;
  const { mediaType, content, isRefused } = file;
  if (isRefused) throw new SecretFault(file.redactions);
  if (content === null) throw new FileFault('file_gone', 'The file has been deleted: import it again.');
  await context.readingPool.read(
    {
      mediaType,
      filename: file.filename,
      content,
      teamId: scope.teamId,
      fields: fieldsOfImport(file),
      redaction: file.redaction,
    },
    { report: ({ stage, share }) => progress.report(stage, share), begun: importYield.begin, signal },
    async (document) => {
      // Frees up to 32 MiB, which would otherwise be kept until all chunks are written.
      freeUnshared(content);
      const report: StagingReport = (written, deleteStaged) => {
        progress.report('storing', written / document.chunkCount);
        if (signal.aborted) throw new ReadingInterruptedError('storing was interrupted', deleteStaged);
      };
      const staged = await stageImport(context, scope, job.data.layerId, file, document, report);
      await progress.end();
      const { hasRawCredentials, unread, encoding } = document;
      const redactions = allRedactions(file, document.redactions);
      await completeImport(context, scope, job, file, {
        staged,
        unread,
        encoding,
        redactions,
        hasRawCredentials,
      });
    },
  );
}

function fieldsOfImport({ title, tags, filename, occurredAt }: RunningImport): FileFields {
  const labels = [...tags, filename];
  if (occurredAt === null) return fieldsNow(title, labels);
  return { ...fieldsOn(dayOfMoment(occurredAt), title, labels), isDateGiven: true };
}

/** Where credentials are found in a file. All other paths are of the names of the import. */
const PATHS_IN_FILE: ReadonlySet<string> = new Set([
  '/text',
  '/documentTitle',
  '/unread',
  ...PLACE_TEXTS.map((field) => `/${field}`),
]);

/** What was found in the names of the import, and by this run in its file. What an earlier run found there does not count. */
function allRedactions({ redactions }: RunningImport, ofRun: readonly Redaction[]): Redaction[] {
  const isInFile = ({ path }: Redaction) => PATHS_IN_FILE.has(path);
  const ofNames = redactions.filter((redaction) => !isInFile(redaction));
  return [...ofNames, ...ofRun.filter(isInFile)].slice(0, MAX_KEPT_REDACTIONS);
}

/**
 * Ends a run that failed. A fault of the file, or the quota of the Team, fails the import at once. If the worker stops or
 * the run yields to another Company, the job is released. Any other error is thrown, so that the queue retries the job.
 */
async function endRun(
  context: JobContext,
  scope: TeamScope,
  { job, file, importYield }: ImportRun,
  error: unknown,
): Promise<void> {
  // Another worker has the job and the import, so this one must not change them.
  if (error instanceof LostJobError) throw error;
  if (error instanceof SecretFault) {
    const { code, message } = error;
    const redactions = allRedactions(file, error.redactions);
    await failImport(context, scope, 'import.process', job, { code, message, redactions });
  } else if (error instanceof FileFault || isQuotaExceeded(error)) {
    // The file is kept, so that the import can be retried: after the quota was raised, for example.
    const { code, message } = error;
    await failImport(context, scope, 'import.process', job, { code, message });
  } else if (error instanceof ReadingInterruptedError) {
    const toLongJobs = importYield.signal.aborted && !context.stopping.aborted;
    await releaseImport(context, scope, job, file, { toLongJobs });
    await error.deleteStaged();
  } else {
    await undoImportStart(context, scope, job.data.importId, file);
    throw error;
  }
}

/** Makes a source of an imported file, exactly once. */
export const processImport: JobHandler<'import.process'> = async (job, context) => {
  const scope = jobScope(job.data);
  const file = await startImport(context, scope, job);
  if (file === null) return;
  const progress = importProgress(context, scope, job.data.importId, file.attempts);
  // The signal of the job aborts if the job no longer belongs to this worker. Releasing it then shows this.
  const importYield = watchForOthers(context, scope.companyId);
  const signal = AbortSignal.any([context.stopping, job.signal, importYield.signal]);
  const run = { job, file, progress, signal, importYield };
  try {
    await runImport(context, scope, run);
  } catch (error) {
    await progress.end();
    await endRun(context, scope, run, error);
  } finally {
    importYield.end();
  }
};

const FAULT = {
  code: 'import_interrupted',
  message: 'The service could not finish this import after several tries. Retry it later.',
};

/** Fails an import whose job has used all its attempts, so that it does not wait forever. */
export const failLostImport: JobHandler<'import.dead'> = (job, context) =>
  failImport(context, jobScope(job.data), 'import.dead', job, FAULT);
