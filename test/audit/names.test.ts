import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import type { Method } from '../support/client/client.ts';
import { callerOf } from '../support/client/client.ts';
import { join, makeInvitation, makeInvite } from '../support/invites.ts';
import { addClient, addTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;
const COMPANY = '/v1/company/audit';

const eventsOf = (company: Caller, url = COMPANY) => company.readAll<AuditEvent>(url);
const about = (events: readonly AuditEvent[], subjectId: string) =>
  events.filter((event) => event.subjectId === subjectId);

/** What every change to a person records: invited, joined, changed, given rights, removed. */
async function livesAndLeaves(company: SignedIn, name: string) {
  const client = await addClient(service, company);
  const done = async (method: Method, url: string, body?: object, caller: Caller = company) => {
    const answer = await caller.send(method, url, body);
    assert.ok(answer.statusCode < 300, `${method} ${url}: ${answer.body}`);
  };
  const { invite, token } = await makeInvite(service, company, {});
  const joined = await join(service, { token, name });
  const { token: session, user } = joined.json<Session>();
  const person = callerOf(service.app, { ...company.headers, authorization: `Bearer ${session}` });
  const { invite: open } = await makeInvite(service, company, {});
  const { invite: invitation } = await makeInvitation(company);
  await done('PUT', `/v1/team/grants/${user.id}/${client}`, { access: 'write' });
  await done('PATCH', `/v1/team/members/${user.id}`, { role: 'admin' });
  await done('PATCH', `/v1/company/members/${user.id}`, { role: 'admin' });
  const wanted = { teamId: await addTeam(service, company), access: 'read', reason: `for ${name}` };
  await done('POST', '/v1/company/access-requests', wanted, person);
  await done('PUT', `/v1/company/grants/${user.id}/${company.teamId}`, { access: 'read' });
  await done('POST', `/v1/company/members/${user.id}/reset-link`, {});
  await done('POST', '/v1/company/teams', { name: `Team ${newId()}`, ownerEmail: invite.email });
  await done('DELETE', `/v1/company/members/${user.id}`);
  return { userId: user.id, invite, open, invitation };
}

test('no event names a person, and lists join the names when they are read', async () => {
  const company = await service.company();
  const name = `Zoë ${newId()}`;
  const { userId, invite, open, invitation } = await livesAndLeaves(company, name);
  const rows = await database.query<{ row: string }>(
    'select e::text as row from memory.audit_event e where company_id = $1',
    [company.companyId],
  );
  const stored = rows.map(({ row }) => row).join('\n');
  for (const word of [name, invite.email, open.email, invitation.email])
    assert.ok(!stored.includes(word), word);

  for (const url of [COMPANY, '/v1/memory/audit']) {
    const listed = await eventsOf(inTeam(company, company.teamId), url);
    for (const { actorId, actorName } of listed)
      assert.equal(
        actorName,
        new Map([
          [userId, name],
          [company.ownerId, 'Owner'],
        ]).get(actorId),
      );
    for (const { subjectName } of about(listed, userId)) assert.equal(subjectName, name);
    for (const { subjectName } of about(listed, open.id)) assert.equal(subjectName, open.email);
    assert.ok(about(listed, userId).length > 0 && about(listed, open.id).length === 1);
  }
  const [invited] = about(await eventsOf(company), invitation.id);
  assert.equal(invited?.subjectName, invitation.email);

  await database.query('update identity.account set name = $2 where id = $1', [userId, 'Zoë Renamed']);
  assert.equal(about(await eventsOf(company), userId)[0]?.subjectName, 'Zoë Renamed');
});

test('no event has the name of an agent token, and lists join it', async () => {
  const company = await service.company();
  const name = `Laptop of Zoë ${newId()}`;
  const { record } = await createAgent(service, company, company, { name });
  const rows = await database.query('select from memory.audit_event e where strpos(e::text, $1) > 0', [name]);
  assert.equal(rows.length, 0);
  for (const url of [COMPANY, '/v1/memory/audit']) {
    const events = about(await eventsOf(inTeam(company, company.teamId), url), record.id);
    assert.deepEqual(
      events.map(({ kind, subjectName, detail }) => [kind, subjectName, detail['name']]),
      [['auth.token_create', name, undefined]],
    );
  }
});

test('no event has the name of a client, and lists join the present one', async () => {
  const company = await service.company();
  const [name, later] = [`Zoë ${newId()}`, `Zoë Renamed ${newId()}`];
  const made = await company.ask.createClient({ name });
  const { id } = made.json<{ id: string }>();
  const url = `/v1/team/clients/${id}`;
  await company.api.ingestSource({
    title: 'x',
    text: 'heron',
    scope: { clientId: id },
  });
  for (const [method, body] of [
    ['PATCH', { name: later }],
    ['DELETE', undefined],
    ['PATCH', { state: 'active' }],
  ] as const) {
    const answer = await company.send(method, url, body);
    assert.ok(answer.statusCode < 300, answer.body);
  }
  const rows = await database.query('select from memory.audit_event e where strpos(e::text, $1) > 0', [
    'Zoë',
  ]);
  assert.equal(rows.length, 0);
  for (const list of [COMPANY, '/v1/memory/audit']) {
    const all = await eventsOf(inTeam(company, company.teamId), list);
    assert.deepEqual(
      about(all, id).map(({ kind, subjectName, detail }) => [kind, subjectName, detail]),
      [
        ['team.client_change', later, { changed: ['state'], state: 'active' }],
        ['team.client_archive', later, {}],
        ['team.client_change', later, { changed: ['name'] }],
        ['team.client_create', later, {}],
      ],
    );
    const [ingest] = all.filter(({ kind }) => kind === 'memory.ingest');
    assert.deepEqual([ingest?.clientId, ingest?.clientName], [id, later]);
    assert.equal(about(all, company.teamId)[0]?.clientName ?? null, null);
  }
});
