import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import {
  claimAll,
  complete,
  completed,
  foundByWords,
  type GivenItem,
  lend,
  traces,
} from '../support/consolidation.ts';
import { outcome } from '../support/sign-in.ts';
import {
  addClient,
  addPerson,
  addTeam,
  archiveTeam,
  faultyFields,
  inTeam,
  type Person,
  withoutRequestId,
} from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const TEXT = { title: 'Ocelots', content: 'The ocelot sleeps by day.' };
const publish = (captureIds: string[], more: GivenItem = {}): GivenItem => ({
  captureIds,
  action: 'publish',
  ...TEXT,
  ...more,
});

interface Place {
  company: SignedIn;
  /** Two clients that the member can write. */
  one: string;
  two: string;
  member: Person;
}

async function place(): Promise<Place> {
  const company = await service.company();
  const [one, two] = [await addClient(service, company), await addClient(service, company)];
  const clients = { [one]: 'write', [two]: 'write' } as const;
  return { company, one, two, member: await addPerson(service, company, { teamRole: 'member', clients }) };
}

const grantTo = ({ userId }: Person, clientId: string, access: 'read' | 'write') =>
  database.query('update identity.client_grant set access = $3 where user_id = $1 and client_id = $2', [
    userId,
    clientId,
    access,
  ]);
const giveRole = ({ userId }: Person, role: 'admin' | 'member') =>
  database.query('update identity.team_member set role = $2 where user_id = $1', [userId, role]);

/** The layers of the memories of the Team, oldest first. */
async function layers(company: SignedIn): Promise<(string | null)[]> {
  const memories = await company.all.listMemories();
  return memories.map(({ clientId }) => clientId).toReversed();
}

describe('an item without a scope', () => {
  test('an item without a scope belongs to the layer of its captures', async () => {
    const { company, one, member } = await place();
    const { batchId, captureIds } = await lend(member, [one, null]);
    const [ofOne = '', ofTeam = ''] = captureIds;
    await completed(member, batchId, [publish([ofTeam]), publish([ofOne], { action: 'review' })]);
    assert.deepEqual(await layers(company), [null, one]);
    const outsider = await addPerson(service, company, { teamRole: 'member' });
    assert.equal((await foundByWords(outsider, 'ocelot')).length, 1);
  });

  test('returns 400 for an item without a scope if its captures are in several layers, except a discard', async () => {
    const { company, one, two } = await place();
    const { batchId, captureIds } = await lend(company, [one, two, null]);
    for (const action of ['publish', 'review'] as const) {
      const answer = await complete(company, batchId, [publish(captureIds, { action })]);
      assert.equal(outcome(answer), '400 invalid_request');
      assert.deepEqual(faultyFields(answer), ['/items/0/scope']);
    }
    await completed(company, batchId, [{ captureIds, action: 'discard' }]);
    assert.deepEqual((await traces(service, company)).captures, { completed: 3 });
  });
});

describe('an item of a caller with Full access', () => {
  test('an item of a caller with Full access belongs to the scope that it names', async () => {
    const { company, one, two } = await place();
    const { batchId, captureIds } = await lend(company, [one]);
    await completed(company, batchId, [
      publish(captureIds, { scope: { clientId: two.toUpperCase() } }),
      publish(captureIds, { scope: { clientId: two } }),
      publish(captureIds, { scope: {}, action: 'review' }),
      publish(captureIds, { scope: { clientId: one } }),
    ]);
    assert.deepEqual(await layers(company), [two, two, null, one]);
  });

  test('an item of a caller with Full access can use captures of several layers and of any author', async () => {
    const { company, one, two, member } = await place();
    const { batchId, captureIds } = await lend(member, [one, two, null], company);
    await completed(company, batchId, [publish(captureIds, { scope: { clientId: one } })]);
    assert.deepEqual(await layers(company), [one]);
    const stranger = await addPerson(service, company, { teamRole: 'member', clients: { [two]: 'write' } });
    assert.deepEqual(await foundByWords(stranger, 'ocelot'), []);
  });

  test('returns the same 403 for a scope with an unknown, archived or foreign client', async () => {
    const { company } = await place();
    const { batchId, captureIds } = await lend(company);
    const elsewhere = { ...company, teamId: await addTeam(service, company) };
    const clients = [
      newId(),
      'nonsense',
      await addClient(service, company, 'archived'),
      await addClient(service, elsewhere),
    ];
    const before = await traces(service, company);
    const bodies = new Set<string>();
    for (const clientId of clients) {
      const answer = await complete(company, batchId, [publish(captureIds, { scope: { clientId } })]);
      assert.equal(outcome(answer), '403 scope_forbidden');
      bodies.add(withoutRequestId(answer.body));
    }
    assert.equal(bodies.size, 1);
    assert.deepEqual(await traces(service, company), before);
  });
});

