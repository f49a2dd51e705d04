import { startApi } from '../../../api/server.ts';
import { openQueue } from '../../../db/queue/queue.ts';
import { startBackend } from '../../../db/startup/startup.ts';
import { readConfig } from '../../../shared/config.ts';
import { closeOnSignal, exitOnSignal, failStartup } from '../../../shared/lifecycle.ts';
import { createLogger } from '../../../shared/logger.ts';
import { createPasswordHasher } from '../../../shared/passwords.ts';
import { startWorker } from '../../../worker/worker.ts';

/*
 * The worker process, or without MEMORY_DATABASE_URL the whole service, as the mains start them, except that the
 * extractors misbehave.
 */

const EXTRACTORS = new URL('../../support/misbehaving-extractors.ts', import.meta.url);

async function main(): Promise<void> {
  exitOnSignal();
  const config = readConfig(process.env);
  const { databaseUrl } = config;
  const logger = createLogger(config.logLevel, 'worker');
  const { database, blobs } = await startBackend(config, logger);
  const drainMs = databaseUrl === null ? 5_000 : 15_000;
  const queue = await openQueue({ database, databaseUrl, supervise: true, logger, drainMs });
  const setup = { config, database, blobs, queue, logger };
  const api = databaseUrl === null ? await startApi({ ...setup, passwords: createPasswordHasher() }) : null;
  const worker = await startWorker(setup, { reading: { extractors: EXTRACTORS } });
  closeOnSignal(
    {
      close: async () => {
        await api?.stop();
        await worker.stop();
        await database.close();
      },
    },
    (error) => logger.error({ err: error }, 'did not stop cleanly'),
  );
  logger.info({ url: api?.localUrl }, 'working');
}

await main().catch(failStartup);
