import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { pino } from 'pino';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { outcome } from '../support/sign-in.ts';
import { along, CLAIM } from '../support/team.ts';

const service = await openTestApp();
const company = await service.company();

/** What a 5xx must never contain. */
const TELLTALES = /secret|hunter2|select|relation|\.ts|srv|\bat |stack|password/i;

const REQUESTS: [url: string, body: object | null][] = [
  ['/v1/memory/status', null],
  ['/v1/memory/imports', null],
  ['/v1/memory/search', { query: 'x', scope: {}, queryEmbedding: along(0), ...CLAIM }],
  ['/v1/memory/expand', { chunkId: company.teamId }],
  ['/v1/memory/ingest', { title: 'x', text: 'x' }],
  ['/v1/memory/imports', { items: [{ filename: 'a.txt', text: 'x' }] }],
  ['/v1/memory/embeddings/claim', {}],
  ['/v1/memory/embeddings/complete', { batchId: company.teamId, ...CLAIM, embeddings: [] }],
];

describe('a database that fails', () => {
  for (const [sqlState, expected] of [
    ['42P01', '500 internal_error'],
    ['57P01', '503 unavailable'],
  ] as const) {
    test(`database error ${sqlState} returns ${expected} on every route and reveals no internals`, async (t) => {
      const app = await openFailingApp(t, service, () => databaseError(sqlState));
      for (const [url, body] of REQUESTS) {
        const answer = await via({ app }, company).send(
          body === null ? 'GET' : 'POST',
          url,
          body ?? undefined,
        );
        assert.equal(outcome(answer), expected, url);
        assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
        assert.doesNotMatch(answer.body, TELLTALES);
        assert.equal(answer.headers['retry-after'] !== undefined, answer.statusCode === 503);
      }
    });
  }

  test('every database error that can pass by itself returns 503, so that clients try again', async (t) => {
    let code = '';
    const app = await openFailingApp(t, service, () => databaseError(code));
    for (code of [
      '57014', // it took too long
      'ECONNREFUSED', // no server answers
      '08006', // the connection was lost
      '53200', // out of memory
      '53300', // too many connections
      '57P03', // the server is starting
      '55P03', // a lock was held too long
      '40001', // a serialization failure
      '40P01', // a deadlock
      '23503', // a reference to a record that was just deleted
      '25006', // a read-only transaction
      'ECONNRESET', // the connection was closed
    ]) {
      const answer = await via({ app }, company).ask.listImports();
      assert.equal(outcome(answer), '503 unavailable', code);
    }
  });

  test('each answer with 500 or 503 is logged with its error', async (t) => {
    for (const [sqlState, code] of [
      ['42P01', 'internal_error'],
      ['57P01', 'unavailable'],
    ] as const) {
      const lines: string[] = [];
      const logger = pino({ level: 'error', base: null }, { write: (line: string) => void lines.push(line) });
      const app = await openFailingApp(t, { ...service, logger }, () => databaseError(sqlState));
      const answer = await via({ app }, company).ask.getStatus();
      const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown> & { err: object });
      assert.deepEqual(
        logged.map(({ msg, reqId, code: said, err }) => [msg, reqId, said, 'code' in err && err.code]),
        [['request failed', answer.headers['x-request-id'], code, sqlState]],
      );
    }
  });

  it('a database that does not answer is not queried again for the other decisions of a request', async (t) => {
    let asked = 0;
    const app = await openFailingApp(t, service, (text) => {
      if (!text.includes('memory.memory')) return null;
      asked += 1;
      return new Error('Query read timeout');
    });
    const decisions = Array.from({ length: 5 }, () => ({ action: 'publish', memoryId: newId() }));
    const answer = await via({ app }, company).ask.decideMemory({ decisions });
    const { results } = answer.json<{ results: { problem: { status: number } }[] }>();
    assert.deepEqual(
      results.map(({ problem }) => problem.status),
      decisions.map(() => 503),
    );
    assert.equal(asked, 1);
  });

  test('a value that only the database rejects returns 400', async (t) => {
    const fault = (text: string) => (text.includes('search_hits') ? databaseError('22003') : null);
    const app = await openFailingApp(t, service, fault);
    const answer = await via({ app }, company).send('POST', ...(REQUESTS[2] as [string, object]));
    assert.equal(outcome(answer), '400 invalid_request');
    assert.doesNotMatch(answer.body, TELLTALES);
  });

  test('health and readiness return 503 with their usual body, and liveness stays 200', async (t) => {
    const app = await openFailingApp(t, service, () => databaseError('57P01'));
    const health = await app.inject('/v1/health');
    assert.equal(health.statusCode, 503);
    const working = (await service.app.inject('/v1/health')).json<object>();
    assert.deepEqual(health.json(), { ...working, ok: false });
    const [live, ready] = await Promise.all([app.inject('/livez'), app.inject('/readyz')]);
    assert.deepEqual([live.statusCode, live.json()], [200, { ok: true }]);
    assert.deepEqual([ready.statusCode, ready.json()], [503, { ok: false, writes: false }]);
  });
});

// Changes that cannot be recorded are rolled back: test/access/events.test.ts.
test('a search that cannot be audited returns 500', async (t) => {
  const app = await openFailingApp(t, service, (text) =>
    text.includes('into memory.audit_event') ? databaseError('42P01') : null,
  );
  const answer = await via({ app }, company).send('POST', ...(REQUESTS[2] as [string, object]));
  assert.equal(outcome(answer), '500 internal_error');
});
