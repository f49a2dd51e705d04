import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { join, makeInvitation, makeInvite } from '../support/invites.ts';

/*
 * That no event has a name in it is shown for every route in test/access/events.test.ts: here is where lists get them from.
 */

const service = await openTestApp();
const { database } = service;

/** The events about a record, as the lists of the Company and of the Team show them. */
async function about(company: SignedIn, subjectId: string): Promise<AuditEvent[][]> {
  return [await company.all.listCompanyAudit({ subjectId }), await company.all.listTeamAudit({ subjectId })];
}

test('lists have the present names of people, and the emails of invites', async () => {
  const company = await service.company();
  const { token } = await makeInvite(service, company);
  const { user } = (await join(service, { token, name: 'Zoë' })).json<Session>();
  await company.api.changeTeamRole(user.id, { role: 'admin' });
  const [{ invite: open }, { invite: invitation }] = [
    await makeInvite(service, company),
    await makeInvitation(company),
  ];
  for (const name of ['Zoë', 'Zoë Renamed']) {
    await database.query('update identity.account set name = $2 where id = $1', [user.id, name]);
    for (const [changed, joined] of await about(company, user.id)) {
      assert.deepEqual([changed?.actorName, changed?.subjectName], ['Owner', name]);
      assert.deepEqual([joined?.actorName, joined?.subjectName], [name, name]);
    }
  }
  for (const [event] of await about(company, open.id)) assert.equal(event?.subjectName, open.email);
  const [ofCompany] = await about(company, invitation.id);
  assert.equal(ofCompany?.[0]?.subjectName, invitation.email);
});

test('lists have the names of agent tokens', async () => {
  const company = await service.company();
  const { record } = await createAgent(service, company, company, { name: 'Laptop' });
  for (const [event] of await about(company, record.id)) assert.equal(event?.subjectName, 'Laptop');
});

test('lists have the present name of a client, whatever it was, and while it is archived', async () => {
  const company = await service.company();
  const { id } = await company.api.createClient({ name: 'Zoo' });
  const { source } = await company.api.ingestSource({ title: 'x', text: newId(), scope: { clientId: id } });
  await company.api.changeClient(id, { name: 'Zoo Renamed' });
  await company.api.archiveClient(id);
  for (const events of await about(company, id)) {
    assert.deepEqual(new Set(events.map(({ subjectName }) => subjectName)), new Set(['Zoo Renamed']));
    assert.equal(events.length, 3);
  }
  const [[ingested] = []] = await about(company, source.id);
  assert.deepEqual([ingested?.clientId, ingested?.clientName], [id, 'Zoo Renamed']);
});
