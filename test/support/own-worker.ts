import type { Dependencies } from '../../core/dependencies.ts';
import { transaction } from '../../db/driver/database.ts';
import { failImport, recordProgress, startImport } from '../../db/queries/imports.ts';
import { databaseBlobs } from '../../db/queries/workspace/contents.ts';
import { openQueue } from '../../db/queue/queue.ts';
import type { Config } from '../../shared/config.ts';
import type { ImportStage } from '../../shared/schemas/imports.ts';
import { jobScope } from '../../shared/scope.ts';
import { startWorker, type WorkerOptions } from '../../worker/worker.ts';
import type { SignedIn, TestApp } from './app.ts';

export { upload as importFiles } from './import-records.ts';

const scopeOfRun = ({ companyId, teamId, ownerId: userId }: SignedIn) =>
  jobScope({ companyId, teamId, userId, layerId: teamId });

/** Begins the run of an import as a worker does, and tells how far it is: no worker need be held at that point. */
export async function beginRun(
  { database }: Pick<TestApp, 'database'>,
  company: SignedIn,
  importId: string,
  progress: { stage: ImportStage; percent: number },
): Promise<void> {
  await transaction(database, scopeOfRun(company), async (tx) => {
    const { attempts } = (await startImport(tx, importId)) ?? { attempts: 1 };
    await recordProgress(tx, importId, { ...progress, attempt: attempts });
  });
}

/** Fails an import as a worker does. */
export async function failRun(
  service: Pick<TestApp, 'database'>,
  company: SignedIn,
  importId: string,
  error: { code: string; message: string },
): Promise<void> {
  await beginRun(service, company, importId, { stage: 'reading', percent: 0 });
  await transaction(service.database, scopeOfRun(company), (tx) => failImport(tx, importId, error));
}

/**
 * Starts a worker with a queue of its own, as its process has: the service goes on when it stops, at the latest when
 * the test is done.
 * @param changes of the configuration
 */
export async function startOwnWorker(
  t: { after(fn: () => unknown): void },
  service: Pick<TestApp & Dependencies, 'database' | 'config' | 'logger'>,
  changes: Partial<Config> = {},
  options: WorkerOptions = {},
): Promise<{ stop(): Promise<void> }> {
  const { database, config, logger } = service;
  const queue = await openQueue({
    database,
    databaseUrl: config.databaseUrl,
    supervise: true,
    logger,
    drainMs: 15_000,
  });
  t.after(() => queue.stop());
  const worker = await startWorker(
    {
      database,
      blobs: databaseBlobs(database),
      config: { ...config, ...changes },
      queue,
      logger,
    },
    options,
  );
  t.after(() => worker.stop());
  return worker;
}
