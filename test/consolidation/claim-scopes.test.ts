import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import {
  captureStates,
  claimBatch,
  claimedIds,
  expireBatch,
  sendClaim,
  stageCapture,
} from '../support/captures.ts';
import { recordedBy } from '../support/company.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam, withoutRequestId } from '../support/team.ts';

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
  const setGrant = (clientId: string, access: 'read' | 'write') =>
    company.ask.giveClientGrant(member.userId, clientId, { access });
  const stage = async (caller: Caller, clientId?: string) =>
    (await stageCapture(caller, clientId === undefined ? {} : { scope: { clientId } })).id;
  return { company, first, second, member, colleague, setGrant, stage };
}

describe('a caller with Full access', () => {
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

  test('a caller with Full access claims nothing of another Team', async () => {
    const { company, member, stage } = await cast();
    await stage(member);
    const elsewhere = inTeam(company, await addTeam(service, company));
    assert.equal(await claimBatch(elsewhere), null);
    assert.equal(await claimBatch(await service.company()), null);
  });
});

describe('a member', () => {
  test('a member claims only captures that they staged themselves', async () => {
    const { company, first, member, colleague, stage } = await cast();
    await stage(company);
    await stage(company, first);
    await stage(colleague, first);
    const own = [await stage(member), await stage(member, first)];
    assert.deepEqual(await claimedIds(member, { limit: 20 }), own);
    assert.equal(await claimBatch(member), null);
    assert.deepEqual(await captureStates(service, company), { claimed: 2, staged: 3 });
  });

  test('a member claims only captures in layers that they can still write', async () => {
    const { company, first, second, member, setGrant, stage } = await cast();
    const staged = [await stage(member, first), await stage(member, second), await stage(member)];
    await setGrant(first, 'read');
    await company.ask.revokeClientGrant(member.userId, second);
    assert.deepEqual(await claimedIds(member), staged.slice(2));
    assert.equal(await claimBatch(member), null);
    await setGrant(first, 'write');
    assert.deepEqual(await claimedIds(member), staged.slice(0, 1));
    assert.deepEqual(await claimedIds(company), staged.slice(1, 2), 'Full access, wherever it lies');
  });

  test('a former Team Admin claims their own captures in layers that they can still write', async () => {
    const { company, first, second, stage } = await cast();
    const admin = await addPerson(service, company, { teamRole: 'admin', clients: { [first]: 'write' } });
    const staged = [await stage(admin, second), await stage(admin, first), await stage(admin)];
    await stage(company, first);
    await company.ask.changeTeamRole(admin.userId, { role: 'member' });
    assert.deepEqual(await claimedIds(admin), staged.slice(1));
  });

  test('a member claims their own capture after the lease of another caller expired, and not earlier', async () => {
    const { company, member, stage } = await cast();
    const own = await stage(member);
    const batch = await claimBatch(company);
    assert.ok(batch);
    assert.equal(await claimBatch(member), null);
    await expireBatch(service, batch.id);
    assert.deepEqual(await claimedIds(member), [own]);
  });
});

describe('a caller with read access', () => {
  test('a Company Admin with a read grant claims nothing', async () => {
    const { company, member, first, stage } = await cast();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    await stage(reader);
    await stage(reader, first);
    await stage(member);
    await company.ask.giveCompanyGrant(reader.userId, company.teamId, {
      access: 'read',
    });
    const { events } = await recordedBy(service, company, async () => {
      assert.equal(await claimBatch(reader), null, 'not even their own');
      assert.equal(outcome(await sendClaim(reader, { clientId: first })), '403 scope_forbidden');
    });
    assert.deepEqual(events, []);
    assert.deepEqual(await captureStates(service, company), { staged: 3 });
  });

  test('returns the same 403 for every client that the caller cannot write, even if it does not exist', async () => {
    const { company, first, member, setGrant, stage } = await cast();
    await stage(member, first);
    await setGrant(first, 'read');
    const archived = await addClient(service, company, 'archived');
    const stranger = await addClient(service, await service.company());
    const answers = await Promise.all(
      [first, await addClient(service, company), archived, stranger, newId(), 'nonsense', ''].map(
        (clientId) => sendClaim(member, { clientId }),
      ),
    );
    for (const answer of answers) assert.equal(outcome(answer), '403 scope_forbidden');
    assert.equal(new Set(answers.map(({ body }) => withoutRequestId(body))).size, 1);
    for (const clientId of [archived, stranger]) {
      assert.equal(outcome(await sendClaim(company, { clientId })), '403 scope_forbidden');
    }
    assert.deepEqual(await captureStates(service, company), { staged: 1 });
  });
});

describe('the captures of an archived client', () => {
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
});
