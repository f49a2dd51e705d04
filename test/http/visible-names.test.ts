import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import type { Method } from '../support/client/client.ts';
import { recordsNothing } from '../support/company.ts';
import { makeInvitation, makeInvite, PASSWORD } from '../support/invites.ts';
import { requestsWithField } from '../support/request-fields.ts';
import { addClient } from '../support/team.ts';

const service = await openTestApp();

/** Fillers of Hangul, a blank of Braille, joiners, characters of direction, marks and tags: nothing that can be seen. */
const INVISIBLE = [
  '\u3164',
  '\uffa0\u115f',
  '\u2800',
  '\u200b\u200d',
  '\u202e\u2066',
  '\u0301',
  '\u{e0041}\u00ad',
  ' \u00a0',
];
/** Invisible characters that are part of how a name is written. */
const VISIBLE = '\u200fسلام\u200cها 👩\u200d🚀';

type Request = (company: SignedIn) => Promise<{ url: string; body?: object }>;

/** Every request that sets the name of a Company, a Team, a client, a person or a token. */
const REQUESTS: Record<string, Request> = {
  'PATCH /v1/company': async () => ({ url: '/v1/company' }),
  'POST /v1/company/teams': async () => ({ url: '/v1/company/teams' }),
  'PATCH /v1/company/teams/{id}': async ({ teamId }) => ({ url: `/v1/company/teams/${teamId}` }),
  'PATCH /v1/team': async () => ({ url: '/v1/team' }),
  'POST /v1/team/clients': async () => ({ url: '/v1/team/clients' }),
  'PATCH /v1/team/clients/{id}': async (company) => ({
    url: `/v1/team/clients/${await addClient(service, company)}`,
  }),
  'PATCH /v1/auth/account': async () => ({ url: '/v1/auth/account' }),
  'POST /v1/auth/tokens': async ({ teamId }) => ({
    url: '/v1/auth/tokens',
    body: { teamId, permissions: ['memory:read'] },
  }),
  'POST /v1/auth/join': async (company) => ({
    url: '/v1/auth/join',
    body: { token: (await makeInvite(service, company)).token, password: PASSWORD },
  }),
  'POST /v1/company/invitations/accept': async (company) => ({
    url: '/v1/company/invitations/accept',
    body: { token: (await makeInvitation(company)).token, password: PASSWORD },
  }),
};

describe('the names of Companies, Teams, clients, people and tokens', () => {
  for (const [request, make] of Object.entries(REQUESTS)) {
    test(`are 400 without a visible character: ${request}`, async () => {
      const company = await service.company();
      const { url, body } = await make(company);
      const method = request.slice(0, request.indexOf(' ')) as Method;
      const send = (name: string) => company.send(method, url, { ...body, name });
      await recordsNothing(service, company, async () => {
        for (const name of INVISIBLE) {
          const answer = await send(name);
          assert.equal(answer.statusCode, 400, answer.body);
          const { errors } = answer.json<{ errors: object[] }>();
          assert.deepEqual(errors, [{ path: '/name', message: 'must have a visible character' }]);
        }
      });
      const answer = await send(VISIBLE);
      assert.ok(answer.statusCode < 300, answer.body);
      assert.ok(answer.body.includes(VISIBLE));
    });
  }

  test('no other request has the field name', async () => {
    assert.deepEqual(await requestsWithField(service.app, /^name$/), Object.keys(REQUESTS).sort());
  });
});
