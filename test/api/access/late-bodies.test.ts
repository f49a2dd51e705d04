import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { ask, type Method } from '../../support/company.ts';
import { addPasswordHolder } from '../../support/invites.ts';
import { outcome } from '../../support/sign-in.ts';
import {
  addClient,
  addPerson,
  archiveTeam,
  type Caller,
  type Person,
  type Ties,
} from '../../support/team.ts';
import { listenForLateBodies, type Wish } from './late-body.ts';

/**
 * A request whose head comes while its caller has a right, and whose body comes when that is gone. Guards look
 * first at the head: everything here was let in by that look, and must be refused by a second one.
 */
const service = await openTestApp();
const sendLate = await listenForLateBodies(service);

/** Has a change made by the Owner of the Company, which must come about. */
async function change(company: Caller, method: Method, url: string, payload?: object): Promise<void> {
  const answer = await ask(service, company, method, url, payload);
  assert.ok(answer.statusCode < 300, answer.body);
}

async function scene(ties: Ties): Promise<{ company: SignedIn; person: Person }> {
  const company = await service.company();
  return { company, person: await addPerson(service, company, ties) };
}

const ingest = (caller: Wish['caller'], scope: object = {}): Wish => ({
  caller,
  method: 'POST',
  url: '/v1/memory/ingest',
  body: { title: 'A text', text: 'What came late.', scope },
});

/** How many sources there are in a Team. */
const sourcesOf = ({ teamId }: SignedIn) =>
  service.database
    .query('select from memory.source where team_id = $1', [teamId])
    .then(({ length }) => length);

async function rolesOf({ userId }: Person): Promise<(string | null | undefined)[]> {
  const [row] = await service.database.query<{ role: string; teamRole: string | null }>(
    `select a.role, m.role as "teamRole" from identity.account a
       left join identity.team_member m on m.user_id = a.id where a.id = $1`,
    [userId],
  );
  return [row?.role, row?.teamRole];
}

