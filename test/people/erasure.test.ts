import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import { hashToken } from '../../shared/tokens.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { API_TOKEN, type SignedIn } from '../support/app.ts';
import { sealAll, verifyAudit } from '../support/audit-chain.ts';
import { callerOf } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import {
  addPasswordHolder,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  PASSWORD,
} from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { askSession, linkToken, outcome, signInBy } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller } from '../support/team.ts';
import { tablesWith } from '../support/traces.ts';

// It reads all rows that there are.
const service = await openOwnTestApp();
const { database } = service;

/** A person who has all that names a person or gives access, and has written something, also with an agent token. */
async function addKnownPerson(company: SignedIn) {
  const [email, earlierEmail] = [newEmail(), newEmail()];
  const [name, earlierName] = [`Zoë ${newId()}`, `Zoë Earlier ${newId()}`];
  const { token: inviteToken } = await makeInvite(service, company, { email: earlierEmail });
  const { token, user } = (await join(service, { token: inviteToken, name: earlierName })).json<Session>();
  const person: Caller = callerOf(service.app, { ...company.headers, authorization: `Bearer ${token}` });
  await person.api.changeAccount({ name, email, password: PASSWORD });
  await signInBy(service, email, PASSWORD);
  assert.equal(outcome(await signInBy(service, email, 'a wrong password')), '401 invalid_credentials');
  const agent = await createAgent(service, person, company, { name: `Laptop of ${name}` });
  const written: string[] = [];
  // The last answer is for someone else, who sends the same text again, and names the token with which it was stored.
  for (const by of [person, agent, company]) {
    const text = `The tide ${by === person ? 'comes' : 'goes'} ${user.id}`;
    const repeatable = by.with({ 'idempotency-key': newId() });
    written.push((await repeatable.api.ingestSource({ title: 'Tides', text })).source.id);
  }
  assert.equal(written.pop(), written[1]);
  const open = await makeInvite(service, company, { email, teamId: await addTeam(service, company) });
  const invitation = await makeInvitation(company, { email });
  const reset = await company.api.createMemberResetLink(user.id, {});
  const secrets = [token, inviteToken, open.token, invitation.token, linkToken(reset.url)];
  const hashes = [...secrets, agent.token.slice(20, 52)].map((text) => hashToken(text).toString('hex'));
  const words = [name, earlierName, email, earlierEmail, ...hashes];
  return { userId: user.id, agent, written, words };
}

describe('POST /v1/company/members/:userId/erase', () => {
  test('leaves no name, email, session or token of the person in any table', async () => {
    const company = await service.company();
    const { userId, words } = await addKnownPerson(company);
    const before = await tablesWith(service, ...words);
    const identity = ['account', 'agent_token', 'agent_token_secret', 'invite', 'reset_link', 'session'];
    assert.deepEqual(before, [...identity.map((table) => `identity.${table}`), 'memory.idempotency_key']);
    const { name, ...rest } = await company.api.eraseCompanyMember(userId);
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

  test('keeps what the person wrote, findable and under the id of the account', async () => {
    const company = await service.company();
    const { userId, agent, written } = await addKnownPerson(company);
    await company.api.eraseCompanyMember(userId);
    const search = { query: 'tide', embeddingMode: 'keyword', scope: {} } as const;
    const { hits } = await company.api.searchMemory(search);
    assert.deepEqual(hits.map(({ source_id }) => source_id).sort(), [...written].sort());
    const sources = await Promise.all(written.map((id) => company.api.getSource(id)));
    const byAgent = { tokenId: agent.record.id, name: 'Former agent token' };
    assert.deepEqual(columns(sources, 'createdBy', 'createdWith'), [
      [userId, null],
      [userId, byAgent],
    ]);
  });

  test('the chain of the audit verifies, and no list of events names the person', async () => {
    const company = await service.company();
    const { userId, words } = await addKnownPerson(company);
    await sealAll(database);
    const before = await verifyAudit(company);
    await company.api.eraseCompanyMember(userId);
    await sealAll(database);
    const after = await verifyAudit(company);
    assert.deepEqual([before.firstBreak, after.firstBreak, after.unsealed], [null, null, 0]);
    assert.ok(after.events > before.events);
    for (const list of ['listCompanyAudit', 'listTeamAudit'] as const) {
      const events = await company.all[list]();
      const theirs = events.filter(({ actorId, subjectId }) => actorId === userId || subjectId === userId);
      assert.ok(theirs.length > 0, list);
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
    await company.api.removeCompanyMember(userId);
    assert.ok((await tablesWith(service, ...words)).includes('identity.account'));
    const { events } = await recordedBy(service, company, () => company.api.eraseCompanyMember(userId));
    assert.deepEqual(await tablesWith(service, ...words), []);
    assert.deepEqual(
      events.map(({ kind, detail }) => [kind, detail['wasRemoved'], detail['revokedInvites']]),
      [['company.member_erase', true, []]],
    );
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
    await person.api.requestAccess(wanted);
    const { events } = await recordedBy(service, company, () =>
      company.api.eraseCompanyMember(person.userId),
    );
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
    assert.equal(outcome(await company.ask.eraseCompanyMember(company.ownerId)), '409 last_owner');
    assert.equal((await askSession(service, company.token)).statusCode, 200);
    const principal = callerOf(service.app, { authorization: `Bearer ${API_TOKEN}`, 'memory-team': '' });
    const { user, company: own, teams } = (await askSession(service, API_TOKEN)).json<Session>();
    const place = { companyId: own.id, ownerId: user.id, ownerEmail: user.email, teamId: teams[0]?.id ?? '' };
    await addPerson(service, place, { companyRole: 'owner' });
    assert.equal(outcome(await principal.ask.eraseCompanyMember(user.id)), '409 last_owner');
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

  test('stays that of the newer account, with its invites, when the earlier one is erased', async () => {
    const company = await service.company();
    const email = newEmail();
    const first = await joinAs(company, email, 'The first');
    await makeInvite(service, company, { email, teamId: await addTeam(service, company) });
    await company.api.removeCompanyMember(first.user.id);
    const next = await joinAs(company, email, 'The next');
    const open = await makeInvite(service, company, { email, role: 'admin' });
    assert.equal(await invitesTo(email), 4);
    await company.api.eraseCompanyMember(first.user.id);
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
    await company.api.eraseCompanyMember(userId);
    assert.equal(await invitesTo(email), 1);
    assert.equal(outcome(await join(service, { token })), '201');
  });
});
