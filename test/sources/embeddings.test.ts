import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { base64Of } from '../support/base64-vector.ts';
import { column } from '../support/columns.ts';
import { foundByMeaning } from '../support/consolidation.ts';
import { bodyOf } from '../support/embedding-service.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addPerson, along, type Caller, CLAIM, readStatus } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

type Batch = NonNullable<Awaited<ReturnType<SignedIn['api']['claimEmbeddings']>>['batch']>;

async function store(company: SignedIn, texts: readonly string[], clientId?: string): Promise<void> {
  await addSource(company, { title: 'x', chunks: texts.map((text) => ({ text })), scope: { clientId } });
}

const numbered = (length: number) => Array.from({ length }, (_, n) => `chunk ${n} ${newId()}`);

/** Claims chunks, and shows of each only its own text: that to embed begins with title and headings. */
async function claim(caller: Caller, limit?: number): Promise<Batch | null> {
  const { batch } = await caller.api.claimEmbeddings({ limit });
  return batch && { ...batch, chunks: batch.chunks.map((chunk) => ({ ...chunk, text: bodyOf(chunk.text) })) };
}

/** Claims where there is something to be claimed. */
async function claimSome(caller: Caller, limit?: number): Promise<Batch> {
  const batch = await claim(caller, limit);
  assert.ok(batch);
  return batch;
}

const complete = (caller: Caller, body: object) => caller.ask.completeEmbeddings({ ...CLAIM, ...body });

/** An embedding for each chunk of a batch, each along an axis of its own. */
const embeddingsOf = (batch: Batch, firstAxis = 0) =>
  batch.chunks.map(({ chunkId }, index) => ({ chunkId, embedding: along(firstAxis + index) }));

/** Makes the lease of a batch run out. */
async function expire(batch: Batch): Promise<void> {
  await database.query(`update memory.embedding_batch set expires_at = now() where id = $1`, [batch.id]);
  await database.query(`update memory.embedding_pending set leased_until = now() where batch_id = $1`, [
    batch.id,
  ]);
}

const chunkFigures = async (caller: Caller) => (await readStatus(caller)).chunks;

describe('POST /v1/memory/embeddings/claim', () => {
  test('returns chunks without an embedding, newest first, up to the limit', async () => {
    const company = await service.company();
    assert.equal(await claim(company), null);
    const texts = numbered(5);
    await store(company, texts);
    const batch = await claimSome(company, 3);
    assert.deepEqual(Object.keys(batch), ['id', 'expiresAt', 'chunks']);
    assert.deepEqual(column(batch.chunks, 'text'), texts.toReversed().slice(0, 3));
    assert.match(batch.expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Date.parse(batch.expiresAt) > Date.now());
    assert.equal((await claimSome(company)).chunks.length, 2);
    assert.equal(await claim(company), null);
  });

  test('returns each chunk to only one of many concurrent claims', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    await store(company, numbered(40));
    const batches = await Promise.all(
      Array.from({ length: 12 }, (_, n) => claim(n % 2 === 0 ? company : other, 4)),
    );
    const lent = batches.flatMap((batch) => batch?.chunks.map((chunk) => chunk.chunkId) ?? []);
    assert.equal(new Set(lent).size, lent.length);
    // Claimers may pass each other by, but then the rest is still there for the next.
    for (let batch = await claim(company); batch !== null; batch = await claim(company)) {
      lent.push(...batch.chunks.map((chunk) => chunk.chunkId));
    }
    assert.equal(new Set(lent).size, 40);
    assert.equal(lent.length, 40);
  });

  test('returns only chunks that the caller can write', async () => {
    const company = await service.company();
    const [mine, other] = [await addClient(service, company), await addClient(service, company)];
    await store(company, ['of the team']);
    await store(company, ['of mine'], mine);
    await store(company, ['of other'], other);
    const clients = { [mine]: 'write', [other]: 'read' } as const;
    const member = await addPerson(service, company, { teamRole: 'member', clients });
    assert.deepEqual(column((await claimSome(member)).chunks, 'text'), ['of mine', 'of the team']);
    assert.deepEqual(column((await claimSome(company)).chunks, 'text'), ['of other']);
  });

  test('returns texts that begin with the title of the source and the headings above the chunk', async () => {
    const company = await service.company();
    const text = '# Pumps\n\n## Hall 3\n\nThe seal leaks.';
    await company.ask.ingestSource({ title: 'Rounds', text });
    const { batch } = await company.api.claimEmbeddings({});
    assert.deepEqual(column(batch?.chunks ?? [], 'text'), [
      'Rounds > Pumps > Hall 3\n\n# Pumps\n\n## Hall 3\n\nThe seal leaks.',
    ]);
  });

  test('returns chunks again after their lease has expired', async () => {
    const company = await service.company();
    await store(company, numbered(3));
    const first = await claimSome(company);
    assert.equal(await claim(company), null);
    await expire(first);
    const second = await claimSome(company);
    assert.notEqual(second.id, first.id);
    assert.deepEqual(second.chunks, first.chunks);
  });
});

