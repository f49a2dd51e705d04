import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Batch } from '../../shared/schemas/consolidation.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { captureStates, claimBatch, claimedIds } from '../support/captures.ts';
import { recordedBy } from '../support/company.ts';
import { completed, lend, release, released, traces } from '../support/consolidation.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, archiveTeam, inTeam, type Person } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const loseGrants = ({ userId }: Person) =>
  database.query('delete from identity.client_grant where user_id = $1', [userId]);
const setClientState = (clientId: string, state: 'active' | 'archived') =>
  database.query('update identity.client set state = $2 where id = $1', [clientId, state]);

/** A member who holds a batch with a capture of the Team layer and one of a client. */
async function lendOfBoth(): Promise<{
  company: SignedIn;
  member: Person;
  clientId: string;
  batchId: string;
  ofTeam: string;
  ofClient: string;
}> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const member = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  const { batchId, captureIds } = await lend(member, [null, clientId]);
  const [ofTeam = '', ofClient = ''] = captureIds;
  return { company, member, clientId, batchId, ofTeam, ofClient };
}

describe('the release of a batch that is not in reach', () => {
  test('returns the same 404 for a batch of another caller, of another Team, an unknown and a malformed one', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const lent = await lend(admin);
    const elsewhere = inTeam(company, await addTeam(service, company));
    const theirs = await lend(elsewhere);
    const before = await traces(service, company);
    await assertSameRefusal(
      '404 not_found',
      [lent.batchId, theirs.batchId, newId(), 'nonsense', ''].map((id) => release(company, id)),
    );
    assert.deepEqual(await traces(service, company), before);
    await completed(admin, lent.batchId, []);
  });

  test('returns 409 in an archived Team, after 404', async () => {
    const company = await service.company();
    const { batchId } = await lend(company);
    await archiveTeam(service, company.teamId);
    assert.equal(outcome(await release(company, batchId)), '409 team_archived');
    assert.equal(outcome(await release(company, newId())), '404 not_found');
    assert.deepEqual(await captureStates(service, company), { claimed: 1 });
  });
});

describe('a release by a caller who has lost access', () => {
  test('stages the captures of a client that the caller can no longer read, and does not name them', async () => {
    const { company, member, clientId, batchId, ofTeam, ofClient } = await lendOfBoth();
    await loseGrants(member);
    let batch: Batch | undefined;
    const { events } = await recordedBy(service, company, async () => {
      batch = await released(member, batchId);
    });
    assert.deepEqual(batch?.captureIds, [ofTeam]);
    assert.deepEqual(events.map(({ detail }) => detail).sort(), [
      { captureIds: [ofTeam] },
      { captureIds: [ofClient] },
    ]);
    assert.deepEqual(await claimedIds(company, { clientId }), [ofClient]);
    assert.deepEqual(await claimedIds(member), [ofTeam]);
  });

  test('stages the captures of an archived client, which nobody can claim until it is restored', async () => {
    const { company, member, clientId, batchId, ofTeam, ofClient } = await lendOfBoth();
    await setClientState(clientId, 'archived');
    assert.deepEqual((await released(member, batchId)).captureIds, [ofTeam]);
    assert.deepEqual(await claimedIds(company), [ofTeam]);
    assert.equal(await claimBatch(company), null);
    await setClientState(clientId, 'active');
    assert.deepEqual(await claimedIds(company), [ofClient]);
  });

  test('stages captures of others after Full access was lost', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const { batchId, captureIds } = await lend(company, [null], admin);
    await database.query(`update identity.team_member set role = 'member' where user_id = $1`, [
      admin.userId,
    ]);
    assert.deepEqual((await released(admin, batchId)).captureIds, captureIds);
    assert.equal(await claimBatch(admin), null);
    assert.deepEqual(await claimedIds(company), captureIds);
  });
});
