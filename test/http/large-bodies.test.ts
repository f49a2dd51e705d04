import assert from 'node:assert/strict';
import { before, describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { MAX_INLINE_BYTES } from '../../api/http/bodies/large-bodies.ts';
import { normalizeEmbedding, type SentVector } from '../../shared/embeddings.ts';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { base64Of } from '../support/base64-vector.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson, along, type Caller, CLAIM, faultyFields, withoutRequestId } from '../support/team.ts';
import { file } from '../support/workspace.ts';
import { sendHead } from './sent-heads.ts';

const INGEST = '/v1/memory/ingest';
const IMPORTS = '/v1/memory/imports';
const PUSH = '/v1/workspace/push';
const COMPLETE = '/v1/memory/consolidation/complete';
const EMBEDDINGS = '/v1/memory/embeddings/complete';
const MEMORIES = '/v1/memory/memories';

const service = await openTestApp();
const { app } = service;

/** The JSON of a body with white space, so that it is larger than what the main thread parses. */
const padded = (body: unknown) => JSON.stringify(body).padEnd(MAX_INLINE_BYTES + 1);

/** Valid bodies, always with new content. The batches and the memory that they name do not exist. */
const BODIES: [url: string, body: () => Record<string, unknown>][] = [
  [INGEST, () => ({ title: 'x', text: newId(), metadata: { a: [1, { b: null }] }, tags: ['a'] })],
  [
    INGEST,
    () => ({
      title: 'x',
      ...CLAIM,
      chunks: [
        { text: newId(), embedding: along(1, 3) },
        { text: 'no vector' },
        { text: 'y', embedding: base64Of(along(2)) },
      ],
    }),
  ],
  [
    IMPORTS,
    () => ({
      items: [
        { filename: 'a.txt', text: newId() },
        { filename: 'b.pdf', contentBase64: 'QUJD' },
      ],
    }),
  ],
  [PUSH, () => ({ files: [file(`team/${newId()}.md`, 'content')] })],
  [
    COMPLETE,
    () => ({
      batchId: newId(),
      items: [
        { captureIds: [newId()], action: 'review', title: 't', content: 'c', ...CLAIM, embedding: along(1) },
        { captureIds: [newId()], action: 'discard', metadata: { a: 1 } },
      ],
    }),
  ],
  [
    EMBEDDINGS,
    () => ({ batchId: newId(), ...CLAIM, embeddings: [{ chunkId: newId(), embedding: along(1) }] }),
  ],
  [MEMORIES, () => ({ decisions: [{ action: 'update', memoryId: newId(), version: 1, content: 'c' }] })],
];

describe('a body above 4 MiB', { timeout: 300_000 }, () => {
  let base: string;
  let company: SignedIn;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    company = await service.company();
  });

  const send = (url: string, body: unknown, headers: Record<string, string> = {}, caller: Caller = company) =>
    caller.send('POST', url, padded(body), headers);

  /** The lengths of the long texts that the main thread parses while something is done. */
  async function parsedHere(t: TestContext, act: () => Promise<unknown>): Promise<number[]> {
    const parse = t.mock.method(JSON, 'parse');
    await act();
    const lengths = parse.mock.calls.map(({ arguments: [text] }) => String(text).length);
    parse.mock.restore();
    return lengths.filter((length) => length >= MAX_INLINE_BYTES);
  }

  /** Copies of the parsed bodies that the threads return while something is done. */
  async function parsedBodies(t: TestContext, act: () => Promise<unknown>): Promise<unknown[]> {
    const bodies: unknown[] = [];
    const parse = app.bodyThreads.parse.bind(app.bodyThreads);
    const mock = t.mock.method(app.bodyThreads, 'parse', async (task: Parameters<typeof parse>[0]) => {
      const parsed = await parse(task);
      // A handler deletes the large fields of its body.
      bodies.push(structuredClone(parsed.body));
      return parsed;
    });
    await act();
    mock.mock.restore();
    return bodies;
  }

  for (const [index, [url, body]] of BODIES.entries()) {
    it(`is parsed in a thread only: ${url}, body ${index}`, async (t) => {
      let parsed: unknown[] = [];
      const here = await parsedHere(t, async () => {
        parsed = await parsedBodies(t, () => send(url, body()));
      });
      assert.deepEqual([here, parsed.length], [[], 1]);
    });
  }

  it('a body of 4 MiB is parsed in the main thread', async (t) => {
    const body = JSON.stringify({ title: 'x', unknown: 1 }).padEnd(MAX_INLINE_BYTES);
    let parsed: unknown[] = [];
    const here = await parsedHere(t, async () => {
      parsed = await parsedBodies(t, () => company.ask.ingestSource(body));
    });
    assert.deepEqual([here, parsed], [[MAX_INLINE_BYTES], []]);
  });

  it('has vectors that are Float32Arrays of unit length, each with a buffer of its own', async (t) => {
    const vectors: SentVector[] = [along(1, 3), along(7, 1e-300), along(2, 1e300), base64Of(along(3, 2))];
    const chunks = vectors.map((embedding, index) => ({ text: `chunk ${index}`, embedding }));
    const [parsed] = await parsedBodies(t, async () => {
      const answer = await send(INGEST, { title: 'x', ...CLAIM, chunks });
      assert.equal(answer.json<{ embedded: number }>().embedded, vectors.length);
    });
    const received = (parsed as { chunks: { embedding: Float32Array }[] }).chunks.map(
      ({ embedding }) => embedding,
    );
    assert.deepEqual(
      received,
      vectors.map((vector) => normalizeEmbedding(vector, '')),
    );
    for (const { buffer, byteLength } of received) assert.equal(buffer.byteLength, byteLength);
  });

  it('has the 403 and the 415 that precede every other refusal', async () => {
    const member = await addPerson(service, company, { teamRole: 'member' });
    const [, complete] = BODIES.find(([url]) => url === COMPLETE)!;
    const superseding = { captureIds: [newId()], action: 'publish', supersedes: newId() };
    const body = { ...complete(), items: [superseding], unknown: 1 };
    assert.equal(outcome(await send(COMPLETE, body, {}, member)), '403 full_access_required');
    assert.equal(outcome(await send(COMPLETE, body)), '400 invalid_request');
    const items = [{ filename: 'a.exe', contentBase64: 'QUJD', unknown: 1 }];
    assert.equal(outcome(await send(IMPORTS, { items })), '415 unsupported_media_type');
  });

  /** Values that replace a field of a body, each at most one fault. */
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(
      'a\u0000b',
      'a\ud800',
      '',
      '  ',
      'x'.repeat(400),
      'AAAA',
      base64Of(along(1)),
      along(1),
      along(1, 1e39),
      along(1, 0),
      along(1).slice(1),
      { a: 'x'.repeat(17_000) },
      { '__proto__ ': 1 },
      newId(),
    ),
  );

  /** The keys of all fields of a body, except numbers of vectors. */
  function placesOf(body: unknown, keys: (string | number)[] = []): (string | number)[][] {
    if (typeof body !== 'object' || body === null) return [];
    return Object.entries(body).flatMap(([key, child]) => {
      if (typeof child === 'number' && Array.isArray(body)) return [];
      const place = [...keys, Array.isArray(body) ? Number(key) : key];
      return [place, [...place.slice(0, -1), 'unknown'], ...placesOf(child, place)];
    });
  }

  function replaced(body: unknown, keys: readonly (string | number)[], by: unknown): unknown {
    const copy = structuredClone(body);
    const parent = keys.slice(0, -1).reduce((at, key) => (at as Record<string | number, unknown>)[key], copy);
    const key = keys.at(-1)!;
    if (Array.isArray(parent) && key === 'unknown') parent.push(by);
    else (parent as Record<string | number, unknown>)[key] = by;
    return copy;
  }

  for (const [index, [url, body]] of BODIES.entries()) {
    it(`returns what the same body without white space returns: ${url}, body ${index}`, async () => {
      const places = placesOf(body());
      await fc.assert(
        fc.asyncProperty(fc.option(fc.tuple(fc.constantFrom(...places), value)), async (change) => {
          const given = body();
          const sent = change === null ? given : replaced(given, ...change);
          // With the key, what was stored is repeated, and only for the same hash of the body.
          const headers = { 'idempotency-key': newId() };
          const small = await company.send('POST', url, JSON.stringify(sent), headers);
          const large = await send(url, sent, headers);
          assert.equal(large.statusCode, small.statusCode, large.body);
          assert.equal(withoutRequestIds(large.body), withoutRequestIds(small.body));
        }),
        { numRuns: 25 },
      );
    });
  }

  it('returns 400 for what is not JSON and for bytes that are not UTF-8', async () => {
    const bytes = Buffer.alloc(MAX_INLINE_BYTES + 1, ' ');
    for (const [begin, detail] of [
      ['{"title":}', 'The body is not valid JSON'],
      ['"\xff"', 'The body is not UTF-8'],
    ] as const) {
      bytes.fill(' ').write(begin, 'latin1');
      const { request, answer } = sendHead(base, INGEST, company.headers, bytes.length);
      request.end(bytes);
      assert.equal((await answer).json<{ detail: string }>().detail, detail);
    }
  });

  it('releases its bytes if the connection closes while it is parsed', async (t) => {
    const bytes = padded({ title: 'x', text: 'aborted', unknown: 1 });
    const { request } = sendHead(base, INGEST, company.headers, bytes.length);
    const { promise: parsed, resolve } = Promise.withResolvers<void>();
    const parse = app.bodyThreads.parse.bind(app.bodyThreads);
    t.mock.method(app.bodyThreads, 'parse', async (task: Parameters<typeof parse>[0]) => {
      request.destroy();
      try {
        return await parse(task);
      } finally {
        resolve();
      }
    });
    assert.equal(app.bodyBudget.bytes, 0);
    request.end(bytes);
    await parsed;
    while (app.bodyBudget.bytes > 0) await new Promise(setImmediate);
  });

  it('is answered if the service closes while it is parsed', async (t) => {
    const closing = await buildTestedApp(service);
    const url = await closing.listen({ host: '127.0.0.1', port: 0 });
    const parse = closing.bodyThreads.parse.bind(closing.bodyThreads);
    let closed: Promise<unknown> = Promise.resolve();
    t.mock.method(closing.bodyThreads, 'parse', (task: Parameters<typeof parse>[0]) => {
      const parsed = parse(task);
      closed = closing.close();
      return parsed;
    });
    const bytes = padded({ title: 'x', text: 'y', unknown: 1 });
    const { request, answer } = sendHead(url, INGEST, company.headers, bytes.length);
    request.end(bytes);
    assert.deepEqual(faultyFields(await answer), ['/unknown']);
    await closed;
    assert.equal(closing.bodyThreads.threads.length, 0);
  });
});

/** Without the ids of requests, which are different in every answer, also in the results of a list. */
function withoutRequestIds(body: string): string {
  return withoutRequestId(body).replaceAll(/"requestId":"[^"]*"/g, '""');
}
