import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify from 'fastify';
import { disconnectSignal } from '../../api/http/requests.ts';

it('the signal aborts when the connection closes, but not when the body was read', async () => {
  const app = Fastify({ handlerTimeout: 60_000 });
  after(() => app.close());
  const signals: AbortSignal[] = [];
  app.post('/', async (request, reply) => {
    const signal = disconnectSignal(reply);
    signals.push(signal);
    // Until the body has ended for everyone who listens to it.
    await pause(50);
    if ((request.body as { wait?: true }).wait) await once(signal, 'abort');
    return { gone: signal.aborted };
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const post = (body: object, signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });
  assert.deepEqual(await (await post({})).json(), { gone: false });

  const leaving = new AbortController();
  const left = post({ wait: true }, leaving.signal);
  while (signals.length < 2) await pause(5);
  assert.equal(signals[1]?.aborted, false);
  leaving.abort();
  await assert.rejects(left);
  if (signals[1]?.aborted === false) await once(signals[1], 'abort');
});
