import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { expireBatch, stageCapture } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import {
  claimAll,
  complete,
  completed,
  foundByMeaning,
  foundByWords,
  type GivenItem,
  keep,
  type Lent,
  lend,
  release,
  traces,
} from '../support/consolidation.ts';
import { decided } from '../support/memories.ts';
import { duringPause, openPausedApp } from '../support/paused-app.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, along, CLAIM, faultyFields } from '../support/team.ts';

const service = await openTestApp();

const OCELOT = { title: 'Ocelots', content: 'The ocelot sleeps by day.' };

test('a complete names the first invalid field, changes nothing and keeps the batch open', async () => {
  const company = await service.company();
  const { batchId, captureIds } = await lend(company, [null, null]);
  await stageCapture(company);
  const [foreign] = (await claimAll(company)).captureIds;
  const before = await traces(service, company);
  const good: GivenItem = { captureIds, action: 'publish', ...OCELOT };
  const faults: [path: string, item: GivenItem][] = [
    ['/items/1/title', { ...good, title: undefined }],
    ['/items/1/content', { ...good, content: undefined }],
    ['/items/1/title', { ...good, action: 'review', title: undefined }],
    ['/items/1/content', { ...good, action: 'review', content: undefined }],
    ['/items/1/metadata', { ...good, metadata: { long: 'x'.repeat(16 * 1024) } }],
    ['/items/1/captureIds', { ...good, captureIds: [...captureIds, foreign!] }],
    ['/items/1/captureIds', { ...good, captureIds: [...captureIds, newId()] }],
    ['/items/1/captureIds', { ...good, captureIds: ['nonsense'] }],
    ['/items/1/captureIds', { captureIds: [foreign!], action: 'discard' }],
  ];
  for (const [path, item] of faults) {
    assertInvalid(await complete(company, batchId, [good, item]), path);
  }
  assert.deepEqual(await traces(service, company), before);
  await completed(company, batchId, [good]);
});

test('a complete enqueues a new count of the terms of the Team only if an item is published', async () => {
  const company = await service.company();
  for (const [action, jobs] of [
    ['review', 0],
    ['publish', 1],
  ] as const) {
    const { batchId, captureIds } = await lend(company);
    await completed(company, batchId, [
      { captureIds, action, ...OCELOT },
      { captureIds, action: 'discard' },
    ]);
    assert.equal((await traces(service, company)).jobs, jobs);
  }
});

const TEXT = { title: 'Ocelots', content: 'The ocelot sleeps by day.' };

const publish = (captureIds: string[], more: GivenItem = {}): GivenItem => ({
  captureIds,
  action: 'publish',
  ...TEXT,
  ...more,
});

/** A Team with two clients, and a member who can write both. */
async function place() {
  const company = await service.company();
  const [one, two] = [await addClient(service, company), await addClient(service, company)];
  const clients = { [one]: 'write', [two]: 'write' } as const;
  return { company, one, two, member: await addPerson(service, company, { teamRole: 'member', clients }) };
}

test('a complete returns 403 for captures of a lost client and completes the others', async () => {
  const { company, one, two, member } = await place();
  const { batchId, captureIds } = await lend(member, [one, two]);
  const [ofOne = '', ofTwo = ''] = captureIds;
  await company.api.giveClientGrant(member.userId, one, { access: 'read' });
  const before = await traces(service, company);
  for (const item of [publish([ofOne]), { captureIds: [ofOne], action: 'discard' } as GivenItem]) {
    const answer = await complete(member, batchId, [publish([ofTwo]), item]);
    assert.equal(outcome(answer), '403 scope_forbidden');
  }
  assert.deepEqual(await traces(service, company), before);
  await completed(member, batchId, [publish([ofTwo])]);
  assert.deepEqual((await traces(service, company)).captures, { completed: 1, staged: 1 });
});

test('a complete takes only the caller’s own captures after Full access was lost', async () => {
  const { company, member: author } = await place();
  const admin = await addPerson(service, company, { teamRole: 'admin' });
  await stageCapture(author);
  const { batchId, captureIds } = await lend(admin);
  const [theirs = '', own = ''] = captureIds;
  await company.api.changeTeamRole(admin.userId, { role: 'member' });
  const before = await traces(service, company);
  for (const items of [
    [publish([theirs])],
    [publish([own]), publish([own, theirs], { action: 'review' })],
    [publish([own]), { captureIds: [theirs], action: 'discard' }],
  ] satisfies GivenItem[][]) {
    const answer = await complete(admin, batchId, items);
    assert.equal(outcome(answer), '403 scope_forbidden');
  }
  assert.deepEqual(await traces(service, company), before);
  await completed(admin, batchId, [publish([own])]);
  assert.deepEqual((await claimAll(author)).captureIds, [theirs]);
});

