import { openQueue } from '../db/queue/queue.ts';
import { checkBackend } from '../db/startup/check-backend.ts';
import { shareConnections, startBackend } from '../db/startup/startup.ts';
import { readPostgresConfig } from '../shared/config.ts';
import { closeOnSignal, exitOnSignal, failStartup } from '../shared/lifecycle.ts';
import { createLogger, switchLevelOnSignal } from '../shared/logger.ts';
import { loadEnvironmentFile } from '../shared/settings/environment.ts';
import { asksForCheck, checkSetup } from '../shared/settings/start-report.ts';
import { startTracing } from '../shared/tracing/start-tracing.ts';
import { checkModel } from './embedder/check-model.ts';
import { heartbeatFile } from './heartbeat.ts';
import { checkMail } from './mail/check-mail.ts';
import { startWorker } from './worker.ts';

/** The worker process: `worker` in the Procfile. Any number of workers can use one PostgreSQL database. */
async function main(): Promise<void> {
  exitOnSignal();
  loadEnvironmentFile();
  const read = () => readPostgresConfig(process.env, 'worker');
  if (asksForCheck(process.argv.slice(2)))
    process.exit((await checkSetup(read, [checkBackend, checkModel, checkMail])) ? 0 : 1);
  const config = read();
  const logger = createLogger(config.logLevel, 'worker', config.logFormat);
  switchLevelOnSignal(logger);
  const stopTracing = await startTracing(config, 'worker', logger);
  // If `npm start` started this process, the API has the same settings and has already logged the warnings.
  if (process.send === undefined) for (const warning of config.warnings) logger.warn(warning);
  const { database, blobs } = await startBackend(config, logger);
  const queue = await openQueue({
    database,
    databaseUrl: config.databaseDirectUrl,
    connections: shareConnections(config.databasePool).queue,
    supervise: true,
    logger,
    // Together with the time for closing dead connections, less than the time that the process has for draining.
    drainMs: 13_000,
  });
  const file = heartbeatFile(logger);
  const worker = await startWorker({ config, database, blobs, queue, logger }, { recorded: file.beat });
  logger.info({ workerId: worker.id }, 'working');
  closeOnSignal(
    {
      close: async () => {
        await worker.stop();
        file.remove();
        await Promise.all([database.close(), stopTracing()]);
      },
    },
    (error) => logger.error({ err: error }, 'the worker did not stop cleanly'),
  );
}

await main().catch(failStartup);
