import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Listen, listenAgainLater, listenOn } from '../../db/queue/listen.ts';
import { createLogger } from '../../shared/logger.ts';

const logger = createLogger('silent', 'test');
const ignore = () => undefined;

/** A `listen` that fails so many times, and then succeeds. `succeeded` gives the arguments of the attempt that did. */
function failingListen(failures: number) {
  const { promise: succeeded, resolve } = Promise.withResolvers<Parameters<Listen>>();
  const counted = { attempts: 0, closed: 0 };
  const close = async () => void (counted.closed += 1);
  const listen: Listen = async (...of) => {
    counted.attempts += 1;
    if (counted.attempts <= failures) throw new Error(`failure ${counted.attempts}`);
    resolve(of);
    return { close };
  };
  return { listen, succeeded, counted };
}

test('a listener that fails rejects once, and is opened later with what it was given, after waits that double', async (t) => {
  const waits = t.mock.method(globalThis, 'setTimeout');
  const inner = failingListen(5);
  const again = listenAgainLater(inner.listen, logger, { first: 1, longest: 3 });
  const notified: string[] = [];
  const listening = again.listen('channel', (payload) => notified.push(payload), ignore);
  await assert.rejects(listening, /^Error: failure 1$/);
  const [channel, onNotification] = await inner.succeeded;
  onNotification('payload');
  assert.deepEqual([channel, notified, inner.counted.attempts], ['channel', ['payload'], 6]);
  assert.deepEqual(
    // Files that share the process set timers too.
    waits.mock.calls
      .filter(({ stack }) => stack.stack?.includes('db/queue/listen.ts'))
      .map(({ arguments: [, wait] }) => wait),
    [1, 2, 3, 3, 3],
  );
  await again.close();
  assert.equal(inner.counted.closed, 1, 'its caller has no handle to close it');
});

test('a listener that succeeds at once is left to its caller', async () => {
  const inner = failingListen(0);
  const again = listenAgainLater(inner.listen, logger, { first: 1, longest: 1 });
  const handle = await again.listen('channel', ignore, ignore);
  await again.close();
  assert.equal(inner.counted.closed, 0);
  await handle.close();
  assert.deepEqual([inner.counted.attempts, inner.counted.closed], [1, 1]);
});

test('a listener that is opened while it is being closed does not stay open', async () => {
  const isTried = Promise.withResolvers<void>();
  const canOpen = Promise.withResolvers<void>();
  const isClosed = Promise.withResolvers<void>();
  let attempts = 0;
  const listen: Listen = async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('down');
    isTried.resolve();
    await canOpen.promise;
    return { close: async () => isClosed.resolve() };
  };
  const again = listenAgainLater(listen, logger, { first: 1, longest: 1 });
  await assert.rejects(again.listen('channel', ignore, ignore));
  await isTried.promise;
  await again.close();
  canOpen.resolve();
  await isClosed.promise;
});

test('the error of a listener says why no connection could be opened', async () => {
  const refused = new AggregateError([new Error('connect ECONNREFUSED 10.0.0.1:5432')]);
  const listening = listenOn({
    connect: () => Promise.reject(refused),
    notify: () => Promise.resolve(),
    channel: 'channel',
    onNotification: ignore,
    onConnect: ignore,
    logger,
  });
  await assert.rejects(listening, {
    name: 'ListenUnavailableError',
    message: 'connect ECONNREFUSED 10.0.0.1:5432',
  });
});
