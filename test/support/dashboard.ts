import type { Browser, Page } from 'playwright-core';
import type { Dependencies } from '../../core/dependencies.ts';
import { transaction } from '../../db/driver/database.ts';
import { failImport, recordProgress, startImport } from '../../db/queries/imports.ts';
import { databaseBlobs } from '../../db/queries/workspace/contents.ts';
import { openQueue } from '../../db/queue/queue.ts';
import type { Config } from '../../shared/config.ts';
import type { Import, ImportRequest, ImportStage } from '../../shared/schemas/imports.ts';
import { jobScope } from '../../shared/scope.ts';
import { startWorker, type WorkerOptions } from '../../worker/worker.ts';
import type { SignedIn, TestApp } from './app.ts';
import { openPage } from './pages.ts';
import { type Caller } from './team.ts';

/** A tab in which someone is signed in already, on the dashboard. */
export async function openDashboard(
  browser: Browser,
  base: string,
  token: string,
  options: Parameters<typeof openPage>[2] = {},
): Promise<{ page: Page; faults: string[] }> {
  const opened = await openPage(browser, `${base}/dashboard`, options);
  await opened.page.evaluate(`sessionStorage.setItem('session-token', ${JSON.stringify(token)})`);
  await opened.page.reload();
  return opened;
}

/** Imports files where they are to be accepted. */
export async function importFiles(
  caller: Caller,
  items: ImportRequest['items'],
  scope: object = {},
): Promise<Import[]> {
  return (await caller.api.importFiles({ items, scope })).imports;
}

function scopeOfRun({ companyId, teamId, ownerId }: SignedIn, clientId: string | null) {
  return jobScope({ companyId, teamId, userId: ownerId, layerId: clientId ?? teamId });
}

/** Begins the run of an import as a worker does, and tells how far it is: no worker need be held at that point. */
export async function beginRun(
  { database }: Pick<TestApp, 'database'>,
  company: SignedIn,
  importId: string,
  progress: { stage: ImportStage; percent: number },
  clientId: string | null = null,
): Promise<void> {
  const scope = scopeOfRun(company, clientId);
  await transaction(database, scope, async (tx) => {
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
  clientId: string | null = null,
): Promise<void> {
  await beginRun(service, company, importId, { stage: 'reading', percent: 0 }, clientId);
  const scope = scopeOfRun(company, clientId);
  await transaction(service.database, scope, (tx) => failImport(tx, importId, error));
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
