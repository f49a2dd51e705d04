import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { type AccessChange, changeAccess } from '../support/access-changes.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type Answer, via } from '../support/client/client.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

/** Changes are made in the first process. The second is asked before and after, and must not cache. */
const service = await openTestApp();
const second = await openSecondApp({ after }, service);
type Process = Pick<TestApp, 'app'>;

type Ties = Omit<Parameters<typeof addPerson>[2], 'clients'> & { client?: 'read' | 'write' };
const FULL_GRANT = { companyRole: 'admin', companyGrant: 'full' } as const;
const readTeam = (caller: Caller) => caller.ask.getSelectedTeam();
const readReviews = (caller: Caller) => caller.ask.listMemories();
const readClient = (caller: Caller, clientId: string) => caller.ask.listSources({ clientId });
const store = (caller: Caller, clientId: string) =>
  caller.ask.ingestSource({ title: 'A walrus', text: newId(), scope: { clientId } });

/** What a person may ask, and gets no more after a change of access; their agent token neither. */
const LOSSES: readonly [
  AccessChange,
  Ties,
  (caller: Caller, clientId: string) => PromiseLike<Answer>,
  refusal: string,
  ofToken?: string,
][] = [
  ['the role was lowered', { teamRole: 'admin' }, readReviews, '403 full_access_required'],
  ['the member was removed from the Team', { teamRole: 'member' }, readTeam, '403 team_forbidden', '401'],
  ['the session was ended', { teamRole: 'member' }, readTeam, '401 unauthenticated', '200'],
  ['the account was closed', { teamRole: 'member' }, readTeam, '401 unauthenticated', '401'],
  ['the Company role was lowered to member', { companyRole: 'owner' }, readTeam, '403 team_forbidden', '401'],
  ['the Company grant was lowered', FULL_GRANT, readReviews, '403 full_access_required'],
  ['the Company grant was deleted', FULL_GRANT, readTeam, '403 team_forbidden', '401'],
  ['the grant was lowered', { teamRole: 'member', client: 'write' }, store, '403 scope_forbidden'],
  ['the grant was deleted', { teamRole: 'member', client: 'read' }, readClient, '403 scope_forbidden'],
  ['the client was archived', { teamRole: 'member', client: 'read' }, readClient, '403 scope_forbidden'],
  ['the Team was archived', { teamRole: 'member', client: 'write' }, store, '409 team_archived'],
];

describe('a change of access, seen by every API process', () => {
  for (const [lost, { client, ...ties }, request, refusal, ofToken] of LOSSES) {
    test(`a person and their agent token are refused on the next request: ${lost}`, async () => {
      const company = await service.company();
      const clientId = await addClient(service, company);
      const clients = client === undefined ? {} : { [clientId]: client };
      const person = await addPerson(service, company, { ...ties, clients });
      const agent = await createAgent(service, person, company);
      const answers = (by: Process) =>
        Promise.all(
          [person, agent].map(async (caller) =>
            outcome(await request(via(by, caller), clientId)).slice(0, 3),
          ),
        );
      const expected = [refusal.slice(0, 3), (ofToken ?? refusal).slice(0, 3)];
      assert.match((await answers(second)).join(), /^(200|201),(200|201)$/);
      await changeAccess(service, lost, { company, person, clientId });
      for (const by of [second, service]) assert.deepEqual(await answers(by), expected);
      assert.equal(outcome(await request(via(second, person), clientId)), refusal);
    });
  }

  test('what a change gives applies to the next request, and brings no lost grant back', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    const told = async () => outcome(await via(second, person).ask.getSelectedTeam());
    for (const [role, expected] of [
      ['admin', '200'],
      ['member', '403 team_forbidden'],
      ['admin', '403 team_forbidden'],
      ['owner', '200'],
    ] as const) {
      await company.api.changeCompanyRole(person.userId, { role });
      assert.equal(await told(), expected, role);
    }
  });
});
