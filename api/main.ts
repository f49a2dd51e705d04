import { openQueue } from '../db/queue/queue.ts';
import { checkBackend } from '../db/startup/check-backend.ts';
import { shareConnections, startBackend } from '../db/startup/startup.ts';
import { readPostgresConfig } from '../shared/config.ts';
import { closeOnSignal, exitOnSignal, failStartup } from '../shared/lifecycle.ts';
import { createLogger, switchLevelOnSignal } from '../shared/logger.ts';
import { createPasswordHasher } from '../shared/passwords.ts';
import { loadEnvironmentFile } from '../shared/settings/environment.ts';
import { asksForCheck, checkSetup } from '../shared/settings/start-report.ts';
import { startTracing } from '../shared/tracing/start-tracing.ts';
import {
  assertCanListen,
  checkAddress,
  ownerLinkCommand,
  setGarbageCollectionFlags,
  startApi,
} from './server.ts';

/** The API process: `web` in the Procfile. Requires a worker process, and PostgreSQL for both. */
async function main(): Promise<void> {
  setGarbageCollectionFlags();
  exitOnSignal();
  loadEnvironmentFile();
  const read = () => readPostgresConfig(process.env, 'API');
  if (asksForCheck(process.argv.slice(2)))
    process.exit((await checkSetup(read, [checkBackend, checkAddress])) ? 0 : 1);
  const config = read();
  const logger = createLogger(config.logLevel, 'api', config.logFormat);
  switchLevelOnSignal(logger);
  const stopTracing = await startTracing(config, 'api', logger);
  for (const warning of config.warnings) logger.warn(warning);
  await assertCanListen(config);
  const { database, blobs, principal } = await startBackend(config, logger, 'requests');
  const queue = await openQueue({
    database,
    databaseUrl: config.databaseDirectUrl,
    connections: shareConnections(config.databasePool).queue,
    supervise: false,
    logger,
    // Short, because this process runs no jobs.
    drainMs: 1_000,
  });
  const api = await startApi({ config, database, queue, logger, passwords: createPasswordHasher(), blobs });
  logger.info({ url: api.localUrl, host: config.host }, 'listening');
  const linkCommand = principal.hasPassword ? null : ownerLinkCommand(config, api.localUrl);
  // `npm start` prints the command for the person who started it. Otherwise the log is all that an operator sees.
  if (process.send !== undefined) process.send({ listening: api.localUrl, linkCommand });
  else if (linkCommand !== null) {
    logger.warn({ command: linkCommand }, 'the Owner has no password yet: make a link with MEMORY_API_TOKEN');
  }
  closeOnSignal(
    {
      announce: api.announceStop,
      waitMs: config.drainSeconds * 1000,
      close: async () => {
        await api.stop();
        await queue.stop();
        await Promise.all([database.close(), stopTracing()]);
      },
    },
    (error) => logger.error({ err: error }, 'the API did not stop cleanly'),
  );
}

await main().catch(failStartup);
