import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch } from '../../shared/schemas/consolidation.ts';
import { openTestApp } from '../support/app.ts';
import { claimBatch, claimedIds } from '../support/captures.ts';
import { recordedBy } from '../support/company.ts';
import { lend, released } from '../support/consolidation.ts';
import { addClient, addPerson } from '../support/team.ts';

const service = await openTestApp();

/** A member who holds a batch with a capture of the Team layer and one of a client. */
async function lendOfBoth() {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const member = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  const { batchId, captureIds } = await lend(member, [null, clientId]);
  const [ofTeam = '', ofClient = ''] = captureIds;
  return { company, member, clientId, batchId, ofTeam, ofClient };
}

test('a release stages the captures of a client that the caller can no longer read, and does not name them', async () => {
  const { company, member, clientId, batchId, ofTeam, ofClient } = await lendOfBoth();
  await company.api.revokeClientGrant(member.userId, clientId);
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

test('a release stages the captures of an archived client, which nobody can claim until it is restored', async () => {
  const { company, member, clientId, batchId, ofTeam, ofClient } = await lendOfBoth();
  await company.api.archiveClient(clientId);
  assert.deepEqual((await released(member, batchId)).captureIds, [ofTeam]);
  assert.deepEqual(await claimedIds(company), [ofTeam]);
  assert.equal(await claimBatch(company), null);
  await company.api.changeClient(clientId, { state: 'active' });
  assert.deepEqual(await claimedIds(company), [ofClient]);
});
