import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { ERRORS, type ErrorCode } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { faultyFields } from '../support/team.ts';

const service = await openTestApp();
const { app } = service;
const company = await service.company();
const { headers } = company;
const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);

interface Answer {
  statusCode: number;
  headers: Record<string, unknown>;
  body: string;
  json<T>(): T;
}

/** Asserts that an answer is the problem document of a code, whole and as the table of codes has it. */
function assertProblem(answer: Answer, code: ErrorCode): void {
  const { status, title } = ERRORS[code];
  assert.equal(answer.statusCode, status, answer.body);
  assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
  assert.equal(answer.headers['cache-control'], 'no-store');
  const { type, detail, requestId, errors, ...rest } = answer.json<Record<string, unknown>>();
  assert.deepEqual(rest, { title, status, code });
  assert.match(String(type), new RegExp(`${code}$`));
  assert.ok(typeof detail === 'string' && detail !== '');
  assert.ok(isId(String(requestId)));
  assert.equal(answer.headers['x-request-id'], requestId);
  for (const fault of (errors ?? []) as object[]) assert.deepEqual(Object.keys(fault), ['path', 'message']);
}

/** Sends a request whose target is not changed by a client. Returns the answer as text. */
async function exchange(start: string, more: readonly string[] = []): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const { authorization } = headers;
  const lines = [`${start} HTTP/1.1`, 'host: x', 'connection: close', `authorization: ${authorization}`];
  socket.write(`${[...lines, ...more].join('\r\n')}\r\n\r\n`);
  return text(socket);
}

describe('every response', () => {
  test('every response has a new request id, and no-store if its path is under /v1', async () => {
    const seen = new Set<unknown>();
    for (const url of ['/v1/health', '/v1/memory/status', '/livez', '/docs/json', '/reset', '/nothing']) {
      const answer = await app.inject({ url, headers: { ...headers, 'x-request-id': 'mine' } });
      assert.ok(isId(String(answer.headers['x-request-id'])), url);
      seen.add(answer.headers['x-request-id']);
      if (url.startsWith('/v1/')) assert.equal(answer.headers['cache-control'], 'no-store', url);
    }
    assert.equal(seen.size, 6);
  });

  test('each spelling of a path under /v1 gets no-store', async () => {
    const spellings = ['/v1', '/v1?x', '/%761/company', '/v%31/auth/session', '/%76%31/%ff'];
    for (const url of [...spellings, 'http://x/v1/company', 'HTTP://x/%761/company', 'http://x/v1?x']) {
      const answer = await exchange(`GET ${url}`);
      assert.match(answer, /\r\ncache-control: no-store\r\n/, url);
    }
    for (const url of ['/v1x', '/livez?/v1/', 'http://v1/livez', '/docs/json#/v1/']) {
      assert.doesNotMatch(await exchange(`GET ${url}`), /no-store/, url);
    }
  });

  test('every response forbids browsers to guess the content type', async () => {
    const ofApi = '/v1/health /v1/memory/status /v1/nothing /v1/%ff /v1/health/ /livez /metrics'.split(' ');
    for (const url of [
      ...ofApi,
      ...'/dashboard /join /docs /docs/json /docs/static/swagger-ui.css'.split(' '),
    ]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS'] as const) {
        const answer = await app.inject({ method, url, headers });
        assert.equal(answer.headers['x-content-type-options'], 'nosniff', `${method} ${url}`);
      }
    }
  });
});