// Concurrent, because each test waits for more than a second before it ends its body.
describe('a request whose body arrives after its caller lost access', { concurrency: true }, () => {
  test('returns 403 and restores no role for a former Company Owner', async () => {
    const { company, person } = await scene({ companyRole: 'owner' });
    const url = `/v1/company/members/${person.userId}`;
    const late = await sendLate({ caller: person, method: 'PATCH', url, body: { role: 'owner' } }, () =>
      change(company, 'PATCH', url, { role: 'member' }),
    );
    assert.equal(outcome(late), '403 company_role_required');
    assert.deepEqual(await rolesOf(person), ['member', null]);
  });

  test('returns 403 before 404 on a route for Company Owners', async () => {
    const { company, person } = await scene({ companyRole: 'owner' });
    // An Admin may still enter /v1/company; to an Owner this would be 404.
    const url = '/v1/company/members/no-one';
    const late = await sendLate({ caller: person, method: 'PATCH', url, body: { role: 'admin' } }, () =>
      change(company, 'PATCH', `/v1/company/members/${person.userId}`, { role: 'admin' }),
    );
    assert.equal(outcome(late), '403 company_role_required');
  });

  test('creates no reset link for a closed account', async () => {
    const { company, person } = await scene({ companyRole: 'owner' });
    const url = `/v1/company/members/${company.ownerId}/reset-link`;
    const late = await sendLate({ caller: person, method: 'POST', url, body: {} }, () =>
      change(company, 'DELETE', `/v1/company/members/${person.userId}`),
    );
    assert.equal(outcome(late), '401 unauthenticated');
    const links = await service.database.query('select from identity.reset_link where company_id = $1', [
      company.companyId,
    ]);
    assert.equal(links.length, 0);
  });

  test('stores nothing for a closed account', async () => {
    const { company, person } = await scene({ teamRole: 'member' });
    const late = await sendLate(ingest(person), () =>
      change(company, 'DELETE', `/v1/company/members/${person.userId}`),
    );
    assert.equal(outcome(late), '401 unauthenticated');
    assert.equal(await sourcesOf(company), 0);
  });

  test('changes no role for a former Team Admin', async () => {
    const { company, person } = await scene({ teamRole: 'admin' });
    const url = `/v1/team/members/${person.userId}`;
    const late = await sendLate({ caller: person, method: 'PATCH', url, body: { role: 'admin' } }, () =>
      change(company, 'PATCH', url, { role: 'member' }),
    );
    assert.equal(outcome(late), '403 full_access_required');
    assert.deepEqual(await rolesOf(person), ['member', 'member']);
  });

  test('returns 403 before 404 on a route that requires Full access', async () => {
    const { company, person } = await scene({ teamRole: 'admin' });
    // A member may still enter the Team; with Full access this would be 404.
    const url = '/v1/team/members/no-one';
    const late = await sendLate({ caller: person, method: 'PATCH', url, body: { role: 'admin' } }, () =>
      change(company, 'PATCH', `/v1/team/members/${person.userId}`, { role: 'member' }),
    );
    assert.equal(outcome(late), '403 full_access_required');
  });

  test('stores nothing for a member who was removed from the Team', async () => {
    const { company, person } = await scene({ teamRole: 'member' });
    const late = await sendLate(ingest(person), () =>
      change(company, 'DELETE', `/v1/team/members/${person.userId}`),
    );
    assert.equal(outcome(late), '403 team_forbidden');
    assert.equal(await sourcesOf(company), 0);
  });

  test('returns 401 for a search whose session was ended', async () => {
    const { person } = await scene({ teamRole: 'member' });
    const search = {
      caller: person,
      method: 'POST',
      url: '/v1/memory/search',
      body: { query: 'What came late.', scope: {} },
    } as const;
    const late = await sendLate(search, () => change(person, 'POST', '/v1/auth/logout'));
    assert.equal(outcome(late), '401 unauthenticated');
  });

  test('does not change the password after the session was ended', async () => {
    const company = await service.company();
    const currentPassword = 'a password of this test';
    const person = await addPasswordHolder(service, company, { teamRole: 'member' }, currentPassword);
    const body = { currentPassword, newPassword: 'another password of this test' };
    const wish = { caller: person, method: 'POST', url: '/v1/auth/password', body } as const;
    const late = await sendLate(wish, () => change(person, 'POST', '/v1/auth/logout'));
    assert.equal(outcome(late), '401 unauthenticated');
  });

  test('stores nothing in a Team that was archived', async () => {
    const { company, person } = await scene({ teamRole: 'member' });
    const late = await sendLate(ingest(person), () => archiveTeam(service, company.teamId));
    assert.equal(outcome(late), '409 team_archived');
    assert.equal(await sourcesOf(company), 0);
  });

  test('stores nothing for a client whose grant was deleted', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const ties = { teamRole: 'member', clients: { [clientId]: 'write' } } as const;
    const person = await addPerson(service, company, ties);
    const late = await sendLate(ingest(person, { clientId }), () =>
      change(company, 'DELETE', `/v1/team/grants/${person.userId}/${clientId}`),
    );
    assert.equal(outcome(late), '403 scope_forbidden');
    assert.equal(await sourcesOf(company), 0);
  });
});

describe('a request whose body arrives late, from a caller with access', {
  concurrency: true,
}, () => {
  const nothing = async () => {};

  test('stores the source, in the Team layer and in a client', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const ties = { teamRole: 'member', clients: { [clientId]: 'write' } } as const;
    const callers = [
      await addPerson(service, company, ties),
      await addPerson(service, company, ties),
    ] as const;
    const answers = await Promise.all([
      sendLate(ingest(callers[0]), nothing),
      sendLate(ingest(callers[1], { clientId }), nothing),
    ]);
    assert.deepEqual(answers.map(outcome), ['201', '201']);
    assert.equal(await sourcesOf(company), 2);
  });

  test('changes roles in the Team and in the Company', async () => {
    const { company, person } = await scene({ teamRole: 'member' });
    const owner = await addPerson(service, company, { companyRole: 'owner' });
    const body = { role: 'admin' };
    const patch = (caller: Wish['caller'], url: string): Wish => ({ caller, method: 'PATCH', url, body });
    const answers = await Promise.all([
      sendLate(patch(company, `/v1/team/members/${person.userId}`), nothing),
      sendLate(patch(owner, `/v1/company/members/${person.userId}`), nothing),
    ]);
    assert.deepEqual(answers.map(outcome), ['200', '200']);
    assert.deepEqual(await rolesOf(person), ['admin', 'admin']);
  });

  test('uses a role that the caller got before the body arrived, and returns 404 as usual', async () => {
    const { company, person } = await scene({ teamRole: 'admin' });
    const url = `/v1/team/members/${newId()}`;
    const wish = { caller: person, method: 'PATCH', url, body: { role: 'owner' } } as const;
    const late = await sendLate(wish, () =>
      change(company, 'PATCH', `/v1/team/members/${person.userId}`, { role: 'owner' }),
    );
    assert.equal(outcome(late), '404 not_found');
  });
});
