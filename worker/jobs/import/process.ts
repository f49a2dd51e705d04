import { isQuotaExceeded } from '../../../core/access/assert-within-quota.ts';
import { completeImport, stageImport } from '../../../core/imports/complete-import.ts';
import { failImport } from '../../../core/imports/fail-import.ts';
import { releaseImport, undoImportStart } from '../../../core/imports/release-import.ts';
import { type RunningImport, startImport } from '../../../core/imports/start-import.ts';
import type { StagingReport } from '../../../core/sources/store-source.ts';
import { LostJobError, type RunningJob } from '../../../db/queue/queue.ts';
import { dayOfMoment } from '../../../shared/formats/times.ts';
import { freeUnshared } from '../../../shared/resources/free-memory.ts';
import type { Redaction } from '../../../shared/schemas/common.ts';
import { MAX_KEPT_REDACTIONS } from '../../../shared/schemas/imports.ts';
import { PLACE_TEXTS } from '../../../shared/schemas/place.ts';
import { jobScope, type TeamScope } from '../../../shared/scope.ts';
import { fieldsNow, fieldsOn } from '../../../shared/text/fields.ts';
import type { JobContext, JobHandler } from '../../context.ts';
import type { FileFields } from '../../extract/document.ts';
import { FileFault, SecretFault } from '../../extract/extraction.ts';
import { ReadingInterruptedError } from '../../sandbox/reader.ts';
import { type ImportProgress, importProgress } from './progress.ts';
import { type ImportYield, watchForOthers } from './yield.ts';

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
    { mediaType, content, teamId: scope.teamId, fields: fieldsOfImport(file), redaction: file.redaction },
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
      const { hasRawCredentials } = document;
      const redactions = allRedactions(file, document.redactions);
      await completeImport(context, scope, job, file, { staged, redactions, hasRawCredentials });
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
