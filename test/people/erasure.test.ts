import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import type { ErasedMember } from '../../shared/schemas/people.ts';
import { hashToken } from '../../shared/tokens.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { API_TOKEN, type SignedIn } from '../support/app.ts';
import { sealAll, verifyAudit } from '../support/audit-chain.ts';
import { callerOf } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import {
  addPasswordHolder,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  PASSWORD,
} from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { askSession, linkToken, outcome, signInBy, useLink } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller } from '../support/team.ts';
import { tablesWith } from '../support/traces.ts';

// It reads all rows that there are.
const service = await openOwnTestApp();
const { database } = service;
const AUDIT = '/v1/company/audit';

const urlOf = (userId: string) => `/v1/company/members/${userId}/erase`;
const erase = (by: Caller, userId: string) => by.send('POST', urlOf(userId));
async function erased(by: Caller, { userId }: { userId: string }): Promise<ErasedMember> {
  const answer = await erase(by, userId);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<ErasedMember>();
}
async function done(
  by: Caller,
  ...request: [method: 'PATCH' | 'PUT' | 'DELETE' | 'POST', url: string, body?: object]
) {
  const answer = await by.send(...request);
  assert.ok(answer.statusCode < 300, `${request[1]}: ${answer.body}`);
}

/** A person who has all that names a person or gives access, and has written something, also with an agent token. */
async function addKnownPerson(company: SignedIn) {
  const [email, earlierEmail] = [newEmail(), newEmail()];
  const [name, earlierName] = [`Zoë ${newId()}`, `Zoë Earlier ${newId()}`];
  const { token: inviteToken } = await makeInvite(service, company, { email: earlierEmail });
  const { token, user } = (await join(service, { token: inviteToken, name: earlierName })).json<Session>();
  const person: Caller = callerOf(service.app, { ...company.headers, authorization: `Bearer ${token}` });
  await done(person, 'PATCH', '/v1/auth/account', { name, email, password: PASSWORD });
  const second = (await signInBy(service, email, PASSWORD)).json<Session>().token;
  assert.equal(outcome(await signInBy(service, email, 'a wrong password')), '401 invalid_credentials');
  const agent = await createAgent(service, person, company, { name: `Laptop of ${name}` });
  const written: string[] = [];
  // The last answer is for someone else, who sends the same text again, and names the token with which it was stored.
  for (const by of [person, agent, company]) {
    const headers = { ...by.headers, 'idempotency-key': newId() };
    const text = `The tide ${by === person ? 'comes' : 'goes'} ${user.id}`;
    const made = await callerOf(service.app, headers).ask.ingestSource({ title: 'Tides', text });
    written.push(made.json<{ source: { id: string } }>().source.id);
  }
  assert.equal(written.pop(), written[1]);
  const open = await makeInvite(service, company, { email, teamId: await addTeam(service, company) });
  const invitation = await makeInvitation(company, { email });
  const reset = await company.ask.createMemberResetLink(user.id, {});
  assert.equal(outcome(reset), '201');
  const resetToken = linkToken(reset.json<{ url: string }>().url);
  const secrets = [token, second, inviteToken, open.token, invitation.token, resetToken];
  const invites = [open.token, invitation.token];
  return {
    userId: user.id,
    email,
    agent,
    written,
    secrets,
    resetToken,
    invites,
    words: [
      name,
      earlierName,
      email,
      earlierEmail,
      ...[...secrets, agent.token.slice(20, 52)].map((text) => hashToken(text).toString('hex')),
    ],
  };
}

