import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, describe, it, type TestContext } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { faultyFields } from '../support/team.ts';
import { sendHead } from './sent-heads.ts';

const MIB = 1024 * 1024;

const service = await openTestApp();
const { app } = service;

/**
 * A body of three MiB, which the main thread parses: with parts as many as fit of one, between a beginning and an end.
 */
const fill = (begin: string, part: string, end: string) =>
  begin + part.repeat(Math.floor((3 * MIB) / part.length)) + end;
const IN_METADATA = '{"title":"x","text":"x","metadata":{"a":';

const keysOf = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => `"${String(n).padStart(length, 'k')}":1`).join(',');

describe('an expensive request body', { timeout: 120_000 }, () => {
  let base: string;
  let company: SignedIn;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    company = await service.company();
  });

  async function send(path: string, body: string | Buffer) {
    const { request, answer } = sendHead(base, path, company.headers, Buffer.byteLength(body));
    request.end(body);
    return answer;
  }

  /** Texts of at least half the length of a body that were parsed while it was sent. */
  async function sendAndCount(t: TestContext, path: string, body: string | Buffer) {
    const parse = t.mock.method(JSON, 'parse');
    const answer = await send(path, body);
    const parsed = parse.mock.calls.filter(({ arguments: [text] }) => text.length >= body.length / 2).length;
    parse.mock.restore();
    assert.equal(answer.statusCode, 400);
    return { answer, parsed };
  }

  /** A complete of 40 items with this list in their metadata. */
  const complete = (part: string, count: number) => {
    const list = `${part},`.repeat(count).slice(0, -1);
    const item = `{"captureIds":["x"],"action":"review","title":"t","content":"c","metadata":{"a":[${list}]}}`;
    return `{"batchId":"x","items":[${`${item},`.repeat(40).slice(0, -1)}]}`;
  };
  const [INGEST, COMPLETE] = ['/v1/memory/ingest', '/v1/memory/consolidation/complete'];
  // What is counted, and how deep a body can be nested, is tested in test/unit/json-shape.test.ts.
  const refused: [path: string, fault: RegExp, body: () => string][] = [
    [INGEST, /more than 10000 arrays and objects/, () => fill(`${IN_METADATA}[`, '[],', '1]}}')],
    [INGEST, /2200000 values/, () => fill(`${IN_METADATA}[`, '1,', `${'1,'.repeat(800_000)}1]}}`)],
    [INGEST, /more than 20000 strings/, () => fill(`${IN_METADATA}[`, '"a",', '1]}}')],
    [INGEST, /more than 10000 object members/, () => fill(`${IN_METADATA}{`, '"a":1,', '"a":1}}}')],
    [INGEST, /a key of more than 16383 bytes/, () => `${IN_METADATA}{${keysOf(100, 20_000)}}}}`],
    [INGEST, /nested deeper than 32/, () => '['.repeat(3 * MIB)],
    [
      INGEST,
      /nested deeper than 32/,
      () => `${IN_METADATA}${'{"a":'.repeat(100_000)}1${'}'.repeat(100_002)}`,
    ],
    [INGEST, /not valid JSON/, () => fill('{"title":"', '\\"', '')],
    [COMPLETE, /more than 32000 arrays and objects/, () => complete('[]', 5_400)],
    [COMPLETE, /more than 60000 object members/, () => complete('{"":1,"":2,"":3,"":4}', 700)],
    [COMPLETE, /more than 120000 strings/, () => complete('""', 5_400)],
    [
      '/v1/memory/embeddings/complete',
      /more than 1000 arrays and objects/,
      () => `{"batchId":"x","embeddings":[${'[],'.repeat(1_000)}[]]}`,
    ],
  ];
  for (const [path, fault, body] of refused) {
    it(`returns 400 before the body is parsed: ${fault.source} at ${path}`, async (t) => {
      const { answer, parsed } = await sendAndCount(t, path, body());
      assert.match(answer.json<{ detail: string }>().detail, fault);
      assert.equal(parsed, 0);
    });
  }

  const faulty: [what: string, body: () => string | Buffer, field: string | null][] = [
    ['whitespace', () => `${' '.repeat(3 * MIB)}{}`, '/title'],
    ['a number of 3 MiB', () => fill('{"title":', '1', '}'), '/title'],
    ['garbage', () => fill('', 'x', ''), null],
    ['a byte order mark', () => `\ufeff${fill('{"title":"', 'x', '"}')}`, null],
    ['bytes that are not UTF-8', () => Buffer.alloc(3 * MIB, 0xff), null],
    ['a long text with a NUL at its end', () => fill('{"title":"x","text":"', '字', '\\u0000"}'), '/text'],
    ['metadata of a million numbers', () => fill(`${IN_METADATA}[`, '0.5,', '1]}}'), '/metadata'],
  ];
  for (const [what, body, field] of faulty) {
    it(`returns 400 after parsing the body once at most: ${what}`, async (t) => {
      const { answer, parsed } = await sendAndCount(t, INGEST, body());
      assert.deepEqual(faultyFields(answer), field === null ? [] : [field]);
      assert.ok(parsed <= 1, `${parsed} times`);
    });
  }

  it('the event loop runs between parsing, checking text and validating a large body', async (t) => {
    let turn = 0;
    let next = setImmediate(function count() {
      turn += 1;
      next = setImmediate(count);
    });
    t.after(() => clearImmediate(next));
    const turns: Record<string, number> = {};
    const { parse } = JSON;
    t.mock.method(JSON, 'parse', (text: string) => {
      if (text.length > MIB) turns['parsed'] = turn;
      return parse(text) as unknown;
    });
    const isWellFormed = Reflect.get(String.prototype, 'isWellFormed') as (this: string) => boolean;
    t.mock.method(String.prototype, 'isWellFormed', function (this: string) {
      if (this.length > MIB) turns['searched for what cannot be stored'] = turn;
      return isWellFormed.call(this);
    });
    const test = Reflect.get(RegExp.prototype, 'test') as (this: RegExp, text: string) => boolean;
    t.mock.method(RegExp.prototype, 'test', function (this: RegExp, text: string) {
      if (typeof text === 'string' && text.length > MIB) turns['held against its schema'] = turn;
      return test.call(this, text);
    });
    const answer = await send('/v1/memory/ingest', fill('{"title":"x","text":"', 'abc def ', '","scope":1}'));
    assert.deepEqual(faultyFields(answer), ['/scope']);
    const steps = Object.keys(turns);
    assert.deepEqual(steps, ['parsed', 'searched for what cannot be stored', 'held against its schema']);
    assert.equal(new Set(Object.values(turns)).size, 3, JSON.stringify(turns));
  });
});

