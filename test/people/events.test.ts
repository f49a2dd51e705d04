import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import type { Method } from '../support/client/client.ts';
import { via } from '../support/client/client.ts';
import { type Recorded, recordedBy } from '../support/company.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { makeInvitation, newEmail } from '../support/invites.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson, archiveTeam, type Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** A change under /v1/company, the one event that records it, and who makes it, if not the Owner. */
type Change = [method: Method, path: string, body: object, event: Partial<Recorded>, caller?: Caller];

const member = (company: SignedIn) => addPerson(service, company, { teamRole: 'member' });
const admin = (company: SignedIn) => addPerson(service, company, { companyRole: 'admin' });
const account = (subjectId: string) => ({ subjectType: 'account', subjectId }) as const;
const team = (teamId: string) => ({ subjectType: 'team', subjectId: teamId, teamId }) as const;

/** The access request of an Admin, and what an event says of it and of the Admin. */
async function request(company: SignedIn) {
  const caller = await admin(company);
  const { teamId } = company;
  const { id } = await caller.api.requestAccess({
    teamId,
    access: 'read',
  });
  const detail = { userId: caller.userId, access: 'read' };
  return { id, about: { subjectType: 'access_request', subjectId: id, teamId, detail } as const };
}

/** Every change that a route of /v1/company makes, except accepting an invitation. */
const CHANGES: Record<string, (company: SignedIn) => Promise<Change>> = {
  'changing a role': async (company) => {
    const { userId } = await admin(company);
    const detail = { from: 'admin', to: 'owner', revokedInvites: [], deniedRequests: [] };
    const event = { kind: 'company.member_role', ...account(userId), detail } as const;
    return ['PATCH', `members/${userId}`, { role: 'owner' }, event];
  },
  'removing a member': async (company) => {
    const { userId } = await member(company);
    return ['DELETE', `members/${userId}`, {}, { kind: 'company.member_remove', ...account(userId) }];
  },
  'creating a reset link for a member': async (company) => {
    const { userId } = await member(company);
    return ['POST', `members/${userId}/reset-link`, {}, { kind: 'company.reset_link', ...account(userId) }];
  },
  'creating a reset link for an Owner': async ({ teamId, ownerId, ownerEmail }) => {
    const event = { kind: 'company.reset_link', ...account(ownerId), teamId } as const;
    return ['POST', 'reset-links', { teamId, email: ownerEmail }, event];
  },
  'creating an invitation': async () => [
    'POST',
    'invitations',
    { email: newEmail() },
    { kind: 'company.invite', subjectType: 'invite' },
  ],
  'replacing an invitation': async (company) => {
    const { email } = (await makeInvitation(company)).invite;
    return ['POST', 'invitations', { email }, { kind: 'company.invite', subjectType: 'invite' }];
  },
  'revoking an invitation': async (company) => {
    const { id } = (await makeInvitation(company)).invite;
    const event = { kind: 'company.invite_revoke', subjectType: 'invite', subjectId: id } as const;
    return ['DELETE', `invitations/${id}`, {}, event];
  },
  'creating a Team': async ({ ownerId }) => {
    const event = { kind: 'team.create', subjectType: 'team', detail: { name: 'New', ownerId } } as const;
    return ['POST', 'teams', { name: 'New' }, event];
  },
  'renaming a Team': async ({ teamId }) => {
    const event = { kind: 'team.rename', ...team(teamId), detail: { from: 'Test Team', to: 'New' } } as const;
    return ['PATCH', `teams/${teamId}`, { name: 'New' }, event];
  },
  'archiving a Team': async ({ teamId }) => [
    'POST',
    `teams/${teamId}/archive`,
    {},
    { kind: 'team.archive', ...team(teamId), detail: {} },
  ],
  'restoring a Team': async ({ teamId }) => {
    await archiveTeam(service, teamId);
    return ['POST', `teams/${teamId}/restore`, {}, { kind: 'team.restore', ...team(teamId), detail: {} }];
  },
  'deleting a Team': async ({ teamId }) => {
    await archiveTeam(service, teamId);
    const event = { kind: 'team.delete', ...team(teamId), detail: { name: 'Test Team' } } as const;
    return ['DELETE', `teams/${teamId}`, {}, event];
  },
  'requesting access': async (company) => {
    const { teamId } = company;
    const body = { teamId, access: 'full', reason: 'a reason of one’s own' };
    const about = { subjectType: 'access_request', teamId, detail: { access: 'full' } } as const;
    return [
      'POST',
      'access-requests',
      body,
      { kind: 'company.access_request', ...about },
      await admin(company),
    ];
  },
  'approving an access request': async (company) => {
    const { id, about } = await request(company);
    return ['POST', `access-requests/${id}/approve`, {}, { kind: 'company.access_approve', ...about }];
  },
  'denying an access request': async (company) => {
    const { id, about } = await request(company);
    return ['POST', `access-requests/${id}/deny`, {}, { kind: 'company.access_deny', ...about }];
  },
  'giving a Company grant': async (company) => {
    const { userId } = await admin(company);
    const { teamId } = company;
    const detail = { access: 'full', revokedInvites: [] };
    const event = { kind: 'company.grant', ...account(userId), teamId, detail } as const;
    return ['PUT', `grants/${userId}/${teamId}`, { access: 'full' }, event];
  },
  'revoking a Company grant': async (company) => {
    const { userId } = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    const { teamId } = company;
    const event = {
      kind: 'company.grant_revoke',
      ...account(userId),
      teamId,
      detail: { revokedInvites: [] },
    } as const;
    return ['DELETE', `grants/${userId}/${teamId}`, {}, event];
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
      const [method, path, body, event, caller = company] = await prepare(company);
      let answer = { statusCode: 0, body: '' };
      const { events, text } = await recordedBy(service, company, async () => {
        answer = await caller.send(method, `/v1/company/${path}`, body);
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
      const [method, path, body, , caller = company] = await prepare(company);
      let failing = 1;
      let statements = 0;
      const app = await openFailingApp(t, service, () => {
        statements += 1;
        return statements === failing ? databaseError('42P01') : null;
      });
      const before = await stateOf(company);
      for (;;) {
        statements = 0;
        const answer = await via({ app }, caller).send(method, `/v1/company/${path}`, body);
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