describe('routes and methods', () => {
  test('an unknown route returns 404 for every method, with or without a session', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND'] as const) {
      assertProblem(await app.inject({ method: method as 'GET', url: '/v1/nothing' }), 'not_found');
    }
    assertProblem(await company.send('GET', '/v1/memory/search/'), 'not_found');
  });

  test('a method that the route does not have returns 405 and lists the allowed methods', async () => {
    const cases: [string, string, string][] = [
      ['GET', '/v1/memory/search', 'POST'],
      ['PUT', '/v1/health', 'GET, HEAD'],
      ['OPTIONS', '/v1/memory/search', 'POST'],
      ['PUT', '/v1/memory/sources/x', 'DELETE, GET, HEAD, PATCH'],
      ['POST', '/v1/memory/imports/x', 'DELETE, GET, HEAD'],
      ['TRACE', '/v1/memory/search', 'POST'],
      ['PUT', '/v1/memory/%63aptures', 'GET, HEAD, POST'],
      ['POST', '/%761/memory/imports/a%2Fb', 'DELETE, GET, HEAD'],
    ];
    for (const [method, url, allow] of cases) {
      const answer = await app.inject({ method: method as 'GET', url, headers });
      assertProblem(answer, 'method_not_allowed');
      assert.equal(answer.headers['allow'], allow, `${method} ${url}`);
    }
  });

  test('the type of the body does not hide that a route or a method does not exist', async () => {
    for (const method of ['QUERY', 'POST', 'PUT'] as const) {
      for (const type of [undefined, 'text/plain', 'nonsense']) {
        const body = type === undefined ? {} : { payload: 'x' };
        const typed = type === undefined ? headers : { ...headers, 'content-type': type };
        const send = (url: string) => app.inject({ method: method as 'POST', url, headers: typed, ...body });
        assertProblem(await send('/v1/nothing'), 'not_found');
        const answer = await send('/v1/company');
        assertProblem(answer, 'method_not_allowed');
        assert.equal(answer.headers['allow'], 'GET, HEAD, PATCH');
      }
    }
  });

  test('a malformed id in the path returns 404', async () => {
    for (const id of ['%ff', 'a'.repeat(5000), '%00', 'x', '..%2f..%2fpasswd']) {
      for (const list of ['imports', 'sources']) {
        assertProblem(await company.send('GET', `/v1/memory/${list}/${id}`), 'not_found');
      }
    }
  });
});

describe('request bodies', () => {
  const url = '/v1/memory/search';

  test('a body over the limit of its route returns 413', async () => {
    for (const [megabytes, routes] of [
      [1, ['search', 'embeddings/claim', 'captures', 'consolidation/claim']],
      [8, ['embeddings/complete', 'consolidation/complete', 'memories']],
      [32, ['ingest', 'imports']],
    ] as const) {
      const padding = ' '.repeat(megabytes * 1024 * 1024 - 2);
      for (const route of routes) {
        const send = (body: string) => company.send('POST', `/v1/memory/${route}`, body);
        assertProblem(await send(`{"x":1${padding}}`), 'payload_too_large');
        if (megabytes > 1) assertProblem(await send(`{${padding.slice(1024 * 1024)}}`), 'invalid_request');
      }
    }
  });

  test('an empty body counts as none, whatever its type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense', 'application/json']) {
      const empty = { ...headers, 'content-type': type, 'content-length': '0' };
      const claim = await app.inject({
        method: 'POST',
        url: '/v1/memory/consolidation/claim',
        headers: empty,
      });
      assert.deepEqual([claim.statusCode, claim.json()], [200, { batch: null }], type);
      const search = await app.inject({ method: 'POST', url, headers: empty });
      assertProblem(search, 'invalid_request');
      assert.deepEqual(faultyFields(search), faultyFields(await company.ask.searchMemory({})));
    }
  });

  test('a body that is not valid JSON returns 400', async () => {
    for (const body of ['{', '{"a":', "{'a':1}", 'NaN', '{"a":NaN}', '{"a":1}{', '\u0000']) {
      assertProblem(await company.ask.searchMemory(body), 'invalid_request');
    }
  });

  test('a body that is not valid UTF-8 returns 400', async () => {
    const payload = Buffer.concat([Buffer.from('{"title":"'), Buffer.of(0xff), Buffer.from('","text":"x"}')]);
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/memory/ingest',
      headers: { ...headers, 'content-type': 'application/json' },
      payload,
    });
    assertProblem(answer, 'invalid_request');
  });

  test('a key such as __proto__ returns 400 and changes no prototype', async () => {
    for (const body of [
      '{"query":"x","scope":{},"__proto__":{"topK":1}}',
      '{"query":"x","scope":{"__proto__":{"clientId":"x"}}}',
      '{"query":"x","scope":{},"constructor":{"prototype":{"topK":1}}}',
      // The same keys, with escapes.
      '{"query":"x","scope":{},"\\u005F_proto\\u005f_":{"topK":1}}',
      '{"query":"x","scope":{},"constr\\u0075ctor":{"prototype":{"topK":1}}}',
    ]) {
      const answer = await company.ask.searchMemory(body);
      assertProblem(answer, 'invalid_request');
      assert.deepEqual(faultyFields(answer), ['/__proto__']);
    }
    assert.equal(({} as { topK?: number }).topK, undefined);
  });
});

