import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { claimAll, complete, completed, type GivenItem, lend, traces } from '../support/consolidation.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson } from '../support/team.ts';

const service = await openTestApp();

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
