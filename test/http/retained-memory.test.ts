import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { base64Of } from '../support/base64-vector.ts';
import { outcome } from '../support/sign-in.ts';
import { file } from '../support/workspace.ts';
import { sendHead } from './sent-heads.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 1024 * 1024;
const BODY_BYTES = 2 * MIB;
const ROUNDS = 3;
/** Of 6 MiB that are sent. What V8 compiles is counted too. */
const MAX_RETAINED_BYTES = BODY_BYTES;

const service = await openTestApp();
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });

const word = () => randomBytes(8).toString('hex');
const words = (count: number) => Array.from({ length: count }, word).join(' ');
/** The JSON is longer than its values. A value that were a part of its text would keep all of it in memory. */
const padded = (body: object) => JSON.stringify(body).padEnd(BODY_BYTES);
const base64 = () => randomBytes(BODY_BYTES / 2).toString('base64');
const vector = () => base64Of(Array.from({ length: 1024 }, Math.random));
const claim = { embeddingModel: 'Xenova/bge-m3', embeddingDim: 1024 };

/** What is sent, always with new content, and how it is answered. */
const KINDS: { name: string; url: string; body: () => string; expected: string }[] = [
  {
    name: 'ingests of texts',
    url: '/v1/memory/ingest',
    // Two bytes for each character, because of the €.
    body: () =>
      padded({ title: `€ ${word()}`, text: words(100), externalId: word(), uri: word(), tags: [word()] }),
    expected: '201',
  },
  {
    name: 'ingests of chunks with vectors',
    url: '/v1/memory/ingest',
    body: () =>
      padded({
        title: word(),
        ...claim,
        chunks: [{ text: words(20), embedding: vector() }, { text: word() }],
      }),
    expected: '201',
  },
  {
    name: 'imports of files',
    url: '/v1/memory/imports',
    body: () => JSON.stringify({ items: [{ filename: `${word()}.pdf`, contentBase64: base64() }] }),
    expected: '202',
  },
  {
    name: 'pushes of files',
    url: '/v1/workspace/push',
    body: () => JSON.stringify({ files: [file(`team/${word()}.bin`, randomBytes(BODY_BYTES / 2))] }),
    expected: '200',
  },
  {
    name: 'bodies that are not JSON',
    url: '/v1/memory/ingest',
    body: () => padded({ title: word() }).replace('}', ' '),
    expected: '400 invalid_request',
  },
  {
    name: 'bodies with an unknown field',
    url: '/v1/memory/ingest',
    body: () => JSON.stringify({ title: word(), text: word(), [word()]: base64() }),
    expected: '400 invalid_request',
  },
];

async function send({ headers }: SignedIn, url: string, body: string): Promise<string> {
  const { request, answer } = sendHead(base, url, headers, Buffer.byteLength(body));
  request.end(body);
  const answered = await answer;
  return answered.statusCode < 300 ? String(answered.statusCode) : outcome(answered);
}

/** Bytes that are still referenced: objects, texts and buffers. */
async function referencedBytes(): Promise<number> {
  // First the connections of the last requests end, and then what V8 frees in a later turn.
  for (let round = 0; round < 3; round += 1) {
    await pause(30);
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** By how much the referenced bytes grow when something is done again and again, after it was done once. */
async function growthBy(step: () => Promise<void>): Promise<number> {
  await step();
  const earlier = await referencedBytes();
  for (let round = 0; round < ROUNDS; round += 1) await step();
  return (await referencedBytes()) - earlier;
}

function assertNotRetained(bytes: number): void {
  assert.ok(bytes < MAX_RETAINED_BYTES, `${(bytes / MIB).toFixed(1)} MiB are still referenced`);
}

describe('memory after large bodies', { timeout: 300_000 }, () => {
  let company: SignedIn;

  before(async () => {
    company = await service.company();
  });

  for (const { name, url, body, expected } of KINDS) {
    it(`nothing refers to the bodies of ${name} after their answers`, async () => {
      const step = async () => assert.equal(await send(company, url, body()), expected);
      assertNotRetained(await growthBy(step));
    });
  }

  it('nothing refers to uploads that were aborted', async () => {
    const step = async () => {
      const { request } = sendHead(base, '/v1/memory/ingest', company.headers, BODY_BYTES);
      request.write(padded({ title: word() }).slice(0, BODY_BYTES - 1));
      while (service.app.bodyBudget.bytes === 0) await pause(2);
      request.destroy();
      while (service.app.bodyBudget.bytes > 0) await pause(2);
    };
    assertNotRetained(await growthBy(step));
  });
});