describe('an item of a member', () => {
  test('an item of a member can name the layer of its captures', async () => {
    const { company, one, member } = await place();
    const { batchId, captureIds } = await lend(member, [one]);
    await completed(member, batchId, [publish(captureIds, { scope: { clientId: one } })]);
    assert.deepEqual(await layers(company), [one]);
  });

  test('returns 403 if the item of a member names another layer or mixes layers', async () => {
    const { company, one, two, member } = await place();
    const { batchId, captureIds } = await lend(member, [one, null]);
    const [ofOne = '', ofTeam = ''] = captureIds;
    const before = await traces(service, company);
    for (const item of [
      publish([ofOne], { scope: { clientId: two } }),
      publish([ofOne], { scope: {} }),
      publish([ofTeam], { scope: { clientId: one } }),
      publish(captureIds, { scope: { clientId: one } }),
      publish(captureIds, { scope: {} }),
      publish(captureIds),
      publish(captureIds, { action: 'review' }),
      { captureIds, action: 'discard' } as GivenItem,
    ]) {
      const answer = await complete(member, batchId, [publish([ofTeam]), item]);
      assert.equal(outcome(answer), '403 scope_forbidden', JSON.stringify(item));
    }
    assert.deepEqual(await traces(service, company), before);
  });
});

describe('a complete after the caller lost access', () => {
  test('returns 403 for captures of the lost client and completes the others', async () => {
    const { company, one, two, member } = await place();
    const { batchId, captureIds } = await lend(member, [one, two]);
    const [ofOne = '', ofTwo = ''] = captureIds;
    const before = await traces(service, company);
    await grantTo(member, one, 'read');
    for (const item of [publish([ofOne]), { captureIds: [ofOne], action: 'discard' } as GivenItem]) {
      const answer = await complete(member, batchId, [publish([ofTwo]), item]);
      assert.equal(outcome(answer), '403 scope_forbidden');
    }
    assert.deepEqual(await traces(service, company), before);
    await completed(member, batchId, [publish([ofTwo])]);
    assert.deepEqual(await layers(company), [two]);
  });

  test('captures of the lost client without an item are staged again', async () => {
    const { company, one, two, member } = await place();
    const { batchId, captureIds } = await lend(member, [one, two]);
    await grantTo(member, one, 'read');
    await completed(member, batchId, [publish(captureIds.slice(1))]);
    assert.deepEqual((await traces(service, company)).captures, { completed: 1, staged: 1 });
  });

  test('completes only the caller’s own captures after Full access was lost', async () => {
    const { company, member: author } = await place();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    await stageCapture(author);
    const { batchId, captureIds } = await lend(admin);
    const [theirs = '', own = ''] = captureIds;
    await giveRole(admin, 'member');
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

  test('returns 403 team_forbidden if the caller is no longer a member', async () => {
    const { company, member } = await place();
    const { batchId, captureIds } = await lend(member);
    await database.query('delete from identity.team_member where user_id = $1', [member.userId]);
    assert.equal(outcome(await complete(member, batchId, [publish(captureIds)])), '403 team_forbidden');
    assert.deepEqual(await layers(company), []);
  });

  test('returns 409 while the Team is archived', async () => {
    const { company, member } = await place();
    const { batchId, captureIds } = await lend(member);
    const ask = () => complete(member, batchId, [publish(captureIds)]);
    await archiveTeam(service, company.teamId);
    assert.equal(outcome(await ask()), '409 team_archived');
    assert.equal(outcome(await complete(member, newId(), [])), '404 not_found');
    assert.deepEqual(await layers(company), []);
    await database.query(`update identity.team set state = 'active' where id = $1`, [company.teamId]);
    assert.equal((await ask()).statusCode, 200);
    await archiveTeam(service, company.teamId);
    assert.equal(outcome(await ask()), '409 team_archived');
  });
});

describe('the batch of a complete', () => {
  test('returns the same 404 for a batch with a foreign, unknown or malformed id', async () => {
    const { company, member } = await place();
    const { batchId, captureIds } = await lend(member);
    const elsewhere = inTeam(company, await addTeam(service, company));
    const items = [publish(captureIds)];
    const answers = [
      await complete(company, batchId, items),
      await complete(elsewhere, batchId, items),
      await complete(await service.company(), batchId, items),
      await complete(company, newId(), items),
      await complete(company, 'nonsense', items),
      await complete(company, '', []),
    ];
    for (const answer of answers) assert.equal(outcome(answer), '404 not_found');
    assert.equal(new Set(answers.map(({ body }) => withoutRequestId(body))).size, 1);
    await completed(member, batchId.toUpperCase(), items);
    // A completed batch is not found by others either.
    assert.equal(outcome(await complete(company, batchId, items)), '404 not_found');
  });
});

describe('the order of refusals of a complete', () => {
  test('returns 400 for any item before 403 for a scope, and 403 before 404 for a batch', async () => {
    const { member } = await place();
    const { batchId, captureIds } = await lend(member);
    const unreachable = publish(captureIds, { scope: { clientId: newId() } });
    const misshapen = publish(captureIds, { title: undefined });
    const answer = await complete(member, batchId, [unreachable, misshapen]);
    assert.equal(outcome(answer), '400 invalid_request');
    assert.deepEqual(faultyFields(answer), ['/items/1/title']);
    assert.equal(outcome(await complete(member, newId(), [unreachable])), '403 scope_forbidden');
  });
});
