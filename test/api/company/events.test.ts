import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { ask, type Method, type Recorded, recordedBy } from '../../support/company.ts';
import { databaseError, openFailingApp } from '../../support/failing-database.ts';
import { makeInvitation, newEmail } from '../../support/invites.ts';
import { outcome } from '../../support/sign-in.ts';
import { addPerson, archiveTeam, type Caller } from '../../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** A change under /v1/company, and the one event that records it. */
interface Change {
  caller?: Caller;
  method: Method;
  url: string;
  body?: object;
  event: Partial<Recorded>;
}

const member = (company: SignedIn) => addPerson(service, company, { teamRole: 'member' });
const admin = (company: SignedIn) => addPerson(service, company, { companyRole: 'admin' });

async function request(company: SignedIn) {
  const caller = await admin(company);
  const body = { teamId: company.teamId, access: 'read' };
  const answer = await ask(service, caller, 'POST', '/v1/company/access-requests', body);
  assert.equal(answer.statusCode, 201, answer.body);
  return { id: answer.json<{ id: string }>().id, userId: caller.userId };
}

/** Every change that a route of /v1/company makes, except accepting an invitation. */
const CHANGES: Record<string, (company: SignedIn) => Promise<Change>> = {
  'changing a role': async (company) => {
    const { userId } = await admin(company);
    return {
      method: 'PATCH',
      url: `/v1/company/members/${userId}`,
      body: { role: 'owner' },
      event: {
        kind: 'company.member_role',
        subjectType: 'account',
        subjectId: userId,
        detail: { from: 'admin', to: 'owner', revokedInvites: [], deniedRequests: [] },
      },
    };
  },
  'removing a member': async (company) => {
    const { userId } = await member(company);
    return {
      method: 'DELETE',
      url: `/v1/company/members/${userId}`,
      event: { kind: 'company.member_remove', subjectType: 'account', subjectId: userId },
    };
  },
  'creating a reset link for a member': async (company) => {
    const { userId } = await member(company);
    return {
      method: 'POST',
      url: `/v1/company/members/${userId}/reset-link`,
      event: { kind: 'company.reset_link', subjectType: 'account', subjectId: userId },
    };
  },
  'creating a reset link for an Owner': async ({ teamId, ownerId, ownerEmail }) => ({
    method: 'POST',
    url: '/v1/company/reset-links',
    body: { teamId, email: ownerEmail },
    event: { kind: 'company.reset_link', subjectType: 'account', subjectId: ownerId, teamId },
  }),
  'creating an invitation': async () => ({
    method: 'POST',
    url: '/v1/company/invitations',
    body: { email: newEmail() },
    event: { kind: 'company.invite', subjectType: 'invite' },
  }),
  'replacing an invitation': async (company) => {
    const { invite } = await makeInvitation(service, company);
    return {
      method: 'POST',
      url: '/v1/company/invitations',
      body: { email: invite.email },
      event: { kind: 'company.invite', subjectType: 'invite' },
    };
  },
  'revoking an invitation': async (company) => {
    const { invite } = await makeInvitation(service, company);
    return {
      method: 'DELETE',
      url: `/v1/company/invitations/${invite.id}`,
      event: { kind: 'company.invite_revoke', subjectType: 'invite', subjectId: invite.id },
    };
  },
  'creating a Team': async ({ ownerId }) => ({
    method: 'POST',
    url: '/v1/company/teams',
    body: { name: 'New' },
    event: { kind: 'team.create', subjectType: 'team', detail: { name: 'New', ownerId } },
  }),
  'renaming a Team': async ({ teamId }) => ({
    method: 'PATCH',
    url: `/v1/company/teams/${teamId}`,
    body: { name: 'New' },
    event: {
      kind: 'team.rename',
      subjectType: 'team',
      subjectId: teamId,
      teamId,
      detail: { from: 'Test Team', to: 'New' },
    },
  }),
  'archiving a Team': async ({ teamId }) => ({
    method: 'POST',
    url: `/v1/company/teams/${teamId}/archive`,
    event: { kind: 'team.archive', subjectType: 'team', subjectId: teamId, teamId, detail: {} },
  }),
  'restoring a Team': async ({ teamId }) => {
    await archiveTeam(service, teamId);
    return {
      method: 'POST',
      url: `/v1/company/teams/${teamId}/restore`,
      event: { kind: 'team.restore', subjectType: 'team', subjectId: teamId, teamId, detail: {} },
    };
  },
  'deleting a Team': async ({ teamId }) => {
    await archiveTeam(service, teamId);
    return {
      method: 'DELETE',
      url: `/v1/company/teams/${teamId}`,
      event: {
        kind: 'team.delete',
        subjectType: 'team',
        subjectId: teamId,
        teamId,
        detail: { name: 'Test Team' },
      },
    };
  },
  'requesting access': async (company) => ({
    caller: await admin(company),
    method: 'POST',
    url: '/v1/company/access-requests',
    body: { teamId: company.teamId, access: 'full', reason: 'a reason of one’s own' },
    event: {
      kind: 'company.access_request',
      subjectType: 'access_request',
      teamId: company.teamId,
      detail: { access: 'full' },
    },
  }),
  'approving an access request': async (company) => {
    const { id, userId } = await request(company);
    return {
      method: 'POST',
      url: `/v1/company/access-requests/${id}/approve`,
      event: {
        kind: 'company.access_approve',
        subjectType: 'access_request',
        subjectId: id,
        teamId: company.teamId,
        detail: { userId, access: 'read' },
      },
    };
  },
  'denying an access request': async (company) => {
    const { id, userId } = await request(company);
    return {
      method: 'POST',
      url: `/v1/company/access-requests/${id}/deny`,
      event: {
        kind: 'company.access_deny',
        subjectType: 'access_request',
        subjectId: id,
        teamId: company.teamId,
        detail: { userId, access: 'read' },
      },
    };
  },
  'giving a Company grant': async (company) => {
    const { userId } = await admin(company);
    return {
      method: 'PUT',
      url: `/v1/company/grants/${userId}/${company.teamId}`,
      body: { access: 'full' },
      event: {
        kind: 'company.grant',
        subjectType: 'account',
        subjectId: userId,
        teamId: company.teamId,
        detail: { access: 'full', revokedInvites: [] },
      },
    };
  },
  'revoking a Company grant': async (company) => {
    const { userId } = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    return {
      method: 'DELETE',
      url: `/v1/company/grants/${userId}/${company.teamId}`,
      event: {
        kind: 'company.grant_revoke',
        subjectType: 'account',
        subjectId: userId,
        teamId: company.teamId,
        detail: { revokedInvites: [] },
      },
    };
  },
};

