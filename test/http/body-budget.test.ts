import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { before, describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';
import { sendHead } from './sent-heads.ts';

const MIB = 1024 * 1024;
const INGEST = '/v1/memory/ingest';

// Room for three of the largest bodies; one caller can have two.
const service = await openTestApp({ MEMORY_BODY_MEGABYTES: '96', MEMORY_RATE_LIMITS: 'on' });
const { app } = service;
const base = await app.listen({ host: '127.0.0.1', port: 0 });

/** Waits until `bytes` of bodies are in flight. */
async function untilInFlight(bytes: number): Promise<void> {
  while (app.bodyBudget.bytes !== bytes) await pause(2);
}

describe('large request bodies in flight', { timeout: 60_000 }, () => {
  let company: SignedIn;

  before(async () => {
    company = await service.company();
  });

  const send = (caller: { headers: Record<string, string> }, length: number | null, url = INGEST) =>
    sendHead(base, url, caller.headers, length);

  it('returns 429 beyond the limit of one caller and 503 beyond the limit of all', async () => {
    const [second, third] = [await service.company(), await service.company()];
    const held = [send(company, 32 * MIB), send(company, null, '/v1/memory/imports')];
    await untilInFlight(64 * MIB);

    const limited = await send(company, 2 * MIB, '/v1/workspace/push').answer;
    assert.equal(outcome(limited), '429 rate_limited');
    for (const name of ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
      assert.match(String(limited.headers[name]), /^\d+$/, name);
    }
    // One caller can send two bodies of the largest size.
    const others = send(second, 32 * MIB);
    await untilInFlight(96 * MIB);
    const refused = await send(third, 2 * MIB).answer;
    assert.equal(outcome(refused), '503 unavailable');
    assert.match(String(refused.headers['retry-after']), /^\d+$/);
    // A small body is still accepted.
    const small = await third.ask.ingestSource({ title: 'x', text: 'x' });
    assert.equal(small.statusCode, 201);

    for (const { request } of [...held, others]) request.destroy();
    await untilInFlight(0);
    const body = JSON.stringify({ title: 'x', text: 'x', metadata: { a: 1 } }).padEnd(2 * MIB);
    assert.equal((await company.ask.ingestSource(body)).statusCode, 201);
    assert.equal(app.bodyBudget.bytes, 0);
  });

  it('returns 404, 405 and 401 before 429, and 429 before 403 and 415', async () => {
    const held = [send(company, 32 * MIB), send(company, 32 * MIB)];
    await untilInFlight(64 * MIB);
    const elsewhere = { headers: { ...company.headers, 'memory-team': newId() } };
    const unknown = { headers: { authorization: 'Bearer of-no-worth' } };
    for (const [caller, url, type, expected] of [
      [company, '/v1/nothing', 'application/json', '404 not_found'],
      [company, '/v1/memory/search/', 'application/json', '404 not_found'],
      [company, '/v1/memory/status', 'application/json', '405 method_not_allowed'],
      [unknown, INGEST, 'application/json', '401 unauthenticated'],
      [elsewhere, INGEST, 'application/json', '429 rate_limited'],
      [company, INGEST, 'text/plain', '429 rate_limited'],
    ] as const) {
      const headers = { ...caller.headers, 'content-type': type };
      const { answer } = sendHead(base, url, headers, 4 * MIB);
      assert.equal(outcome(await answer), expected, url);
    }
    for (const { request } of held) request.destroy();
    await untilInFlight(0);
  });

  it('a large body releases its share of the budget however the request ends', async () => {
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const valid = JSON.stringify({ title: 'x', text: 'x' }).padEnd(2 * MIB);
    for (const [caller, body, expected] of [
      // The same text exists already.
      [company, valid, 200],
      [company, valid.replace('}', ' '), 400],
      [company, '['.repeat(2 * MIB), 400],
      [company, JSON.stringify({ title: 'x' }).padEnd(2 * MIB), 400],
      [reader, valid, 403],
      [company, 'x'.padEnd(33 * MIB), 413],
    ] as const) {
      const { request, answer } = send(caller, body.length);
      request.end(body);
      assert.equal((await answer).statusCode, expected);
      assert.equal(app.bodyBudget.bytes, 0, String(expected));
    }
    // The caller hangs up in the middle of the body.
    const { request } = send(company, 2 * MIB);
    request.write(valid.slice(0, MIB));
    await untilInFlight(2 * MIB);
    request.destroy();
    await untilInFlight(0);
  });
});

describe('a request that is refused before its body is read', { timeout: 60_000 }, () => {
  let company: SignedIn;

  before(async () => {
    company = await service.company();
  });

  it('returns the refusal after the headers and closes the connection', async () => {
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    for (const [caller, url, length, expected] of [
      [reader, INGEST, 20 * MIB, '403 scope_forbidden'],
      [reader, '/v1/memory/imports', 20 * MIB, '403 scope_forbidden'],
      [reader, '/v1/workspace/push', null, '403 scope_forbidden'],
      [company, INGEST, 33 * MIB, '413 payload_too_large'],
      [company, '/v1/memory/search', 2 * MIB, '413 payload_too_large'],
      [{ headers: {} }, INGEST, 20 * MIB, '401 unauthenticated'],
      [company, '/v1/nothing', 20 * MIB, '404 not_found'],
    ] as const) {
      const answer = await sendHead(base, url, { ...caller.headers }, length).answer;
      assert.equal(outcome(answer), expected, url);
      assert.equal(answer.headers.connection, 'close', url);
    }
  });

  it('returns 413 for the length before 415 for the type', async () => {
    const headers = { ...company.headers, 'content-type': 'text/plain' };
    assert.equal(outcome(await sendHead(base, INGEST, headers, 33 * MIB).answer), '413 payload_too_large');
    assert.equal(
      outcome(await sendHead(base, INGEST, headers, 2 * MIB).answer),
      '415 unsupported_media_type',
    );
  });

  it('returns the refusal while the body is still being sent', async () => {
    const body = Buffer.alloc(4 * MIB, ' ');
    for (const [headers, length, expected] of [
      [{}, 24 * MIB, '401 unauthenticated'],
      [company.headers, 24 * MIB, '413 payload_too_large'],
      [company.headers, null, '413 payload_too_large'],
    ] as const) {
      const { request, answer } = sendHead(base, '/v1/memory/search', { ...headers }, length);
      for (let sent = 0; sent < 24 * MIB; sent += body.length) request.write(body);
      request.end();
      assert.equal(outcome(await answer), expected);
    }
  });

  it('sends 100 Continue only to an accepted request', async () => {
    const continued: string[] = [];
    const sendExpecting = (headers: Record<string, string>, name: string) => {
      const sent = sendHead(base, INGEST, { ...headers, expect: '100-continue' }, 2 * MIB);
      sent.request.on('continue', () => continued.push(name));
      return sent;
    };
    assert.equal(outcome(await sendExpecting({}, 'stranger').answer), '401 unauthenticated');
    const { request, answer } = sendExpecting({ ...company.headers }, 'owner');
    request.on('continue', () => request.end(JSON.stringify({ title: 'x', text: 'x' }).padEnd(2 * MIB)));
    assert.equal((await answer).statusCode, 201);
    assert.deepEqual(continued, ['owner']);
  });
});

/** Stops the time of bodies. Returns a valid body of two MiB, and a wait until half of one has arrived. */
function stopTime(t: TestContext): { valid: string; untilHalf: () => Promise<void> } {
  const sockets: Socket[] = [];
  app.server.on('connection', (socket: Socket) => sockets.push(socket));
  t.mock.timers.enable({ apis: ['setInterval'] });
  return {
    valid: JSON.stringify({ title: 'x', text: 'x' }).padEnd(2 * MIB),
    untilHalf: async () => {
      while (!sockets.some(({ bytesRead }) => bytesRead > MIB)) await pause(2);
    },
  };
}

describe('a request body that arrives too slowly', { timeout: 60_000 }, () => {
  it('returns 400 for a slow body and accepts one that keeps the minimum speed', async (t) => {
    const company = await service.company();
    const { valid, untilHalf } = stopTime(t);
    const slow = sendHead(base, INGEST, company.headers, valid.length);
    await untilInFlight(2 * MIB);
    const steady = sendHead(base, INGEST, company.headers, valid.length);
    slow.request.write(valid.slice(0, 1000));
    steady.request.write(valid.slice(0, MIB));
    await untilInFlight(4 * MIB);
    await untilHalf();
    t.mock.timers.tick(10_000);
    const answer = await slow.answer;
    assert.equal(outcome(answer), '400 invalid_request');
    assert.match(answer.json<{ detail: string }>().detail, /too slowly/);
    steady.request.end(valid.slice(MIB));
    assert.equal((await steady.answer).statusCode, 201);
    await untilInFlight(0);
  });

  it('returns 400 for a body that stops arriving after a fast start', async (t) => {
    const company = await service.company();
    const { valid, untilHalf } = stopTime(t);
    const { request, answer } = sendHead(base, INGEST, company.headers, valid.length);
    request.write(valid.slice(0, MIB));
    await untilHalf();
    t.mock.timers.tick(10_000);
    // A refusal would be sent before the answer to another request.
    await app.inject('/livez');
    assert.equal(app.bodyBudget.bytes, 2 * MIB, 'fast enough so far');
    t.mock.timers.tick(10_000);
    request.end(valid.slice(MIB));
    const refusal = await answer;
    assert.equal(outcome(refusal), '400 invalid_request');
    assert.match(refusal.json<{ detail: string }>().detail, /too slowly/);
    await untilInFlight(0);
  });
});