describe('connections', { timeout: 60_000 }, () => {
  it('connections above MEMORY_MAX_CONNECTIONS get 503 and are closed, and one warning is logged', async (t) => {
    const config = { ...service.config, maxConnections: 2 };
    const few = await buildTestedApp({ ...service, config });
    t.after(() => few.close());
    const warn = t.mock.method(few.log, 'warn', () => {});
    await few.listen({ host: '127.0.0.1', port: 0 });
    const { port } = new URL(few.listeningOrigin);
    const open = async () => {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    };
    const ask = async (socket: Awaited<ReturnType<typeof open>>, path = '/readyz') => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      return String((await once(socket, 'data'))[0]);
    };
    const kept = [await open(), await open()];
    for (const socket of kept) assert.match(await ask(socket), /^HTTP\/1.1 200 /);
    for (const [path, expected] of [
      ['/readyz', /^HTTP\/1.1 503 .*application\/problem\+json.*"code":"unavailable"/s],
      ['/nowhere', /^HTTP\/1.1 503 /],
      ['/livez', /^HTTP\/1.1 200 /],
    ] as const) {
      const socket = await open();
      const closed = once(socket, 'close');
      assert.match(await ask(socket, path), expected);
      await closed;
    }
    const drops = warn.mock.calls.filter(({ arguments: [, text] }) =>
      /MEMORY_MAX_CONNECTIONS/.test(String(text)),
    );
    assert.equal(drops.length, 1);
    for (const socket of kept) assert.match(await ask(socket), /^HTTP\/1.1 200 /);
    const [first, second] = kept;
    first!.destroy();
    // The service has seen the end of the connection when another one takes its place.
    let next = await open();
    while ((await ask(next)).startsWith('HTTP/1.1 503')) next = await open();
    for (const socket of [second!, next]) socket.destroy();
  });
});
