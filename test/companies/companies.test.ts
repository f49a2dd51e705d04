import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { transaction } from '../../db/driver/database.ts';
import { listCompanies } from '../../db/queries/companies.ts';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { NewCompany } from '../../shared/schemas/companies.ts';
import { companyScope } from '../../shared/scope.ts';
import { API_TOKEN, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { doJob } from '../support/do-job.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { accept, join, makeInvite, newEmail, PASSWORD } from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { assertInvalid } from '../support/refusals.ts';
import { askSession, linkToken, outcome, useLink } from '../support/sign-in.ts';
import { addSource } from '../support/source-library.ts';
import { addPerson, withoutRequestId } from '../support/team.ts';

/** Of its own: the operator is the server principal, of whom a database has one, and sees every Company. */
const service = await openOwnTestApp();
const { app, database } = service;
const operator = callerOf(app, { authorization: `Bearer ${API_TOKEN}` });
const first = { companyId: (await operator.api.getSession()).company.id };

/** A new Company without an Owner. */
const make = (draft: { name?: string; ownerEmail?: string; teamName?: string } = {}) =>
  operator.api.createCompany({ name: 'Herons', ownerEmail: newEmail(), ...draft });

/** The Owner of a new Company, who has used the link, in its Team. */
async function makeWithOwner(made: NewCompany): Promise<SignedIn> {
  const session = (await accept(service, { token: made.token })).json<Session>();
  const headers = { authorization: `Bearer ${session.token}`, 'memory-team': made.team.id };
  return {
    ...callerOf(app, headers),
    headers,
    companyId: made.company.id,
    teamId: made.team.id,
    ownerId: session.user.id,
    ownerEmail: session.user.email,
    token: session.token,
  };
}

const listed = async (id: string) => (await operator.all.listCompanies({})).find((each) => each.id === id);

describe('POST /v1/companies', () => {
  test('makes a Company with a Team and the link of its Owner, and records it in the first Company', async () => {
    const ownerEmail = newEmail();
    let made: NewCompany | undefined;
    const { events, text } = await recordedBy(service, first, async () => {
      made = await operator.api.createCompany({ name: 'Egrets', ownerEmail: ` ${ownerEmail.toUpperCase()}` });
    });
    assert.ok(made);
    const { company, team, token, url, expiresAt } = made;
    assert.deepEqual([company.name, company.members, company.teams], ['Egrets', 0, 1]);
    assert.deepEqual([team.name, team.state], ['General', 'active']);
    assert.equal(linkToken(url), token);
    assert.match(url, /\/accept#token=/);
    const link = await callerOf(app, {}).api.readLink({ token });
    assert.deepEqual(link, {
      kind: 'invitation',
      role: 'owner',
      email: ownerEmail,
      company: 'Egrets',
      team: null,
      invitedBy: null,
      hasAccount: false,
      expiresAt,
    });
    assert.deepEqual(
      events.map(({ kind, subjectId, detail }) => ({ kind, subjectId, detail })),
      [
        {
          kind: 'companies.create',
          subjectId: company.id,
          detail: { name: 'Egrets', teamId: team.id },
        },
      ],
    );
    assert.ok(!text.includes(ownerEmail) && !text.includes(token));
    assert.deepEqual(await listed(company.id), company);
  });

  test('the link makes an Owner of the Company and of its Team, who finds nothing of the first Company', async () => {
    const made = await make({ teamName: 'Waders' });
    const { events } = await recordedBy(service, first, async () => {
      const owner = await makeWithOwner(made);
      const session = await owner.api.getSession();
      assert.deepEqual(session.company, { id: made.company.id, name: 'Herons', role: 'owner' });
      assert.deepEqual(session.teams, [
        { id: made.team.id, name: 'Waders', state: 'active', role: 'owner', access: 'full' },
      ]);
      const shown = JSON.stringify([
        await owner.all.listCompanyAudit({}),
        await owner.all.listInvitations({}),
        await owner.all.listCompanyMembers({}),
      ]);
      assert.match(shown, /company\.accept/);
      const principal = await operator.api.getSession();
      assert.ok(!shown.includes(principal.user.id) && !shown.includes(first.companyId));
      assert.equal(outcome(await accept(service, { token: made.token })), '410 token_used');
      assert.deepEqual(await listed(made.company.id), { ...made.company, members: 1 });
    });
    assert.deepEqual(events, []);
  });

  test('an email that has an account in another Company gets one of its own', async () => {
    const ownerEmail = newEmail();
    const one = await makeWithOwner(await make({ ownerEmail }));
    const other = await makeWithOwner(await make({ ownerEmail }));
    assert.notEqual(one.ownerId, other.ownerId);
    const answer = await callerOf(app, {}).ask.login({ email: ownerEmail, password: PASSWORD });
    assert.equal(outcome(answer), '409 company_required');
  });

  test('names of Companies and of their Teams can be the same', async () => {
    const [one, other] = [await make(), await make()];
    assert.deepEqual([one.company.name, one.team.name], [other.company.name, other.team.name]);
    assert.notEqual(one.company.id, other.company.id);
  });

  test('refuses what is no email, and records nothing', async () => {
    await recordsNothing(service, first, async () => {
      const answer = await operator.ask.createCompany({ name: 'Herons', ownerEmail: 'no email' });
      assertInvalid(answer, '/ownerEmail');
    });
  });

  test('a session of the server principal cannot use the routes', async () => {
    const { user, company } = await operator.api.getSession();
    const token = await service.signIn(company.id, user.id);
    const person = callerOf(app, { authorization: `Bearer ${token}` });
    const made = await make();
    for (const answer of [
      await person.ask.listCompanies({}),
      await person.ask.createCompany({ name: 'Herons', ownerEmail: newEmail() }),
      await person.ask.createOwnerLink(made.company.id, {}),
      await person.ask.endCompany(made.company.id, { name: 'Herons' }),
    ])
      assert.equal(outcome(answer), '403 forbidden');
  });
});

describe('the service token', () => {
  test('acts in the first Company, and in no other', async () => {
    const owner = await makeWithOwner(await make());
    assert.equal((await operator.api.getCompany()).id, first.companyId);
    for (const answer of [
      await operator.with({ 'memory-team': owner.teamId }).ask.getSelectedTeam(),
      await operator.with({ 'memory-team': owner.teamId }).ask.listSources({}),
    ])
      assert.equal(outcome(answer), '403 team_forbidden');
    assert.equal(outcome(await operator.ask.getTeam(owner.teamId)), '404 not_found');
    assert.equal(outcome(await operator.ask.removeCompanyMember(owner.ownerId)), '404 not_found');
  });
});

describe('POST /v1/companies/{id}/owner-link', () => {
  test('replaces the invitation while the Company has no Owner, also for another email', async () => {
    const made = await make();
    const again = await operator.api.createOwnerLink(made.company.id, {});
    assert.equal(outcome(await accept(service, { token: made.token })), '410 token_revoked');
    const email = newEmail();
    const { events } = await recordedBy(service, first, async () => {
      const last = await operator.api.createOwnerLink(made.company.id, { email });
      assert.equal(outcome(await accept(service, { token: linkToken(again.url) })), '410 token_revoked');
      const session = (await accept(service, { token: linkToken(last.url) })).json<Session>();
      assert.deepEqual(
        [session.user.email, session.company.id, session.company.role],
        [email, made.company.id, 'owner'],
      );
    });
    assert.deepEqual(
      events.map(({ kind, subjectId, detail }) => [kind, subjectId, detail['kind']]),
      [['companies.owner_link', made.company.id, 'invitation']],
    );
  });

  test('requires an email when no invitation is left', async () => {
    const made = await make();
    await database.query('delete from identity.invite where company_id = $1', [made.company.id]);
    assertInvalid(await operator.ask.createOwnerLink(made.company.id, {}), '/email');
    const { url } = await operator.api.createOwnerLink(made.company.id, { email: newEmail() });
    assert.equal(outcome(await accept(service, { token: linkToken(url) })), '201');
  });

  test('makes a reset link for an Owner, and for nobody else', async () => {
    const owner = await makeWithOwner(await make());
    const member = await addPerson(service, owner, { teamRole: 'member' });
    const reset = async (body: { email?: string }) => operator.api.createOwnerLink(owner.companyId, body);
    const { url } = await reset({});
    assert.match(url, /\/reset#token=/);
    const second = await addPerson(service, owner, { companyRole: 'owner' });
    assertInvalid(await operator.ask.createOwnerLink(owner.companyId, {}), '/email');
    for (const email of [`person-${member.userId}@example.com`, newEmail()])
      assert.equal(outcome(await operator.ask.createOwnerLink(owner.companyId, { email })), '404 not_found');
    const other = await reset({ email: `person-${second.userId}@example.com` });
    assert.equal(outcome(await useLink(service, linkToken(url), PASSWORD)), '200');
    const session = (await useLink(service, linkToken(other.url), PASSWORD)).json<Session>();
    assert.equal(session.user.id, second.userId);
  });
});

/** Ends a Company by its name. */
const end = (id: string, name = 'Herons') => operator.ask.endCompany(id, { name });

describe('DELETE /v1/companies/{id}', () => {
  test('closes accounts, revokes links and deletes secrets, and the events stay', async () => {
    const made = await make();
    const owner = await makeWithOwner(made);
    const person = await addPerson(service, owner, {});
    const invite = await makeInvite(service, owner);
    const invitation = await owner.api.createInvitation({ email: newEmail() });
    const reset = await owner.api.createMemberResetLink(person.userId, {});
    const agent = await owner.api.createToken({
      name: 'An agent',
      teamId: owner.teamId,
      permissions: ['memory:read'],
    });
    const before = await database.query('select id from memory.audit_event where company_id = $1', [
      owner.companyId,
    ]);
    const { events } = await recordedBy(service, first, async () => {
      assert.equal(outcome(await end(owner.companyId)), '204');
    });
    assert.deepEqual(
      events.map(({ kind, subjectId, detail }) => [kind, subjectId, detail]),
      [['companies.end', owner.companyId, { name: 'Herons', teamIds: [owner.teamId] }]],
    );
    for (const token of [owner.token, person.token, agent.token])
      assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    const signIn = await callerOf(app, {}).ask.login({ email: owner.ownerEmail, password: PASSWORD });
    assert.equal(outcome(signIn), '401 invalid_credentials');
    assert.equal(outcome(await join(service, { token: invite.token })), '404 not_found');
    assert.equal(outcome(await accept(service, { token: invitation.token })), '410 token_revoked');
    assert.equal(outcome(await useLink(service, linkToken(reset.url), PASSWORD)), '404 not_found');
    const [left] = await database.query(
      `select (select count(*)::int from identity.account where company_id = $1 and password_hash is not null) as passwords,
              (select count(*)::int from identity.session where company_id = $1) as sessions,
              (select count(*)::int from identity.agent_token_secret where company_id = $1) as secrets,
              (select count(*)::int from identity.reset_link where company_id = $1) as links,
              (select count(*)::int from memory.audit_event where company_id = $1) as events`,
      [owner.companyId],
    );
    assert.deepEqual(left, { passwords: 0, sessions: 0, secrets: 0, links: 0, events: before.length });
    assert.equal(await listed(owner.companyId), undefined);
    for (const answer of [
      await end(owner.companyId),
      await operator.ask.createOwnerLink(owner.companyId, {}),
    ])
      assert.equal(outcome(answer), '404 not_found');
    const [job] = await database.query<{ data: object }>(
      `select data from pgboss.job where name = 'team.purge' and data->>'teamId' = $1`,
      [owner.teamId],
    );
    assert.ok(job);
    await doJob(database, 'team.purge', job.data as never);
    assert.deepEqual(await database.query('select from identity.team where id = $1', [owner.teamId]), []);
  });

  test('an email of an ended Company can have an account elsewhere, and the link of an open one ends', async () => {
    const ownerEmail = newEmail();
    const made = await make({ ownerEmail });
    assert.equal(outcome(await end(made.company.id)), '204');
    assert.equal(outcome(await accept(service, { token: made.token })), '410 token_revoked');
    const owner = await makeWithOwner(await make({ ownerEmail }));
    const { company } = await callerOf(app, {}).api.login({ email: ownerEmail, password: PASSWORD });
    assert.equal(company.id, owner.companyId);
  });

  test('refuses the first Company, and one whose Teams are used, and changes nothing', async () => {
    const { name } = await operator.api.getCompany();
    assert.equal(outcome(await end(first.companyId, name)), '409 conflict');
    const uses: Record<string, (owner: SignedIn) => Promise<unknown>> = {
      'a source': (owner) => addSource(owner),
      'a capture': (owner) => owner.api.stageCapture({ sessionId: 'one', summary: 'A heron.' }),
      'a member': (owner) => addPerson(service, owner, { teamRole: 'member' }),
      'another Owner': (owner) => addPerson(service, owner, { teamRole: 'owner' }),
    };
    for (const [about, use] of Object.entries(uses)) {
      const owner = await makeWithOwner(await make());
      await use(owner);
      await recordsNothing(service, first, async () => {
        assert.equal(outcome(await end(owner.companyId)), '409 conflict', about);
      });
      assert.equal(outcome(await askSession(service, owner.token)), '200', about);
    }
    const owner = await makeWithOwner(await make());
    await addSource(owner);
    await owner.api.archiveTeam(owner.teamId);
    assert.equal(outcome(await end(owner.companyId)), '409 conflict');
    await owner.api.deleteTeam(owner.teamId);
    assert.equal(outcome(await end(owner.companyId)), '204', 'a Company without a Team');
  });

  test('requires the name of the Company', async () => {
    const { company } = await make();
    assertInvalid(await end(company.id, 'herons'), '/name');
    assert.equal(outcome(await end(company.id)), '204');
  });

  test('unknown and malformed ids get the same 404', async () => {
    const bodies = [];
    for (const id of [newId(), 'nonsense']) {
      for (const answer of [await end(id), await operator.ask.createOwnerLink(id, {})]) {
        assert.equal(outcome(answer), '404 not_found');
        bodies.push(withoutRequestId(answer.body));
      }
    }
    assert.equal(new Set(bodies).size, 1);
  });
});

describe('a request of the operator during which a statement fails', () => {
  const requests: Record<string, (made: NewCompany) => InjectOptions> = {
    'POST /v1/companies': () => ({
      method: 'POST',
      url: '/v1/companies',
      payload: { name: 'Herons', ownerEmail: newEmail() },
    }),
    'POST /v1/companies/{id}/owner-link': ({ company }) => ({
      method: 'POST',
      url: `/v1/companies/${company.id}/owner-link`,
      payload: {},
    }),
    'DELETE /v1/companies/{id}': ({ company }) => ({
      method: 'DELETE',
      url: `/v1/companies/${company.id}`,
      payload: { name: 'Herons' },
    }),
  };
  for (const [name, requestOf] of Object.entries(requests)) {
    test(`changes nothing, whichever statement it is: ${name}`, async (t) => {
      const made = await make();
      const request = { ...requestOf(made), headers: operator.headers };
      const state = () =>
        database.query(
          `select c.id, c.ended_at, (select array_agg(i::text order by i.id) from identity.invite i where i.company_id = c.id),
                  (select array_agg(t::text order by t.id) from identity.team t where t.company_id = c.id),
                  (select count(*) from memory.audit_event e where e.company_id = c.id)
             from identity.company c order by c.id`,
        );
      let left = 0;
      const failing = await openFailingApp(t, service, () => {
        left -= 1;
        return left < 0 ? databaseError('XX000') : null;
      });
      const before = await state();
      let failed = 0;
      let answer = await failing.inject(request);
      for (; answer.statusCode >= 500; answer = await failing.inject(request)) {
        assert.deepEqual(await state(), before, `failed behind ${failed} statements`);
        failed += 1;
        left = failed;
      }
      assert.ok(answer.statusCode < 300, answer.body);
      assert.ok(failed > 5, `failed at ${failed} statements`);
      assert.notDeepEqual(await state(), before);
    });
  }
});

test('the database lists Companies only for the claims of the server principal', async () => {
  const owner = await makeWithOwner(await make());
  const { user } = await operator.api.getSession();
  const listedFor = (companyId: string, userId: string) =>
    transaction(database, companyScope({ companyId, userId }), (tx) =>
      listCompanies(tx, { after: null, limit: 200 }),
    );
  assert.ok((await listedFor(first.companyId, user.id)).length > 1);
  const colleague = await addPerson(service, { ...owner, ...first }, { companyRole: 'owner' });
  for (const [companyId, userId] of [
    [owner.companyId, owner.ownerId],
    [owner.companyId, user.id],
    [first.companyId, colleague.userId],
  ] as const)
    assert.deepEqual(await listedFor(companyId, userId), []);
});

test('GET /v1/companies lists all Companies, newest first, with their open accounts and Teams', async () => {
  const owner = await makeWithOwner(await make({ name: 'Storks' }));
  await addPerson(service, owner, { teamRole: 'member' });
  await owner.api.createTeam({ name: 'Another' });
  const all = await operator.all.listCompanies({});
  assert.deepEqual(columns(all.slice(0, 1), 'id', 'name', 'members', 'teams'), [
    [owner.companyId, 'Storks', 2, 2],
  ]);
  assert.equal(all.at(-1)?.id, first.companyId);
  const counted = await operator.send('GET', '/v1/companies?limit=1&count=true');
  assert.equal(counted.json<{ total: number }>().total, all.length);
});
