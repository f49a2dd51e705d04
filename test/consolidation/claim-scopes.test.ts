import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { claimBatch, claimedIds, expireBatch, sendClaim, stageCapture } from '../support/captures.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

/** A Team with two clients, a member who writes both, and another who writes the first. */
async function cast() {
  const company = await service.company();
  const [first, second] = [await addClient(service, company), await addClient(service, company)];
  const member = await addPerson(service, company, {
    teamRole: 'member',
    clients: { [first]: 'write', [second]: 'write' },
  });
  const colleague = await addPerson(service, company, { teamRole: 'member', clients: { [first]: 'write' } });
  const stage = async (caller: Caller, clientId?: string) =>
    (await stageCapture(caller, clientId === undefined ? {} : { scope: { clientId } })).id;
  return { company, first, second, member, colleague, stage };
}

test('a caller with Full access claims any capture of the Team, including those of a removed member', async () => {
  const { company, first, second, member, colleague, stage } = await cast();
  const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
  const staged = [
    await stage(member),
    await stage(colleague, first),
    await stage(member, second),
    await stage(reader),
  ];
  await company.ask.removeTeamMember(member.userId);
  assert.deepEqual(await claimedIds(reader, { limit: 1 }), staged.slice(0, 1));
  const admin = await addPerson(service, company, { teamRole: 'admin' });
  assert.deepEqual(await claimedIds(admin, { limit: 2 }), staged.slice(1, 3));
  assert.deepEqual(await claimedIds(company), staged.slice(3));
});

test('a former Team Admin claims their own captures in layers that they can still write', async () => {
  const { company, first, second, stage } = await cast();
  const admin = await addPerson(service, company, { teamRole: 'admin', clients: { [first]: 'write' } });
  const staged = [await stage(admin, second), await stage(admin, first), await stage(admin)];
  await stage(company, first);
  await company.ask.changeTeamRole(admin.userId, { role: 'member' });
  assert.deepEqual(await claimedIds(admin), staged.slice(1));
});

test('captures of an archived client cannot be claimed, even after their lease expired', async () => {
  const { company, first, member, stage } = await cast();
  const staged = [await stage(member, first), await stage(company, first)];
  const batch = await claimBatch(member);
  assert.ok(batch);
  await expireBatch(service, batch.id);
  const setState = (state: 'active' | 'archived') =>
    state === 'archived' ? company.ask.archiveClient(first) : company.ask.changeClient(first, { state });
  await setState('archived');
  for (const caller of [company, member]) {
    assert.equal(await claimBatch(caller), null);
    assert.equal(outcome(await sendClaim(caller, { clientId: first })), '403 scope_forbidden');
  }
  await setState('active');
  assert.deepEqual(await claimedIds(member), staged.slice(0, 1));
  assert.deepEqual(await claimedIds(company, { clientId: first }), staged.slice(1));
});
