import type { App } from '../../api/types.ts';
import { databaseBlobs } from '../../db/queries/workspace/blobs.ts';
import { createLogger } from '../../shared/logger.ts';
import { createPasswordHasher } from '../../shared/passwords.ts';
import type { TestApp } from './app.ts';
import { buildTestedApp } from './schema-compilers.ts';

/** An app whose requests stop half-way, and what goes on with them. */
export interface HeldApp {
  app: App;
  /** The next request is there where it is held. */
  reached: Promise<void>;
  release(): void;
}

/**
 * A second app on the database of the first, which holds requests when a password was checked or hashed: after
 * their look at how things stand, and before the transaction that changes them. Closed when the test is done.
 */
export async function openHeldApp(
  t: { after(fn: () => unknown): void },
  { database, queue, config }: TestApp,
  step: 'verify' | 'hash',
): Promise<HeldApp> {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const hold = async <T>(result: Promise<T>): Promise<T> => {
    const done = await result;
    reached.resolve();
    await released.promise;
    return done;
  };
  const { hash, verify } = createPasswordHasher();
  const app = await buildTestedApp({
    config,
    database,
    queue,
    logger: createLogger('silent', 'test'),
    blobs: databaseBlobs(database),
    passwords: {
      hash: (password) => (step === 'hash' ? hold(hash(password)) : hash(password)),
      verify: (known, password) =>
        step === 'verify' ? hold(verify(known, password)) : verify(known, password),
    },
  });
  t.after(async () => {
    released.resolve();
    await app.close();
  });
  return { app, reached: reached.promise, release: released.resolve };
}

/** Sends a request that is held, runs `happen` while it waits, and lets the request go on. */
export async function duringPause<T>(
  held: HeldApp,
  send: (held: HeldApp) => PromiseLike<T>,
  happen: () => Promise<unknown>,
): Promise<T> {
  // A request of `inject` is sent when it is awaited, so it is made a promise at once.
  const answer = Promise.resolve(send(held));
  // An answer that comes before it was held is the end of it: it would be waited for in vain.
  await Promise.race([held.reached, answer]);
  await happen();
  held.release();
  return answer;
}
