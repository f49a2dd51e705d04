import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConsolidationResult } from '../../shared/schemas/consolidation.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { expireBatch } from '../support/captures.ts';
import {
  claimAll,
  complete,
  completed,
  foundByWords,
  type GivenItem,
  keep,
  type Lent,
  lend,
  traces,
} from '../support/consolidation.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, along, type Caller, CLAIM, type Person } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const TEXT = { title: 'Ocelots', content: 'The ocelot sleeps by day, and hunts by night.' };

/** One item of each kind. */
function itemsOf({ captureIds }: Lent): GivenItem[] {
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
  test('a repeated complete returns the same response, even after the lease or with reordered fields', async () => {
    const company = await service.company();
    const lent = await lend(company, [null, null]);
    const items = itemsOf(lent);
    const first = await complete(company, lent.batchId, items);
    assert.equal(first.statusCode, 200, first.body);
    const before = await traces(service, company);
    await expireBatch(service, lent.batchId);
    const bodies = [
      { batchId: lent.batchId, items },
      { batchId: lent.batchId.toUpperCase(), items },
      turned({ batchId: lent.batchId, items }) as object,
    ];
    for (const body of bodies) {
      const again = await company.ask.completeCaptures(body);
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

  test('a repeated complete returns the same response even if the memory has changed since', async () => {
    const company = await service.company();
    const lent = await lend(company);
    const items = itemsOf(lent);
    const first = await completed(company, lent.batchId, items);
    const memoryId = first[0]!.memoryId!;
    await company.api.decideMemory({
      action: 'delete',
      memoryId,
    });
    assert.deepEqual(await completed(company, lent.batchId, items), first);
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
  });

  test('a repeated complete returns the same response with the same, another or no Idempotency-Key', async () => {
    const company = await service.company();
    const lent = await lend(company);
    const items = itemsOf(lent);
    const key = { 'idempotency-key': 'a key' };
    const refused = await complete(company, lent.batchId, [{ ...items[0], title: undefined }], key);
    assert.equal(outcome(refused), '400 invalid_request');
    const first = await complete(company, lent.batchId, items, key);
    assert.equal(first.statusCode, 200, first.body);
    const before = await traces(service, company);
    for (const headers of [key, {}, { 'idempotency-key': 'another' }]) {
      const again = await complete(company, lent.batchId, items, headers);
      assert.deepEqual([again.statusCode, again.body], [200, first.body]);
    }
    const reused = await complete(company, lent.batchId, items.slice(1), key);
    assert.equal(outcome(reused), '422 idempotency_key_reused');
    assert.deepEqual(await traces(service, company), before);
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

  test('returns 409 for a different complete after one without items', async () => {
    const company = await service.company();
    const lent = await lend(company);
    await completed(company, lent.batchId, []);
    assert.deepEqual(await completed(company, lent.batchId, []), []);
    assert.equal(outcome(await complete(company, lent.batchId, itemsOf(lent))), '409 conflict');
    // The captures that were staged again belong to the next batch.
    const next = await claimAll(company);
    assert.equal(outcome(await complete(company, lent.batchId, itemsOf(lent))), '409 conflict');
    assert.equal((await completed(company, next.batchId, itemsOf(next))).length, 3);
  });
});

interface Repeatable {
  company: SignedIn;
  clientId: string;
  person: Person;
  /** Sends the accepted complete again. */
  again: (headers?: Record<string, string>) => ReturnType<typeof complete>;
}
const KEY = { 'idempotency-key': 'the first' };

/** A complete whose results name another memory of a client, by a person with that access. */
async function completedInClient(role: 'member' | 'admin'): Promise<Repeatable> {
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
  const [result] = first.json<{ results: ConsolidationResult[] }>().results;
  assert.equal(result?.similar[0]?.excerpt, TEXT.content, 'the results hold an excerpt');
  assert.equal((await again()).body, first.body);
  return { company, clientId, person, again };
}

describe('a repeated complete whose caller lost access', () => {
  const taken: [what: string, refusal: string, take: (place: Repeatable) => Promise<unknown>][] = [
    [
      'the grant was reduced to read',
      '403 scope_forbidden',
      ({ person }) =>
        database.query(`update identity.client_grant set access = 'read' where user_id = $1`, [
          person.userId,
        ]),
    ],
    [
      'the grant was revoked',
      '403 scope_forbidden',
      ({ person }) => database.query('delete from identity.client_grant where user_id = $1', [person.userId]),
    ],
    [
      'the client was archived',
      '403 scope_forbidden',
      ({ clientId }) =>
        database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]),
    ],
    [
      'the member was removed',
      '403 team_forbidden',
      ({ person }) => database.query('delete from identity.team_member where user_id = $1', [person.userId]),
    ],
  ];
  for (const [what, refusal, take] of taken) {
    test(`returns ${refusal} for a repeated complete if ${what}`, async () => {
      const place = await completedInClient('member');
      await take(place);
      for (const headers of [KEY, {}, { 'idempotency-key': 'a new one' }]) {
        assert.equal(outcome(await place.again(headers)), refusal);
      }
    });
  }

  test('returns 403 for a repeated complete if Full access was lost', async () => {
    const { person, again } = await completedInClient('admin');
    await database.query(`update identity.team_member set role = 'member' where user_id = $1`, [
      person.userId,
    ]);
    for (const headers of [KEY, {}]) assert.equal(outcome(await again(headers)), '403 scope_forbidden');
  });

  test('returns 404 for the repeated complete of another caller, even of an Owner', async () => {
    const company = await service.company();
    const others: Caller[] = [
      company,
      await addPerson(service, company, { teamRole: 'owner' }),
      await addPerson(service, company, { companyRole: 'owner' }),
    ];
    const lent = await lend(await addPerson(service, company, { teamRole: 'member' }), [null], company);
    await completed(company, lent.batchId, itemsOf(lent));
    for (const other of others.slice(1)) {
      assert.equal(outcome(await complete(other, lent.batchId, itemsOf(lent), KEY)), '404 not_found');
    }
  });
});