describe('POST /v1/memory/embeddings/complete', () => {
  test('makes chunks searchable by meaning, and counts them as embedded', async () => {
    const company = await service.company();
    await store(company, ['the sun', 'the moon']);
    assert.deepEqual(await chunkFigures(company), { total: 2, embedded: 0, pending: 2 });
    const batch = await claimSome(company);
    const answer = await complete(company, { batchId: batch.id, embeddings: embeddingsOf(batch, 40) });
    assert.deepEqual([answer.statusCode, answer.json()], [200, { embedded: 2 }]);
    assert.deepEqual(await chunkFigures(company), { total: 2, embedded: 2, pending: 0 });
    assert.deepEqual(await foundByMeaning(company, along(41)), [
      batch.chunks[1]?.text,
      batch.chunks[0]?.text,
    ]);
  });

  test('releases the chunks of the batch that got no embedding', async () => {
    const company = await service.company();
    await store(company, numbered(3));
    const batch = await claimSome(company);
    const [first] = embeddingsOf(batch);
    assert.deepEqual((await complete(company, { batchId: batch.id, embeddings: [first] })).json(), {
      embedded: 1,
    });
    assert.deepEqual((await claimSome(company)).chunks, batch.chunks.slice(1));
  });

  test('returns the first answer for the same embeddings again, and 409 for different ones', async () => {
    const company = await service.company();
    await store(company, numbered(3));
    const batch = await claimSome(company);
    const embeddings = embeddingsOf(batch);
    const first = await complete(company, { batchId: batch.id, embeddings });
    await expire(batch);
    const reordered = embeddings.map(({ chunkId, embedding }) => ({
      chunkId: chunkId.toUpperCase(),
      embedding,
    }));
    const encoded = embeddings.map(({ chunkId, embedding }) => ({ chunkId, embedding: base64Of(embedding) }));
    for (const same of [embeddings, reordered.toReversed(), encoded]) {
      const again = await complete(company, { batchId: batch.id.toUpperCase(), embeddings: same });
      assert.deepEqual([again.statusCode, again.body], [200, first.body]);
    }
    for (const other of [[], embeddings.slice(1), embeddingsOf(batch, 9)]) {
      const answer = await complete(company, { batchId: batch.id, embeddings: other });
      assert.equal(outcome(answer), '409 conflict');
    }
    assert.deepEqual(await chunkFigures(company), { total: 3, embedded: 3, pending: 0 });
  });

  test('returns 409 after the lease expired, stores nothing, and lets others claim the chunks', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'member' });
    await store(company, numbered(2));
    const batch = await claimSome(company);
    await expire(batch);
    const late = () => complete(company, { batchId: batch.id, embeddings: embeddingsOf(batch) });
    assert.equal(outcome(await late()), '409 batch_expired');
    const theirs = await claimSome(other);
    assert.equal(outcome(await late()), '409 batch_expired');
    const answer = await complete(other, { batchId: theirs.id, embeddings: embeddingsOf(theirs) });
    assert.deepEqual(answer.json(), { embedded: 2 });
  });

  test('returns 400 and stores nothing if one embedding is invalid', async () => {
    const company = await service.company();
    await store(company, numbered(2));
    const batch = await claimSome(company, 1);
    const [given] = embeddingsOf(batch);
    const [foreign] = embeddingsOf(await claimSome(company, 1));
    const cases: [embeddings: unknown, code: string, claim?: object][] = [
      [[given, foreign], 'invalid_request'],
      [[given, { ...given, chunkId: newId() }], 'invalid_request'],
      [[given, given], 'invalid_request'],
      [[{ ...given, embedding: along(0, 0) }], 'invalid_request'],
      [[{ ...given, embedding: base64Of([1]) }], 'embedding_dimension_mismatch'],
      [[{ ...given, embedding: 'AAA' }], 'invalid_request'],
      [[given], 'embedding_model_mismatch', { embeddingModel: 'another' }],
      [[given], 'embedding_dimension_mismatch', { embeddingDim: 3 }],
    ];
    for (const [embeddings, code, other] of cases) {
      const answer = await complete(company, { batchId: batch.id, embeddings, ...other });
      assert.equal(outcome(answer), `400 ${code}`, answer.body);
    }
    assert.deepEqual(await chunkFigures(company), { total: 2, embedded: 0, pending: 2 });
    const answer = await complete(company, { batchId: batch.id, embeddings: [given] });
    assert.deepEqual(answer.json(), { embedded: 1 });
  });

  test('stores nothing for a replaced text or for a client that the caller can no longer write', async () => {
    const company = await service.company();
    const mine = await addClient(service, company);
    const member = await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'write' } });
    const document = { title: 'x', externalId: 'doc' };
    await company.ask.ingestSource({ ...document, text: 'the first' });
    await store(company, ['of mine'], mine);
    const batch = await claimSome(member);
    assert.equal(batch.chunks.length, 2);
    await company.ask.ingestSource({ ...document, text: 'the second' });
    await database.query(`update identity.client_grant set access = 'read' where user_id = $1`, [
      member.userId,
    ]);
    const answer = await complete(member, { batchId: batch.id, embeddings: embeddingsOf(batch) });
    assert.deepEqual(answer.json(), { embedded: 0 });
    assert.deepEqual(await chunkFigures(company), { total: 2, embedded: 0, pending: 2 });
  });
});
