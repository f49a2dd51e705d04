import assert from 'node:assert/strict';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { BroadcastChannel } from 'node:worker_threads';
import { BodyThreads, MAX_INLINE_BYTES } from '../../api/http/bodies/large-bodies.ts';
import type { ServiceError } from '../../shared/errors.ts';
import { openTestApp } from '../support/app.ts';
import { outcome } from '../support/sign-in.ts';
import { BEGUN } from './silent-thread.ts';

/** More bodies than there are threads. */
const MANY = availableParallelism() + 1;

const service = await openTestApp();

/** Threads that never answer. They end with the test. */
function silentThreads(t: TestContext): BodyThreads {
  const threads = new BodyThreads(new Map(), '', new URL('./silent-thread.ts', import.meta.url));
  t.after(async () => {
    await endThreads(threads);
    await threads.close();
  });
  return threads;
}

/** Ends all threads, and waits until what follows from that has happened. */
async function endThreads({ threads }: BodyThreads): Promise<void> {
  await Promise.all(threads.map((thread) => thread.terminate()));
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
}

/** Waits until a thread has begun with a body that is given. */
async function untilBegun<T>(give: () => T): Promise<T> {
  const channel = new BroadcastChannel(BEGUN);
  const begun = once(channel, 'message');
  const given = give();
  await begun;
  channel.close();
  return given;
}

/** Gives a body to the threads. The result is what has become of it, or that it still waits. */
function give(threads: BodyThreads): () => Promise<string> {
  const code = threads.parse({ route: 'POST /', bytes: new Uint8Array(8), isHashed: false }).then(
    () => 'parsed',
    (error: ServiceError) => error.code,
  );
  return () => Promise.race([code, Promise.resolve('waits')]);
}

describe('the threads that parse large bodies', { timeout: 60_000 }, () => {
  it('refuse a body if its thread ends, and parse the next one in a new thread', async (t) => {
    const threads = silentThreads(t);
    for (let round = 0; round < 2; round += 1) {
      const body = await untilBegun(() => give(threads));
      assert.equal(await body(), 'waits');
      await endThreads(threads);
      assert.equal(await body(), 'unavailable');
    }
  });

  it('refuse a body if its thread ends while it starts, and parse the next one in a new thread', async (t) => {
    const threads = silentThreads(t);
    const body = give(threads);
    await endThreads(threads);
    assert.equal(await body(), 'unavailable');
    await untilBegun(() => give(threads));
  });

  it('refuse the bodies that wait if the last thread ends, and parse the next one in a new thread', async (t) => {
    const threads = silentThreads(t);
    const bodies = await untilBegun(() => Array.from({ length: MANY }, () => give(threads)));
    await endThreads(threads);
    const codes = await Promise.all(bodies.map((body) => body()));
    assert.deepEqual(new Set(codes), new Set(['unavailable']));
    await untilBegun(() => give(threads));
  });

  it('answer 503 to a request whose thread ends', async (t) => {
    const threads = silentThreads(t);
    const { app } = service;
    const mock = t.mock.method(app.bodyThreads, 'parse', (task: Parameters<typeof threads.parse>[0]) =>
      Promise.race([threads.parse(task), ended.promise]),
    );
    const ended = Promise.withResolvers<never>();
    const company = await service.company();
    const large = JSON.stringify({ title: 'x', text: 'y' }).padEnd(MAX_INLINE_BYTES + 1);
    const answer = await untilBegun(() => [company.ask.ingestSource(large)] as const);
    await endThreads(threads);
    ended.reject(new Error('the body still waits'));
    assert.equal(outcome(await answer[0]), '503 unavailable');
    assert.equal(mock.mock.callCount(), 1);
  });
});
