import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { App } from '../../api/types.ts';
import { openTestApp } from '../support/app.ts';
import { freshAddress } from '../support/limits.ts';
import { outcome } from '../support/sign-in.ts';

const APP = 'https://app.example.com';
const DEV = 'http://localhost:5173';

const service = await openTestApp({
  MEMORY_ALLOWED_ORIGINS: `${APP}, ${DEV}`,
  MEMORY_RATE_LIMITS: 'on',
});
/** As it is where none is set. */
const closed = await openTestApp({ MEMORY_RATE_LIMITS: 'on' });
const company = await service.company();

interface Answer {
  statusCode: number;
  headers: Record<string, unknown>;
}

/** The values of a header that is a list, in lower case. */
function values({ headers }: Answer, name: string): string[] {
  const value = headers[name];
  return typeof value === 'string' ? value.split(',').map((item) => item.trim().toLowerCase()) : [];
}

/** What a browser asks before it lets a page of `origin` send the request. */
function preflight(origin: string, method: string, to: App = service.app, url = '/v1/memory/search') {
  return to.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,idempotency-key,memory-team',
    },
  });
}

describe('a page of an allowed origin', () => {
  test('a preflight allows every method and header of the service, and can be cached', async () => {
    for (const origin of [APP, DEV]) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await preflight(origin, method);
        assert.equal(answer.statusCode, 204, answer.body);
        assert.equal(answer.headers['access-control-allow-origin'], origin);
        assert.ok(values(answer, 'access-control-allow-methods').includes(method.toLowerCase()), method);
        for (const name of ['authorization', 'content-type', 'idempotency-key', 'memory-team']) {
          assert.ok(values(answer, 'access-control-allow-headers').includes(name), name);
        }
        assert.match(String(answer.headers['access-control-max-age']), /^[1-9]\d*$/);
      }
    }
  });

  test('a preflight needs no credentials and does not count against a rate limit', async () => {
    const remoteAddress = freshAddress();
    const headers = { origin: APP, 'access-control-request-method': 'POST' };
    for (const url of ['/v1/auth/login', '/v1/memory/search']) {
      const answer = await service.app.inject({ method: 'OPTIONS', url, remoteAddress, headers });
      assert.equal(answer.statusCode, 204);
      assert.equal(answer.headers['ratelimit-limit'], undefined);
    }
  });

  test('the page can read successes and errors, with their rate limit headers and request ids', async () => {
    const session = '/v1/auth/session';
    const { authorization } = company.headers;
    for (const [status, url, headers] of [
      [200, session, { authorization }],
      [200, '/v1/health', {}],
      [401, session, {}],
      [403, '/v1/memory/status', { authorization, 'memory-team': 'none' }],
      [400, '/v1/memory/imports?limit=x', { authorization }],
      [404, '/v1/nothing', {}],
      [405, '/v1/auth/login', {}],
    ] as const) {
      const answer = await service.app.inject({ url, headers: { ...headers, origin: DEV } });
      assert.equal(answer.statusCode, status, url);
      assert.equal(answer.headers['access-control-allow-origin'], DEV, url);
      assert.ok(values(answer, 'vary').includes('origin'), `${url}: no cache may give it to another origin`);
      assert.deepEqual(
        values(answer, 'access-control-expose-headers').sort(),
        [
          'content-disposition',
          'content-range',
          'etag',
          'ratelimit-limit',
          'ratelimit-remaining',
          'ratelimit-reset',
          'retry-after',
          'x-request-id',
        ],
        url,
      );
    }
  });

  test('no preflight allows the header of the console, however it is asked for', async () => {
    const asks = {
      'memory-console': '',
      'Memory-Console': '',
      '*': '',
      'authorization,MEMORY-CONSOLE , content-type': 'authorization, content-type',
      'authorization,\tmemory-console,*,memory-console': 'authorization',
      ' , * , authorization': 'authorization',
    };
    for (const origin of [APP, 'https://evil.example']) {
      for (const url of ['/v1/auth/login', '/v1/auth/session', '/v1/mcp', '/', '/nothing']) {
        for (const [asked, allowed] of Object.entries(asks)) {
          const answer = await service.app.inject({
            method: 'OPTIONS',
            url,
            headers: {
              origin,
              'access-control-request-method': 'POST',
              'access-control-request-headers': asked,
            },
          });
          const about = `${origin} ${url} ${asked}`;
          assert.equal(answer.headers['access-control-allow-headers'], allowed, about);
          assert.equal(answer.headers['access-control-allow-credentials'], undefined, about);
        }
      }
    }
  });

  test('no response allows credentials or sets a cookie', async () => {
    const answers = [
      await preflight(APP, 'POST'),
      await service.app.inject({
        url: '/v1/auth/session',
        headers: { ...company.headers, origin: APP },
      }),
    ];
    for (const answer of answers) {
      assert.equal(answer.headers['access-control-allow-credentials'], undefined);
      assert.equal(answer.headers['set-cookie'], undefined);
    }
  });
});

describe('a page of another origin', () => {
  const OTHERS = [
    'https://evil.example',
    'https://app.example.com.evil.example',
    'https://sub.app.example.com',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://APP.example.com',
    'null',
    '*',
  ];

  test('gets no preflight allowed, and cannot read a response', async () => {
    for (const origin of OTHERS) {
      const asked = await preflight(origin, 'POST');
      assert.ok(values(asked, 'vary').includes('origin'), origin);
      const headers = { ...company.headers, origin };
      const answer = await service.app.inject({ url: '/v1/auth/session', headers });
      assert.equal(answer.statusCode, 200);
      for (const each of [asked, answer])
        assert.equal(each.headers['access-control-allow-origin'], undefined, origin);
    }
  });
});

test('without allowed origins, no response has CORS headers and OPTIONS returns 405', async () => {
  const asked = await preflight(APP, 'POST', closed.app);
  assert.equal(outcome(asked), '405 method_not_allowed');
  const headers = { ...(await closed.company()).headers, origin: APP };
  const answer = await closed.app.inject({ url: '/v1/auth/session', headers });
  assert.equal(answer.statusCode, 200);
  for (const { headers: sent } of [asked, answer])
    assert.ok(!Object.keys(sent).some((name) => name.startsWith('access-control-')));
});
