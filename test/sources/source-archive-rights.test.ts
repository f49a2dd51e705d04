import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, readSource, removeSource } from '../support/source-library.ts';
import {
  addClient,
  addPerson,
  addTeam,
  archiveTeam,
  type Caller,
  inTeam,
  type Person,
} from '../support/team.ts';

const service = await openTestApp();

/** Asserts that the request is refused and that the source is unchanged. */
async function assertRefused(company: SignedIn, caller: Caller, id: string, refusal: string): Promise<void> {
  const before = await readSource(company, id);
  assert.equal(outcome(await removeSource(caller, id)), refusal);
  assert.deepEqual(await readSource(company, id), before);
}

async function assertAllowed(caller: Caller, id: string): Promise<void> {
  await archived(caller, id);
  assert.equal((await readSource(caller, id)).state, 'archived');
}

/** A Team with a client, and a member who can write to both and has a source in each. */
async function authors() {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const author = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  const { id: ofTeam } = await addSource(author);
  const { id: inClient } = await addSource(author, { scope: { clientId } });
  return { company, clientId, author, ofTeam, inClient };
}

describe('callers who can archive a source', () => {
  test('the author archives a source in the Team layer and in a client', async () => {
    const { author, ofTeam, inClient } = await authors();
    await assertAllowed(author, ofTeam);
    await assertAllowed(author, inClient.toUpperCase());
  });

  test('every caller with Full access archives the source of another author', async () => {
    for (const ties of [
      { teamRole: 'owner' },
      { teamRole: 'admin' },
      { companyRole: 'owner' },
      { companyRole: 'admin', companyGrant: 'full' },
    ] as const) {
      const { company, ofTeam, inClient } = await authors();
      const person = await addPerson(service, company, ties);
      await assertAllowed(person, ofTeam);
      await assertAllowed(person, inClient);
    }
  });
});

describe('callers who cannot archive a source', () => {
  test('archiving returns 403 for another member with write access and for readers', async () => {
    const { company, clientId, ofTeam, inClient } = await authors();
    const person = (ties: Parameters<typeof addPerson>[2]) => addPerson(service, company, ties);
    for (const other of [
      await person({ teamRole: 'member', clients: { [clientId]: 'write' } }),
      await person({ teamRole: 'member', clients: { [clientId]: 'read' } }),
      await person({ companyRole: 'admin', companyGrant: 'read' }),
    ]) {
      await assertRefused(company, other, ofTeam, '403 forbidden');
      await assertRefused(company, other, inClient, '403 forbidden');
    }
  });

  test('archiving returns 403 for the author after their client grant was lowered to read', async () => {
    const { company, clientId, author, ofTeam, inClient } = await authors();
    const url = `/v1/team/grants/${author.userId}/${clientId}`;
    assert.ok((await company.send('PUT', url, { access: 'read' })).statusCode < 300);
    await assertRefused(company, author, inClient, '403 forbidden');
    await assertAllowed(author, ofTeam);
  });

  test('archiving returns 403 for an author who now has only a Company grant to read', async () => {
    const { company, author, ofTeam, inClient } = await authors();
    await toReader(company, author);
    await assertRefused(company, author, ofTeam, '403 forbidden');
    await assertRefused(company, author, inClient, '403 forbidden');
  });

  test('archiving returns 403 for an author who is no longer an Admin and has only a read grant', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const admin = await addPerson(service, company, { teamRole: 'admin', clients: { [clientId]: 'read' } });
    const { id } = await addSource(admin, { scope: { clientId } });
    const url = `/v1/team/members/${admin.userId}`;
    assert.ok((await company.send('PATCH', url, { role: 'member' })).statusCode < 300);
    await assertRefused(company, admin, id, '403 forbidden');
  });

  test('archiving returns 409 in an archived Team for everyone who could archive the source', async () => {
    const { company, author, ofTeam, inClient } = await authors();
    const other = await addPerson(service, company, { teamRole: 'member' });
    await archiveTeam(service, company.teamId);
    for (const caller of [company, author]) {
      await assertRefused(company, caller, ofTeam, '409 team_archived');
      await assertRefused(company, caller, inClient, '409 team_archived');
    }
    await assertRefused(company, other, ofTeam, '403 forbidden');
    assert.equal(outcome(await removeSource(company, newId())), '404 not_found');
  });

  test('archiving returns the same 404 for a source that is inaccessible or does not exist', async () => {
    const { company, clientId, author, inClient } = await authors();
    const gone = await addClient(service, company);
    const { id: inGone } = await addSource(company, { scope: { clientId: gone } });
    await service.database.query(`update identity.client set state = 'archived' where id = $1`, [gone]);
    const inOther = inTeam(company, await addTeam(service, company));
    const { id: elsewhere } = await addSource(inOther);
    const { id: foreign } = await addSource(await service.company());
    const url = `/v1/team/grants/${author.userId}/${clientId}`;
    assert.ok((await company.send('DELETE', url)).statusCode < 300);
    await assertSameRefusal(
      '404 not_found',
      [inClient, inGone, elsewhere, foreign, newId(), 'no-one'].map((id) => removeSource(author, id)),
    );
    assert.equal(outcome(await removeSource(company, inGone)), '404 not_found');
    await assertAllowed(company, inClient);
  });
});

/** Removes a member from the Team and gives them a Company grant to read. */
async function toReader({ companyId, teamId }: SignedIn, { userId }: Person): Promise<void> {
  const { database } = service;
  await database.query('delete from identity.team_member where team_id = $1 and user_id = $2', [
    teamId,
    userId,
  ]);
  await database.query(`update identity.account set role = 'admin' where id = $1`, [userId]);
  await database.query(
    `insert into identity.company_grant (company_id, team_id, user_id, access) values ($1, $2, $3, 'read')`,
    [companyId, teamId, userId],
  );
}
