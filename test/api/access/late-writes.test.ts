import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { ask } from '../../support/company.ts';
import { duringPause } from '../../support/held-app.ts';
import { openPausedApp } from '../../support/paused-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addClient, addPerson, type Person, post } from '../../support/team.ts';

/**
 * A write of memory may be a minute on its way between the look at its caller and the transaction that shows it.
 * Here it is held in between, while what it rests on is taken.
 */
const service = await openTestApp();

type Take = (company: SignedIn, person: Person, clientId: string) => Promise<{ statusCode: number }>;
const take =
  (method: 'POST' | 'DELETE', path: (person: Person, clientId: string, company: SignedIn) => string): Take =>
  (company, person, clientId) =>
    ask(service, company, method, path(person, clientId, company));

const TAKEN: [string, string, Take][] = [
  [
    'the Team was archived',
    '409 team_archived',
    take('POST', (_person, _client, { teamId }) => `/v1/company/teams/${teamId}/archive`),
  ],
  [
    'the client was archived',
    '403 scope_forbidden',
    take('DELETE', (_person, clientId) => `/v1/team/clients/${clientId}`),
  ],
  [
    'the grant was deleted',
    '403 scope_forbidden',
    take('DELETE', ({ userId }, clientId) => `/v1/team/grants/${userId}/${clientId}`),
  ],
  [
    'the member was removed from the Team',
    '403 team_forbidden',
    take('DELETE', ({ userId }) => `/v1/team/members/${userId}`),
  ],
  [
    'the account was closed',
    '401 unauthenticated',
    take('DELETE', ({ userId }) => `/v1/company/members/${userId}`),
  ],
];

const WRITES = {
  ingest: (clientId: string) => ({ title: 'x', text: 'late', scope: { clientId } }),
  imports: (clientId: string) => ({ items: [{ filename: 'a.txt', text: 'late' }], scope: { clientId } }),
};

describe('a write by a caller who loses access during the request', () => {
  for (const [what, refusal, taken] of TAKEN) {
    for (const route of ['ingest', 'imports'] as const) {
      test(`${route} fails and stores nothing if ${what} before it finished`, async (t) => {
        const company = await service.company();
        const clientId = await addClient(service, company);
        const person = await addPerson(service, company, {
          teamRole: 'member',
          clients: { [clientId]: 'write' },
        });
        const answer = await duringPause(
          await openPausedApp(t, service),
          (held) => post(held, person, `/v1/memory/${route}`, WRITES[route](clientId)),
          async () => {
            const { statusCode } = await taken(company, person, clientId);
            assert.ok(statusCode < 300, String(statusCode));
          },
        );
        assert.equal(outcome(answer), refusal);
        for (const table of ['source', 'import', 'chunk']) {
          const rows = await service.database.query(`select from memory.${table} where team_id = $1`, [
            company.teamId,
          ]);
          assert.equal(rows.length, 0, table);
        }
      });
    }
  }
});
