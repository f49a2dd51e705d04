import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { addCaptures, claimBatch, expireBatch } from '../support/captures.ts';
import { column } from '../support/columns.ts';
import { BATCHES, completed, type Lent, lend, openBatches, released } from '../support/consolidation.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

test('the list of batches names the open ones of the caller, newest first, without the text of the captures', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const first = await lend(company, [clientId, null]);
  const [id] = await addCaptures(service, company, 1);
  const second = await claimBatch(company, { leaseSeconds: 3600 });
  const { items, nextCursor } = await company.api.listBatches();
  assert.equal(nextCursor, null);
  assert.deepEqual(Object.keys(items[0]!), ['id', 'captureIds', 'createdAt', 'expiresAt']);
  const [newest, oldest] = items;
  assert.deepEqual(column(items, 'captureIds'), [[id], first.captureIds]);
  assert.deepEqual([newest!.id, newest!.expiresAt], [second?.id, second?.expiresAt]);
  assert.equal(oldest!.id, first.batchId);
  assert.equal(Date.parse(newest!.expiresAt) - Date.parse(newest!.createdAt), 3_600_000);
  assert.equal(Date.parse(oldest!.expiresAt) - Date.parse(oldest!.createdAt), 900_000);
});

test('the list of batches omits those that were completed or released, or whose lease has expired', async () => {
  const company = await service.company();
  const lent: Lent[] = [];
  for (let n = 0; n < 5; n += 1) lent.push(await lend(company));
  const ids = column(lent, 'batchId');
  const [done = '', unused = '', given = '', late = '', open = ''] = ids;
  assert.deepEqual(column(await openBatches(company), 'id'), ids.toReversed());
  await completed(company, done, [{ captureIds: lent[0]!.captureIds, action: 'discard' }]);
  await completed(company, unused, []);
  await released(company, given);
  await expireBatch(service, late);
  assert.deepEqual(column(await openBatches(company), 'id'), [open]);
});

test('each page continues after the last one, while batches are claimed', async () => {
  const company = await service.company();
  for (let n = 0; n < 5; n += 1) await lend(company);
  await assertStablePages(company, BATCHES, () => lend(company));
});

test('the list of batches omits what the caller can no longer read: captures, and batches that have no others', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const clients = { [clientId]: 'write' } as const;
  const member = await addPerson(service, company, { teamRole: 'member', clients });
  const mixed = await lend(member, [null, clientId]);
  const [ofTeam] = mixed.captureIds;
  const ofClient = await lend(member, [clientId]);
  const listed = async () => (await openBatches(member)).map(({ id, captureIds }) => [id, captureIds]);
  const all = [
    [ofClient.batchId, ofClient.captureIds],
    [mixed.batchId, mixed.captureIds],
  ];
  const ofTeamOnly = [[mixed.batchId, [ofTeam]]];
  assert.deepEqual(await listed(), all);
  const setState = (state: string) =>
    database.query('update identity.client set state = $2 where id = $1', [clientId, state]);
  await setState('archived');
  assert.deepEqual(await listed(), ofTeamOnly);
  await setState('active');
  await database.query(`update identity.client_grant set access = 'read' where user_id = $1`, [
    member.userId,
  ]);
  assert.deepEqual(await listed(), all);
  await database.query('delete from identity.client_grant where user_id = $1', [member.userId]);
  assert.deepEqual(await listed(), ofTeamOnly);
  // A batch that is not listed can still be released.
  assert.deepEqual((await released(member, ofClient.batchId)).captureIds, []);
  assert.equal((await claimBatch(company))?.captures[0]?.id, ofClient.captureIds[0]);
});