describe('a request that Node would reject itself', () => {
  /** Sends bytes, and asserts that the answer to them is a whole 400 after which the connection ends. */
  async function assertRefused(request: string, detail: RegExp): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(request);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 400 /);
    assert.match(head, /content-type: application\/problem\+json/);
    assert.match(head, /x-content-type-options: nosniff/);
    const problem = JSON.parse(body) as { code: string; requestId: string; detail: string };
    assert.equal(problem.code, 'invalid_request');
    assert.match(problem.detail, detail);
    assert.ok(head.includes(`x-request-id: ${problem.requestId}`));
  }

  test('bytes that are not HTTP and headers that are too long return a problem document', async () => {
    await assertRefused('nonsense\r\n\r\n', /not valid HTTP/);
    await assertRefused(`GET /v1/health HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, /too long/);
  });

  test('an unsupported Expect header returns a problem document', async () => {
    for (const head of ['GET /v1/health', 'POST /v1/memory/search', 'GET /nothing']) {
      await assertRefused(
        `${head} HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\ncontent-length: 100\r\n\r\n`,
        /Expect: only 100-continue is supported/,
      );
    }
  });

  test('a missing Host header returns a problem document', async () => {
    for (const head of ['GET /v1/health', 'GET /livez', 'GET /docs']) {
      await assertRefused(`${head} HTTP/1.1\r\nconnection: close\r\n\r\n`, /no Host header/);
    }
  });

  test('a second header of a kind that has one value returns a problem document', async () => {
    for (const [name, first, second = first] of [
      ['Host', 'x', 'y'],
      ['Host', 'x'],
      ['Authorization', 'Bearer x', 'Bearer y'],
      ['Content-Type', 'application/json', 'text/plain'],
      ['Origin', 'https://a.example', 'https://b.example'],
      ['Memory-Team', 'a', 'b'],
      ['Idempotency-Key', 'a', 'b'],
    ] as const) {
      const host = name === 'Host' ? '' : 'host: x\r\n';
      const repeated = `${name.toLowerCase()}: ${first}\r\n${name.toUpperCase()}: ${second}\r\n`;
      for (const head of ['GET /v1/health', 'GET /livez', 'POST /v1/memory/ingest', 'GET /nothing']) {
        const request = `${head} HTTP/1.1\r\nconnection: close\r\n${host}${repeated}\r\n`;
        await assertRefused(request, new RegExp(`several ${name} headers`));
      }
      await assertRefused(
        `GET /v1/health HTTP/1.0\r\n${host}${repeated}\r\n`,
        new RegExp(`several ${name} headers`),
      );
    }
  });

  test('a second length or transfer coding of a body returns a problem document', async () => {
    const head = 'POST /v1/memory/ingest HTTP/1.1\r\nconnection: close\r\nhost: x\r\n';
    for (const both of [
      'content-length: 2\r\ncontent-length: 2\r\n',
      'content-length: 2\r\nContent-Length: 3\r\n',
      'content-length: 2\r\ntransfer-encoding: chunked\r\n',
      'transfer-encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
      'transfer-encoding: identity\r\nTransfer-Encoding: chunked\r\n',
    ]) {
      await assertRefused(`${head}${both}\r\n{}`, /not valid HTTP|several Transfer-Encoding headers/);
    }
  });

  test('headers whose values are a list can occur several times', async () => {
    const socket = connect(port, '127.0.0.1');
    const lists = ['accept: a/b', 'accept: c/d', 'x-forwarded-for: 192.0.2.1', 'x-forwarded-for: 192.0.2.2'];
    socket.write(`GET /livez HTTP/1.1\r\nconnection: close\r\nhost: x\r\n${lists.join('\r\n')}\r\n\r\n`);
    assert.match(await text(socket), /^HTTP\/1\.1 200 /);
  });
});