test('a complete returns 400 for any item before 403 for a scope, and 403 before 404 for a batch', async () => {
  const { company, one, member } = await place();
  const { batchId, captureIds } = await lend(member);
  const unreachable = publish(captureIds, { scope: { clientId: newId() } });
  const misshapen = publish(captureIds, { title: undefined });
  assertInvalid(await complete(member, batchId, [unreachable, misshapen]), '/items/1/title');
  assert.equal(outcome(await complete(member, newId(), [unreachable])), '403 scope_forbidden');
  const mixed = await lend(company, [one, null]);
  assertInvalid(await complete(company, mixed.batchId, [publish(mixed.captureIds)]), '/items/0/scope');
});

const OLD = 'The ocelot sleeps by day.';

const NEW = 'The gibbon swings by night.';

/** An item that takes the place of a memory. */
const successor = (captureIds: string[], supersedes: string, more: GivenItem = {}): GivenItem => ({
  captureIds,
  action: 'publish',
  title: 'Successor',
  content: NEW,
  supersedes,
  ...more,
});

test('a complete returns 400 if two items supersede one memory and accepts two items with two memories', async () => {
  const company = await service.company();
  const [one, two] = [await keep(company, { content: OLD }), await keep(company, { content: OLD })];
  const { batchId, captureIds } = await lend(company);
  const before = await traces(service, company);
  const same = [successor(captureIds, one.memoryId), successor(captureIds, one.memoryId.toUpperCase())];
  const answer = await complete(company, batchId, same);
  assertInvalid(answer, '/items/1/supersedes');
  assert.deepEqual(await traces(service, company), before);
  await completed(company, batchId, [
    successor(captureIds, two.memoryId),
    successor(captureIds, one.memoryId, { content: 'The puma climbs.' }),
  ]);
  assert.deepEqual((await foundByWords(company, 'ocelot gibbon puma')).sort(), [NEW, 'The puma climbs.']);
});

test('five completes that supersede the same memory at the same time succeed once', async () => {
  const company = await service.company();
  const old = await keep(company, { content: OLD });
  const lents = [];
  for (let n = 0; n < 5; n++) lents.push(await lend(company));
  const answers = await Promise.all(
    lents.map(({ batchId, captureIds }) => complete(company, batchId, [successor(captureIds, old.memoryId)])),
  );
  const refused = Array.from({ length: 4 }, () => '409 conflict');
  assert.deepEqual(answers.map(outcome).sort(), ['200', ...refused]);
  assert.deepEqual(await foundByWords(company, 'ocelot gibbon'), [NEW]);
});

test('two completes that supersede the same memories in opposite order do not deadlock', async () => {
  const company = await service.company();
  const old = [await keep(company, { content: OLD }), await keep(company, { content: OLD })].map(
    ({ memoryId }) => memoryId,
  );
  const lents = [await lend(company), await lend(company)];
  const answers = await Promise.all(
    lents.map(({ batchId, captureIds }, n) =>
      complete(
        company,
        batchId,
        (n === 0 ? old : old.toReversed()).map((id) => successor(captureIds, id)),
      ),
    ),
  );
  assert.deepEqual(answers.map(outcome).sort(), ['200', '409 conflict']);
});

const { database } = service;

const CONTENT = 'The ocelot sleeps by day.';

const EMBEDDED = { embedding: along(5, 9), ...CLAIM };

/** How many chunks of the Team have a vector, and how many wait for one. */
async function vectors({ teamId }: SignedIn): Promise<{ embedded: number; pending: number }> {
  const [counts] = await database.query<{ embedded: number; pending: number }>(
    `select (select count(*)::int from memory.chunk_embedding where team_id = $1) as embedded,
            (select count(*)::int from memory.embedding_pending where team_id = $1) as pending`,
    [teamId],
  );
  assert.ok(counts);
  return counts;
}

