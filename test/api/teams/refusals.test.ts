import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { type Method, recordedBy } from '../../support/company.ts';
import { newEmail } from '../../support/invites.ts';
import { outcome } from '../../support/sign-in.ts';
import { addClient, addPerson, archiveTeam, type Caller } from '../../support/team.ts';

const service = await openTestApp();

interface Change {
  method: Method;
  url: string;
  body: object;
}

/** Every change under /v1/team, for records that exist. */
async function changes(company: SignedIn): Promise<Change[]> {
  const client = `/v1/team/clients/${await addClient(service, company)}`;
  const { userId } = await addPerson(service, company, { teamRole: 'member' });
  const member = `/v1/team/members/${userId}`;
  const grant = `/v1/team/grants/${userId}/${client.split('/').at(-1)}`;
  return [
    { method: 'POST', url: '/v1/team/clients', body: { name: 'x' } },
    { method: 'PATCH', url: client, body: { name: 'x' } },
    { method: 'DELETE', url: client, body: {} },
    { method: 'PATCH', url: member, body: { role: 'admin' } },
    { method: 'DELETE', url: member, body: {} },
    { method: 'POST', url: '/v1/team/invites', body: { email: newEmail(), role: 'member' } },
    { method: 'DELETE', url: `/v1/team/invites/${newId()}`, body: {} },
    { method: 'PUT', url: grant, body: { access: 'read' } },
    { method: 'DELETE', url: grant, body: {} },
  ];
}

/** The same changes for records that do not exist, each with an otherwise valid body. */
const ELSEWHERE: Change[] = [newId(), 'nonsense'].flatMap((id): Change[] => [
  { method: 'PATCH', url: `/v1/team/clients/${id}`, body: { name: 'x' } },
  { method: 'PATCH', url: `/v1/team/clients/${id}`, body: { state: 'active' } },
  { method: 'DELETE', url: `/v1/team/clients/${id}`, body: {} },
  { method: 'PATCH', url: `/v1/team/members/${id}`, body: { role: 'owner' } },
  { method: 'DELETE', url: `/v1/team/members/${id}`, body: {} },
  {
    method: 'POST',
    url: '/v1/team/invites',
    body: { email: newEmail(), role: 'member', grants: [{ clientId: id, access: 'read' }] },
  },
  { method: 'DELETE', url: `/v1/team/invites/${id}`, body: {} },
  { method: 'PUT', url: `/v1/team/grants/${id}/${id}`, body: { access: 'read' } },
  { method: 'DELETE', url: `/v1/team/grants/${id}/${id}`, body: {} },
]);

const send = ({ headers }: Caller, { method, url }: Change, payload: string, type = 'application/json') =>
  service.app.inject({ method, url, headers: { ...headers, 'content-type': type }, payload });

const LARGE = JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) });

describe('the order of refusals', () => {
  test('returns 403 without Full access before 413, 415, 400 and 404', async () => {
    const company = await service.company();
    const known = await changes(company);
    const callers = [
      await addPerson(service, company, { teamRole: 'member' }),
      await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' }),
    ];
    const { events } = await recordedBy(service, company, async () => {
      for (const caller of callers) {
        for (const change of [...known, ...ELSEWHERE]) {
          for (const [body, type] of [
            [JSON.stringify(change.body), 'application/json'],
            [LARGE, 'application/json'],
            ['x', 'text/plain'],
            ['{', 'application/json'],
            ['{"unknown":1}', 'application/json'],
          ] as const) {
            const answer = await send(caller, change, body, type);
            assert.equal(
              outcome(answer),
              '403 full_access_required',
              `${change.method} ${change.url} ${type}`,
            );
          }
        }
      }
    });
    assert.deepEqual(events, []);
  });

  test('returns 413 and 415 before 400', async () => {
    const company = await service.company();
    for (const change of await changes(company)) {
      const name = `${change.method} ${change.url}`;
      assert.equal(outcome(await send(company, change, `{${LARGE}`)), '413 payload_too_large', name);
      const typed = await send(company, change, '{', 'text/plain');
      assert.equal(outcome(typed), '415 unsupported_media_type', name);
    }
  });

  test('returns 400 before 404', async () => {
    const company = await service.company();
    for (const change of ELSEWHERE) {
      const invalid = JSON.stringify({ ...change.body, unknown: 1 });
      const name = `${change.method} ${change.url}`;
      assert.equal(outcome(await send(company, change, invalid)), '400 invalid_request', name);
      const valid = await send(company, change, JSON.stringify(change.body));
      assert.equal(outcome(valid), '404 not_found', name);
    }
    const clients = { method: 'PATCH', url: `/v1/team/clients/${newId()}` } as const;
    assert.equal(outcome(await send(company, { ...clients, body: {} }, '{}')), '400 invalid_request');
    const invites = { method: 'POST', url: '/v1/team/invites', body: {} } as const;
    const grant = { clientId: 'nonsense', access: 'read' };
    for (const body of [
      { email: newEmail(), role: 'member', grants: [grant, grant] },
      { email: 'nobody', role: 'member', grants: [grant] },
    ]) {
      assert.equal(outcome(await send(company, invites, JSON.stringify(body))), '400 invalid_request');
    }
  });

  test('returns 400 before 404, and 404 before 409 team_archived', async () => {
    const company = await service.company();
    const known = await changes(company);
    await archiveTeam(service, company.teamId);
    for (const change of ELSEWHERE) {
      const answer = await send(company, change, JSON.stringify(change.body));
      assert.equal(outcome(answer), '404 not_found', `${change.method} ${change.url}`);
    }
    for (const change of known) {
      const answer = await send(company, change, '{"unknown":1}');
      assert.equal(outcome(answer), '400 invalid_request', `${change.method} ${change.url}`);
    }
  });

  test('returns 404 for an unknown client before 409 for an invite to a member', async () => {
    const company = await service.company();
    const grants = [{ clientId: newId(), access: 'read' }];
    const body = { email: company.ownerEmail, role: 'admin', grants };
    const change = { method: 'POST', url: '/v1/team/invites', body } as const;
    assert.equal(outcome(await send(company, change, JSON.stringify(body))), '404 not_found');
    const without = JSON.stringify({ ...body, grants: [] });
    assert.equal(outcome(await send(company, change, without)), '409 conflict');
  });

  test('returns 403 forbidden before 409 team_archived', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    await archiveTeam(service, company.teamId);
    const change = { method: 'PATCH', url: `/v1/team/members/${company.ownerId}`, body: {} } as const;
    assert.equal(outcome(await send(admin, change, '{"role":"member"}')), '403 forbidden');
    assert.equal(outcome(await send(company, change, '{"role":"member"}')), '409 team_archived');
  });
});