const tables = await database.query<{ name: string }>(
  `select table_schema || '.' || table_name as name from information_schema.columns
    where column_name = 'company_id' and table_schema in ('identity', 'memory') order by 1`,
);

/** Everything that a change of the Company could change, jobs included. */
async function stateOf({ companyId }: SignedIn): Promise<Record<string, unknown[]>> {
  const state: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    state[name] = await database.query(
      `select to_jsonb(t) - 'last_seen_at' as row from ${name} t where company_id = $1 order by 1`,
      [companyId],
    );
  }
  state['jobs'] = await database.query(
    `select id from pgboss.job where data ->> 'companyId' = $1::text order by 1`,
    [companyId],
  );
  return state;
}

for (const [name, prepare] of Object.entries(CHANGES)) {
  describe(`the audit event of ${name}`, () => {
    test(`records one event without secrets for ${name}`, async () => {
      const company = await service.company();
      const { caller = company, method, url, body, event } = await prepare(company);
      let answer = { statusCode: 0, body: '' };
      const { events, text } = await recordedBy(service, company, async () => {
        answer = await ask(service, caller, method, url, body);
      });
      assert.ok([200, 201, 204].includes(answer.statusCode), answer.body);
      assert.equal(events.length, 1);
      const actorId = 'userId' in caller ? caller.userId : company.ownerId;
      // The id of a new Team is known only from its event. Other events belong to the Company by default.
      const teamId = event.kind === 'team.create' ? events[0]?.subjectId : null;
      assert.deepEqual({ ...events[0], actorId, teamId, ...event }, events[0]);
      const secrets = answer.body.match(/(?<![\w-])[\w-]{43}(?![\w-])/g) ?? [];
      for (const secret of [...secrets, company.token, 'a reason of one’s own']) {
        assert.ok(!text.includes(secret), text);
      }
      if (/invit|link/.test(name) && method === 'POST') assert.ok(secrets.length > 0, 'there is a secret');
    });

    test(`rolls back all changes if any statement fails while ${name}`, async (t) => {
      const company = await service.company();
      const { caller = company, method, url, body } = await prepare(company);
      let failing = 1;
      let statements = 0;
      const app = await openFailingApp(t, service, () => {
        statements += 1;
        return statements === failing ? databaseError('42P01') : null;
      });
      const before = await stateOf(company);
      for (;;) {
        statements = 0;
        const answer = await ask({ app }, caller, method, url, body);
        if (statements < failing) {
          assert.ok([200, 201, 204].includes(answer.statusCode), answer.body);
          break;
        }
        assert.equal(outcome(answer), '500 internal_error', `statement ${failing}`);
        assert.deepEqual(await stateOf(company), before, `statement ${failing}`);
        failing += 1;
      }
      assert.ok(failing > 4, `${failing - 1} statements`);
      assert.notDeepEqual(await stateOf(company), before);
    });
  });
}