describe('POST /v1/company/members/:userId/erase', () => {
  test('leaves no name, email, session or token of the person in any table', async () => {
    const company = await service.company();
    const { userId, words } = await addKnownPerson(company);
    const before = await tablesWith(service, ...words);
    const identity = ['account', 'agent_token', 'agent_token_secret', 'invite', 'reset_link', 'session'];
    assert.deepEqual(before, [...identity.map((table) => `identity.${table}`), 'memory.idempotency_key']);
    const { name, ...rest } = await erased(company, { userId });
    assert.match(name, /^Former member [0-9a-f]{6}$/);
    assert.equal(rest.userId, userId);
    assert.deepEqual(await tablesWith(service, ...words), []);
    const [account] = await database.query(
      'select name, email, password_hash from identity.account where id = $1',
      [userId],
    );
    assert.deepEqual(account, { name, email: null, password_hash: null });
    const ofPerson = [
      'identity.session',
      'identity.reset_link',
      'identity.agent_token',
      'memory.idempotency_key',
    ];
    for (const table of ofPerson) {
      const rows = await database.query(`select from ${table} where user_id = $1`, [userId]);
      assert.equal(rows.length, 0, table);
    }
  });

  test('ends the sessions, agent tokens and links of the person on the next request, and the login', async () => {
    const company = await service.company();
    const { userId, email, agent, secrets, invites, resetToken } = await addKnownPerson(company);
    await erased(company, { userId });
    for (const token of secrets.slice(0, 2)) {
      assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    }
    assert.equal(outcome(await agent.ask.getStatus()), '401 unauthenticated');
    assert.equal(outcome(await signInBy(service, email, PASSWORD)), '401 invalid_credentials');
    assert.equal(
      outcome(await useLink(service, resetToken, 'another password of this test')),
      '404 not_found',
    );
    const [toTeam = ''] = invites;
    assert.equal(outcome(await join(service, { token: toTeam })), '404 not_found');
  });

  test('keeps what the person wrote, findable and under the id of the account', async () => {
    const company = await service.company();
    const { userId, agent, written } = await addKnownPerson(company);
    await erased(company, { userId });
    const search = { query: 'tide', embeddingMode: 'keyword', scope: {} } as const;
    const { hits } = await company.api.searchMemory(search);
    assert.deepEqual(hits.map(({ source_id }) => source_id).sort(), [...written].sort());
    const sources = await company.all.listSources();
    assert.deepEqual(
      written.map((id) =>
        columns(
          sources.filter((source) => source.id === id),
          'createdBy',
          'createdWith',
        ),
      ),
      [[[userId, null]], [[userId, { tokenId: agent.record.id, name: 'Former agent token' }]]],
    );
  });

  test('the chain of the audit verifies, and no list of events names the person', async () => {
    const company = await service.company();
    const { userId, words } = await addKnownPerson(company);
    await sealAll(database);
    const before = await verifyAudit(company);
    await erased(company, { userId });
    await sealAll(database);
    const after = await verifyAudit(company);
    assert.deepEqual([before.firstBreak, after.firstBreak, after.unsealed], [null, null, 0]);
    assert.ok(after.events > before.events);
    for (const url of [AUDIT, '/v1/memory/audit']) {
      const events = await company.readAll<AuditEvent>(url);
      const theirs = events.filter(({ actorId, subjectId }) => actorId === userId || subjectId === userId);
      assert.ok(theirs.length > 0, url);
      for (const { actorId, actorName, subjectId, subjectName } of theirs) {
        assert.equal(actorName, actorId === userId ? null : 'Owner');
        if (subjectId === userId) assert.equal(subjectName, null);
      }
      const shown = JSON.stringify(events);
      for (const word of words) assert.ok(!shown.includes(word), word);
    }
  });

  test('erases someone who was removed before', async () => {
    const company = await service.company();
    const { userId, words } = await addKnownPerson(company);
    await done(company, 'DELETE', `/v1/company/members/${userId}`);
    assert.ok((await tablesWith(service, ...words)).includes('identity.account'));
    const { events } = await recordedBy(service, company, () => erased(company, { userId }));
    assert.deepEqual(await tablesWith(service, ...words), []);
    assert.deepEqual(
      events.map(({ kind, detail }) => [kind, detail['wasRemoved'], detail['revokedInvites']]),
      [['company.member_erase', true, []]],
    );
  });

  test('erasing again returns the same and changes nothing', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { teamRole: 'member' });
    const first = await erased(company, person);
    await recordsNothing(service, company, async () => {
      assert.deepEqual(await erased(company, person), first);
    });
  });

  test('ends the roles, grants, requests and own invites as a removal does', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const person = await addPerson(service, company, {
      companyRole: 'admin',
      teamRole: 'admin',
      companyGrant: 'full',
      clients: { [clientId]: 'write' },
    });
    const asPerson = { ...company, ...person, ownerId: person.userId };
    const { token, invite } = await makeInvite(service, asPerson);
    const wanted = { teamId: await addTeam(service, company), access: 'read' };
    await done(person, 'POST', '/v1/company/access-requests', wanted);
    const { events } = await recordedBy(service, company, () => erased(company, person));
    assert.equal(outcome(await join(service, { token })), '410 token_revoked');
    const members = await company.all.listCompanyMembers();
    assert.ok(!members.some(({ userId }) => userId === person.userId));
    for (const list of ['/v1/team/grants', '/v1/company/grants']) {
      assert.deepEqual(await company.readAll(list), [], list);
    }
    const [event] = events;
    assert.ok(event);
    assert.equal((event.detail['deniedRequests'] as string[]).length, 1);
    assert.deepEqual(event.detail['revokedInvites'], [invite.id]);
  });

  test('refuses to erase the last Owner and the server principal', async () => {
    const company = await service.company();
    assert.equal(outcome(await erase(company, company.ownerId)), '409 last_owner');
    assert.equal((await askSession(service, company.token)).statusCode, 200);
    const principal = callerOf(service.app, { authorization: `Bearer ${API_TOKEN}`, 'memory-team': '' });
    const { user, company: own, teams } = (await askSession(service, API_TOKEN)).json<Session>();
    const place = { companyId: own.id, ownerId: user.id, ownerEmail: user.email, teamId: teams[0]?.id ?? '' };
    await addPerson(service, place, { companyRole: 'owner' });
    assert.equal(outcome(await erase(principal, user.id)), '409 last_owner');
  });

  test('lets an Owner erase themselves if there is another Owner', async () => {
    const company = await service.company();
    await addPerson(service, company, { companyRole: 'owner' });
    await erased(company, { userId: company.ownerId });
    assert.equal(outcome(await askSession(service, company.token)), '401 unauthenticated');
  });
});