test('a complete returns 400 for an invalid embedding of an item, whatever becomes of it, and stores nothing', async () => {
  const company = await service.company();
  const { batchId, captureIds } = await lend(company);
  const before = await traces(service, company);
  const good: GivenItem = { captureIds, action: 'publish', title: 'x', content: CONTENT };
  const faults: [code: string, faulty: GivenItem][] = [
    ['invalid_request', { embeddingModel: undefined }],
    ['embedding_model_mismatch', { embeddingModel: 'another' }],
    ['embedding_dimension_mismatch', { embedding: [1, 2, 3] }],
    ['invalid_request', { embedding: along(0, 0) }],
  ];
  for (const [code, faulty] of faults) {
    for (const action of ['publish', 'review', 'discard'] as const) {
      const answer = await complete(company, batchId, [good, { ...good, ...EMBEDDED, ...faulty, action }]);
      assert.equal(outcome(answer), `400 ${code}`, answer.body);
      const path = code === 'invalid_request' ? [`/items/1/${Object.keys(faulty)[0]}`] : [];
      assert.deepEqual(faultyFields(answer), path);
    }
  }
  assert.deepEqual(await traces(service, company), before);
});

describe('the embedding of a memory in review', () => {
  const review = async (company: SignedIn, content: string) =>
    (await keep(company, { action: 'review', content, ...EMBEDDED })).memoryId;

  test('the embedding is not stored if the text is edited, and the new chunk becomes pending', async () => {
    const company = await service.company();
    const memoryId = await review(company, CONTENT);
    await decided(company, { action: 'publish', memoryId, content: 'The gibbon swings.' });
    assert.deepEqual(await vectors(company), { embedded: 0, pending: 1 });
    assert.deepEqual(await foundByMeaning(company, along(5)), []);
    assert.deepEqual(await foundByWords(company, 'gibbon'), ['The gibbon swings.']);
  });

  test('the embedding is not stored if the model of the service has changed', async () => {
    const company = await service.company();
    const memoryId = await review(company, CONTENT);
    await database.query(`update memory.memory_item set embedding_model = 'the one before' where id = $1`, [
      memoryId,
    ]);
    await decided(company, { action: 'publish', memoryId });
    assert.deepEqual(await vectors(company), { embedded: 0, pending: 1 });
  });
});

describe('a complete with several items', () => {
  test('stores the embedding of each item with its own memory', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    await completed(
      company,
      batchId,
      [1, 2, 3].map((n) => ({
        captureIds,
        action: 'publish' as const,
        title: `Title ${n}`,
        content: `Content ${n}`,
        ...CLAIM,
        embedding: along(n),
      })),
    );
    for (const n of [1, 2, 3]) {
      assert.equal((await foundByMeaning(company, along(n)))[0], `Content ${n}`);
    }
  });
});

/** The first transaction resolves the caller, the second completes the batch. */
const BEFORE_COMPLETE = { transaction: 2 };

const items = ({ captureIds }: Lent, content = 'The ocelot sleeps by day.'): GivenItem[] => [
  { captureIds, action: 'publish', title: 'Ocelots', content },
];

describe('a batch whose lease expired', () => {
  test('returns 409 if another caller claims the captures while the complete waits', async (t) => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const lent = await lend(company);
    let theirs: Lent | undefined;
    const answer = await duringPause(
      await openPausedApp(t, service, BEFORE_COMPLETE),
      (held) => complete(via(held, company), lent.batchId, items(lent)),
      async () => {
        await expireBatch(service, lent.batchId);
        theirs = await claimAll(other);
      },
    );
    assert.equal(outcome(answer), '409 batch_expired');
    assert.ok(theirs);
    assert.deepEqual((await traces(service, company)).captures, { claimed: 1 });
    await completed(other, theirs.batchId, items(theirs));
    assert.equal((await traces(service, company)).memories, 1);
  });

  test('two callers never complete the same capture, even if the batch itself is not expired', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const lent = await lend(company);
    // The lease of the captures expires, but the batch still has its own.
    await database.query(`update memory.capture set leased_until = now() where batch_id = $1`, [
      lent.batchId,
    ]);
    const theirs = await claimAll(other);
    assert.deepEqual(theirs.captureIds, lent.captureIds);
    const before = await traces(service, company);
    const answer = await complete(company, lent.batchId, items(lent));
    assert.ok([403, 409].includes(answer.statusCode), answer.body);
    assert.equal(outcome(await release(company, lent.batchId)), '409 batch_expired');
    assert.deepEqual(await traces(service, company), before);
    await completed(company, lent.batchId, []);
    assert.deepEqual((await traces(service, company)).captures, { claimed: 1 });
    await completed(other, theirs.batchId, items(theirs));
    assert.equal((await traces(service, company)).memories, 1);
  });
});
