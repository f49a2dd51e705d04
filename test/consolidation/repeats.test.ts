import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { expireBatch } from '../support/captures.ts';
import {
  complete,
  completed,
  type GivenItem,
  keep,
  type Lent,
  lend,
  traces,
} from '../support/consolidation.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, along, CLAIM } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const TEXT = { title: 'Ocelots', content: 'The ocelot sleeps by day, and hunts by night.' };

/** One item of each kind. */
function itemsOf({ captureIds }: Pick<Lent, 'captureIds'>): GivenItem[] {
  return [
    { captureIds, action: 'publish', ...TEXT, metadata: { a: 1, b: { c: [2], d: 3 } } },
    {
      captureIds,
      action: 'review',
      title: 'b',
      content: 'The gibbon swings.',
      embedding: along(3),
      ...CLAIM,
    },
    { captureIds, action: 'discard' },
  ];
}

/** The same JSON with the fields of every object in reverse order. */
function turned(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(turned);
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, part]) => [name, turned(part)]),
  );
}

describe('a repeated complete', () => {
  test('a repeated complete returns the same response: with any key, after the lease, with reordered fields', async () => {
    const company = await service.company();
    const { batchId, ...lent } = await lend(company, [null, null]);
    const body = { batchId, items: itemsOf(lent) };
    const key = { 'idempotency-key': 'a key' };
    const first = await company.ask.completeCaptures(body, key);
    assert.equal(first.statusCode, 200, first.body);
    const before = await traces(service, company);
    await expireBatch(service, batchId);
    for (const [repeated, headers] of [
      [body, key],
      [body, {}],
      [body, { 'idempotency-key': 'another' }],
      [{ ...body, batchId: batchId.toUpperCase() }, {}],
      [turned(body), {}],
    ] as const) {
      const again = await company.ask.completeCaptures(repeated, headers);
      assert.deepEqual([again.statusCode, again.body], [200, first.body]);
    }
    assert.deepEqual(await traces(service, company), before);
  });

  test('twenty equal completes at the same time take effect once', async () => {
    const company = await service.company();
    const lent = await lend(company);
    const send = () => complete(company, lent.batchId, itemsOf(lent));
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    for (const { statusCode, body } of answers) assert.equal(statusCode, 200, body);
    assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
    const { memories, sources, captures } = await traces(service, company);
    assert.deepEqual([memories, sources, captures], [2, 1, { completed: 1 }]);
    const events = await database.query(
      `select from memory.audit_event where team_id = $1 and kind in ('memory.publish', 'memory.review', 'memory.discard')`,
      [company.teamId],
    );
    assert.equal(events.length, 3);
  });
});

describe('a different complete of a completed batch', () => {
  test('returns 409 for a different complete of a completed batch and changes nothing', async () => {
    const company = await service.company();
    const lent = await lend(company, [null, null]);
    const items = itemsOf(lent);
    const [published, review, discarded] = items as [GivenItem, GivenItem, GivenItem];
    const first = await completed(company, lent.batchId, items);
    const before = await traces(service, company);
    for (const other of [
      [],
      [published, review],
      [review, published, discarded],
      [{ ...published, title: 'Other' }, review, discarded],
      [{ ...published, metadata: { a: 1, b: { c: [2], d: 4 } } }, review, discarded],
      [{ ...published, action: 'review' as const }, review, discarded],
      [{ ...published, captureIds: lent.captureIds.slice(1) }, review, discarded],
      [published, { ...review, embedding: along(4) }, discarded],
      [...items, discarded],
    ]) {
      const answer = await complete(company, lent.batchId, other);
      assert.equal(outcome(answer), '409 conflict', JSON.stringify(other).slice(0, 200));
    }
    assert.deepEqual(await traces(service, company), before);
    assert.deepEqual(await completed(company, lent.batchId, items), first);
  });

  test('one of two different completes takes effect and the other returns 409', async () => {
    const company = await service.company();
    const lent = await lend(company);
    const variants = Array.from({ length: 8 }, (_, n) => [{ ...itemsOf(lent)[0], title: `Title ${n % 2}` }]);
    const answers = await Promise.all(variants.map((items) => complete(company, lent.batchId, items)));
    const outcomes = answers.map(outcome).sort();
    assert.deepEqual(outcomes, [
      ...Array.from({ length: 4 }, () => '200'),
      ...Array.from({ length: 4 }, () => '409 conflict'),
    ]);
    assert.equal((await traces(service, company)).memories, 1);
  });
});

const KEY = { 'idempotency-key': 'the first' };

/** A complete whose results name another memory of a client, by a person with that access. */
async function completedInClient(role: 'member' | 'admin') {
  const company = await service.company();
  const clientId = await addClient(service, company);
  await keep(company, { ...TEXT, scope: { clientId } });
  const person = await addPerson(service, company, {
    teamRole: role,
    clients: role === 'member' ? { [clientId]: 'write' } : {},
  });
  const author = role === 'member' ? person : company;
  const lent = await lend(author, [clientId], person);
  const items: GivenItem[] = [{ captureIds: lent.captureIds, action: 'publish', ...TEXT }];
  const again = (headers: Record<string, string> = KEY) => complete(person, lent.batchId, items, headers);
  const first = await again();
  const [result] = first.json().results;
  assert.equal(result?.similar[0]?.excerpt, TEXT.content, 'the results hold an excerpt');
  assert.equal((await again()).body, first.body);
  return { company, clientId, person, again };
}

type Repeatable = Awaited<ReturnType<typeof completedInClient>>;

for (const [what, role, refusal, take] of [
  [
    'the grant was reduced to read',
    'member',
    '403 scope_forbidden',
    ({ company, person, clientId }: Repeatable) =>
      company.api.giveClientGrant(person.userId, clientId, { access: 'read' }),
  ],
  [
    'the client was archived',
    'member',
    '403 scope_forbidden',
    ({ company, clientId }: Repeatable) => company.api.archiveClient(clientId),
  ],
  [
    'the member was removed',
    'member',
    '403 team_forbidden',
    ({ company, person }: Repeatable) => company.api.removeTeamMember(person.userId),
  ],
  [
    'Full access was lost',
    'admin',
    '403 scope_forbidden',
    ({ company, person }: Repeatable) => company.api.changeTeamRole(person.userId, { role: 'member' }),
  ],
] as const) {
  test(`a repeated complete returns ${refusal} if ${what}`, async () => {
    const place = await completedInClient(role);
    await take(place);
    for (const headers of [KEY, {}, { 'idempotency-key': 'a new one' }]) {
      assert.equal(outcome(await place.again(headers)), refusal);
    }
  });
}