test('the database refuses an erased account that is open, or has an email or a password', async () => {
  const company = await service.company();
  const { userId } = await addPasswordHolder(service, company, {});
  for (const kept of [
    'email = null, password_hash = null',
    'closed_at = now(), password_hash = null',
    'closed_at = now(), email = null',
  ]) {
    const half = database.query(`update identity.account set erased_at = now(), ${kept} where id = $1`, [
      userId,
    ]);
    await assert.rejects(half, /account_erased/, kept);
  }
  await assert.rejects(
    database.query('update identity.account set email = null where id = $1', [userId]),
    /account_erased/,
  );
});

describe('the email of an erased person', () => {
  /** Joins with an invite to an email. */
  async function joinAs(company: SignedIn, email: string, name: string): Promise<Session> {
    const { token } = await makeInvite(service, company, { email });
    const joined = await join(service, { token, name });
    assert.equal(outcome(joined), '201');
    return joined.json<Session>();
  }
  const invitesTo = (email: string) =>
    database.query('select from identity.invite where email = $1', [email]).then(({ length }) => length);

  test('can be invited again, as a new account', async () => {
    const company = await service.company();
    const email = newEmail();
    const first = await joinAs(company, email, 'The first');
    await erased(company, { userId: first.user.id });
    const next = await joinAs(company, email, 'The next');
    assert.notEqual(next.user.id, first.user.id);
    assert.deepEqual([next.user.name, next.user.email], ['The next', email]);
  });

  test('stays that of the newer account, with its invites, when the earlier one is erased', async () => {
    const company = await service.company();
    const email = newEmail();
    const first = await joinAs(company, email, 'The first');
    await makeInvite(service, company, { email, teamId: await addTeam(service, company) });
    await done(company, 'DELETE', `/v1/company/members/${first.user.id}`);
    const next = await joinAs(company, email, 'The next');
    const open = await makeInvite(service, company, { email, role: 'admin' });
    assert.equal(await invitesTo(email), 4);
    await erased(company, { userId: first.user.id });
    assert.equal(await invitesTo(email), 2);
    assert.equal((await askSession(service, next.token)).json<Session>().user.email, email);
    assert.equal(outcome(await join(service, { token: open.token })), '201');
  });

  test('is deleted from the invites of the Company and from those of no other', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const person = await addPasswordHolder(service, company, {});
    const { email, userId } = person;
    await makeInvite(service, company, { email });
    const { token } = await makeInvite(service, other, { email });
    await erased(company, { userId });
    assert.equal(await invitesTo(email), 1);
    assert.equal(outcome(await join(service, { token })), '201');
  });
});
