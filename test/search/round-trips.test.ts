import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { openCountingProxy, throughProxy } from '../support/counting-proxy.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { openSecondApp } from '../support/second-app.ts';
import { addSource } from '../support/source-library.ts';

const service = await openTestApp({ MEMORY_RATE_LIMITS: 'on', MEMORY_RATE_LIMIT_PER_MINUTE: '1000' });

describe('round trips of a request', { skip: databaseUrl === undefined && 'needs PostgreSQL' }, () => {
  /** The round trips of each kind of request, once its connections are open. */
  const REQUESTS = [
    { name: 'a session', request: { url: '/v1/auth/session' }, most: 1 },
    { name: 'a list', request: { url: '/v1/memory/sources' }, most: 2 },
    {
      name: 'a search',
      request: {
        method: 'POST',
        url: '/v1/memory/search',
        payload: { query: 'badge', embeddingMode: 'keyword', scope: {} },
      },
      most: 3,
    },
  ] as const;

  test('are at most one for the caller, one for a read, and one for an audit event', async (t) => {
    const proxy = await openCountingProxy(databaseUrl ?? '');
    const { app } = await openSecondApp(t, service, throughProxy(databaseUrl ?? '', proxy));
    t.after(() => proxy.close());
    const company = await service.company();
    const { headers } = company;
    // A search without hits reads more, to describe why.
    await addSource(company, { text: 'Visitors get a badge.' });
    for (const { name, request, most } of REQUESTS) {
      const ask = async () => {
        const before = proxy.roundTrips;
        const answer = await app.inject({ ...request, headers });
        assert.equal(answer.statusCode, 200, answer.body);
        return proxy.roundTrips - before;
      };
      await ask();
      assert.equal(await ask(), most, name);
    }
  });
});
