import { databaseBlobs } from '../../db/queries/workspace/blobs.ts';
import { createLogger } from '../../shared/logger.ts';
import { createPasswordHasher } from '../../shared/passwords.ts';
import type { TestApp } from './app.ts';
import type { HeldApp } from './held-app.ts';
import { buildTestedApp } from './schema-compilers.ts';

/**
 * A second app on the database of the first, which holds its only request before one of its transactions: by default
 * before the second, that does what was asked. The first resolves the caller; a write that looks something up before
 * it writes has a third. Closed when the test is done.
 */
export async function openPausedApp(
  t: { after(fn: () => unknown): void },
  { database, queue, config }: Pick<TestApp, 'database' | 'queue' | 'config'>,
  nth = 2,
): Promise<HeldApp> {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let transactions = 0;
  const app = await buildTestedApp({
    config,
    database: {
      ...database,
      transaction: async (fn, opening) => {
        transactions += 1;
        if (transactions === nth) {
          reached.resolve();
          await released.promise;
        }
        return database.transaction(fn, opening);
      },
    },
    queue,
    logger: createLogger('silent', 'test'),
    passwords: createPasswordHasher(),
    blobs: databaseBlobs(database),
  });
  t.after(async () => {
    released.resolve();
    await app.close();
  });
  return { app, reached: reached.promise, release: released.resolve };
}
