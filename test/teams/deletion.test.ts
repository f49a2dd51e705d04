import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { Team } from '../../shared/schemas/teams.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { callerOf, type TeamCaller } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { addPasswordHolder, join, makeInvite, newEmail } from '../support/invites.ts';
import { askSession, outcome } from '../support/sign-in.ts';
import { addPerson, addTeam, archiveTeam, type Caller, withoutRequestId } from '../support/team.ts';

const service = await openTestApp();
const { app, database } = service;

const remove = (caller: Caller, teamId: string) => caller.ask.deleteTeam(teamId);

async function end(company: SignedIn, teamId = company.teamId): Promise<void> {
  await archiveTeam(service, teamId);
  const answer = await remove(company, teamId);
  assert.equal(answer.statusCode, 204, answer.body);
  assert.equal(answer.body, '');
}

function purgeJobs(teamId: string): Promise<{ data: object }[]> {
  return database.query(
    `select data from pgboss.job where name = 'team.purge' and data ->> 'teamId' = $1::text`,
    [teamId],
  );
}

/** The status and the body of a response, without the request id. */
const said = ({ statusCode, body }: { statusCode: number; body: string }) =>
  `${statusCode} ${withoutRequestId(body)}`;

describe('DELETE /v1/company/teams/{id}', () => {
  test('six concurrent deletions of a Team record one audit event and enqueue one job', async () => {
    const company = await service.company();
    await archiveTeam(service, company.teamId);
    const { events } = await recordedBy(service, company, async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => remove(company, company.teamId)));
      const statuses = answers.map(({ statusCode }) => statusCode);
      assert.deepEqual(statuses.sort(), [204, 404, 404, 404, 404, 404]);
    });
    const { companyId, ownerId: userId, teamId } = company;
    assert.equal(events.length, 1);
    assert.deepEqual(await purgeJobs(teamId), [{ data: { companyId, teamId, userId } }]);
  });
});

describe('a deleted Team', () => {
  test('a deleted Team returns 403 to its members, like an unknown Team', async () => {
    const company = await service.company();
    const people: TeamCaller[] = [
      company,
      await addPerson(service, company, { teamRole: 'member' }),
      await addPerson(service, company, { teamRole: 'owner' }),
      await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' }),
    ];
    await end(company);
    for (const caller of people) {
      const { authorization } = caller.headers;
      const session = await askSession(service, authorization.slice('Bearer '.length));
      assert.deepEqual(session.json<Session>().teams, []);
      const unknown = callerOf(service.app, { authorization, 'memory-team': newId() });
      for (const url of ['/v1/team', '/v1/memory/status', '/v1/memory/audit', '/v1/team/members']) {
        const answer = await caller.send('GET', url);
        assert.equal(outcome(answer), '403 team_forbidden', url);
        assert.equal(said(answer), said(await unknown.send('GET', url)));
        const none = await app.inject({ url, headers: { authorization } });
        assert.equal(outcome(none), '403 team_forbidden', 'nor is it the only Team');
      }
      const search = { query: 'x', scope: {} };
      assert.equal(outcome(await caller.ask.searchMemory(search)), '403 team_forbidden');
    }
  });

  test('deleting a Team does not change the other Teams of its members', async () => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    const member = await addPerson(service, { ...company, teamId }, { teamRole: 'member' });
    await database.query(
      `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'admin')`,
      [company.companyId, company.teamId, member.userId],
    );
    await end(company);
    const { authorization } = member.headers;
    const answer = await app.inject({ url: '/v1/team', headers: { authorization } });
    assert.deepEqual([answer.statusCode, answer.json<Team>().id], [200, teamId], 'now the only one');
  });

  test('a deleted Team disappears from the Company, with its grants and access requests', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const body = { teamId: company.teamId, access: 'full' };
    const request = (await admin.api.requestAccess(body)).id;
    await end(company);
    assert.deepEqual(await company.all.listTeams(), []);
    assert.deepEqual(await company.all.listCompanyGrants(), []);
    assert.deepEqual(await company.all.listAccessRequests(), []);
    assert.deepEqual(await admin.all.listAccessRequests(), []);
    const grant = `/v1/company/grants/${admin.userId}`;
    for (const [method, url, payload] of [
      ['GET', `/v1/company/teams/{team}`, undefined],
      ['PATCH', `/v1/company/teams/{team}`, { name: 'x' }],
      ['POST', `/v1/company/teams/{team}/archive`, undefined],
      ['POST', `/v1/company/teams/{team}/restore`, undefined],
      ['DELETE', `/v1/company/teams/{team}`, undefined],
      ['PUT', `${grant}/{team}`, { access: 'full' }],
      ['DELETE', `${grant}/{team}`, undefined],
      ['POST', '/v1/company/reset-links', { teamId: company.teamId, email: company.ownerEmail }],
    ] as const) {
      const answer = await company.send(method, url.replace('{team}', company.teamId), payload);
      assert.equal(outcome(answer), '404 not_found', `${method} ${url}`);
      const unknown =
        payload !== undefined && 'teamId' in payload ? { ...payload, teamId: newId() } : payload;
      const none = await company.send(method, url.replace('{team}', newId()), unknown);
      assert.equal(said(answer), said(none));
    }
    const again = await admin.ask.requestAccess(body);
    assert.equal(outcome(again), '404 not_found');
    for (const verb of ['approve', 'deny']) {
      const decided = await company.send('POST', `/v1/company/access-requests/${request}/${verb}`);
      assert.equal(outcome(decided), '404 not_found');
    }
  });

  test('the invites of a deleted Team return 404, like an unknown token', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const made = await company.ask.createTeam({
      name: 'For another',
      ownerEmail: newEmail(),
    });
    const { team, token } = made.json<{ team: Team; token: string }>();
    const tokens = [
      (await makeInvite(service, company)).token,
      (await makeInvite(service, company, { email: person.email })).token,
    ];
    await end(company);
    await end(company, team.id);
    const unknown = said(await join(service, { token: 'of-no-worth' }));
    assert.match(unknown, /^404/);
    for (const each of [...tokens, token]) {
      assert.equal(said(await join(service, { token: each })), unknown);
    }
    const kept = await database.query('select from identity.invite where company_id = $1', [
      company.companyId,
    ]);
    assert.equal(kept.length, 0, 'emails are not kept until the purge');
  });

  test('a Company Owner finds the audit events of a deleted Team by its id', async () => {
    const company = await service.company();
    const text = 'a word of the deleted Team';
    const { source } = await company.api.ingestSource({ title: 'x', text });
    await makeInvite(service, company);
    const other = await addTeam(service, company);
    const byTeam = (teamId: string) => company.all.listCompanyAudit({ teamId });
    await end(company, other);
    const before = await byTeam(company.teamId);
    await end(company);
    const after = await byTeam(company.teamId);
    // The invites are deleted with the Team, and with them the emails.
    const nameless = before.map((event) => ({ ...event, subjectName: null }));
    assert.deepEqual(after.slice(1), nameless);
    assert.deepEqual(column(after, 'kind'), ['team.delete', 'team.invite', 'memory.ingest', 'team.create']);
    assert.equal(after[2]?.subjectId, source.id);
    const others = await byTeam(other);
    assert.deepEqual(columns(others, 'kind', 'teamId'), [['team.delete', other]]);
  });
});
