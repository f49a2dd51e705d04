import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Permission } from '../../shared/permissions.ts';
import type { Client } from '../../shared/schemas/clients.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import type { SelectedTeam } from '../../shared/schemas/teams.ts';
import { type Agent, createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { complete, keep, lend } from '../support/consolidation.ts';
import { makeInvite } from '../support/invites.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, inTeam, type Person, type Ties } from '../support/team.ts';

const service = await openTestApp();
/** A second API process, which must not remember what the first one changed. */
const second = await openSecondApp({ after }, service);

/** Stores a text in a layer as someone. */
const ingest = (caller: Agent | SignedIn | Person, clientId: string | null, text = 'walrus') =>
  caller.ask.ingestSource({
    title: 'A walrus',
    text: `${text} ${Math.random()}`,
    scope: clientId === null ? {} : { clientId },
  });

describe('the session of an agent token', () => {
  test('shows its permissions, its clients and only its Team, and ends with the token', async () => {
    const company = await service.company();
    await addTeam(service, company);
    const clientId = await addClient(service, company);
    const permissions = ['memory:read', 'workspace:read'] as const;
    const agent = await createAgent(service, company, company, { permissions, clientIds: [clientId] });
    const session = await agent.api.getSession();
    assert.deepEqual(session.permissions, permissions);
    assert.deepEqual(session.agentToken, { id: agent.record.id, name: 'An agent', clientIds: [clientId] });
    assert.deepEqual(column(session.teams, 'id'), [company.teamId]);
    assert.equal(session.user.id, company.ownerId);
    assert.equal(session.expiresAt, agent.record.expiresAt);
    const person = await company.api.getSession();
    assert.equal(person.teams.length, 2);
    assert.deepEqual([person.permissions, person.agentToken], [undefined, undefined]);
  });

  test('selects its Team without a header, and no other Team with one', async () => {
    const company = await service.company();
    const other = await addTeam(service, company);
    const agent = await createAgent(service, company, company);
    const unnamed = await service.app.inject({
      url: '/v1/team',
      headers: { authorization: agent.headers.authorization },
    });
    assert.equal(unnamed.json<SelectedTeam>().id, company.teamId);
    assert.equal(outcome(await inTeam(agent, other).ask.getSelectedTeam()), '403 team_forbidden');
    assert.equal(outcome(await inTeam(company, other).ask.getSelectedTeam()), '200');
  });
});

describe('the permissions of an agent token', () => {
  test('are named in the refusal if the route needs another one', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company, { permissions: ['workspace:read'] });
    const search = await agent.ask.searchMemory({ query: 'x' });
    assert.equal(outcome(search), '403 permission_required');
    assert.match(search.json<{ detail: string }>().detail, /memory:read/);
    const capture = await agent.ask.stageCapture({});
    assert.match(capture.json<{ detail: string }>().detail, /memory:write or memory:curate/);
  });

  test('do not let a token without memory:review supersede a memory by a consolidation', async () => {
    const company = await service.company();
    const { memoryId } = await keep(company, { content: 'The heron nests.' });
    const supersede = async (permissions: readonly Permission[], title?: string) => {
      const agent = await createAgent(service, company, company, { permissions });
      const { batchId, captureIds } = await lend(agent);
      const item = {
        captureIds,
        action: 'publish',
        content: 'The heron dives.',
        ...(title && { title }),
      } as const;
      return complete(agent, batchId, [{ ...item, supersedes: memoryId }]);
    };
    const refused = await supersede(['memory:curate']);
    assert.equal(outcome(refused), '403 permission_required');
    assert.match(refused.json<{ detail: string }>().detail, /memory:review/);
    assert.equal(outcome(await supersede(['memory:curate', 'memory:review'], 'x')), '200');
  });
});

describe('loss of all access to the Team', () => {
  const LOSSES: Record<
    string,
    { ties: Ties; lose: (company: SignedIn, userId: string) => Promise<unknown> }
  > = {
    'removal from the Team': {
      ties: { teamRole: 'member' },
      lose: (company, userId) => company.ask.removeTeamMember(userId),
    },
    'removal from the Company': {
      ties: { teamRole: 'member' },
      lose: (company, userId) => company.ask.removeCompanyMember(userId),
    },
    'a revoked Company grant': {
      ties: { companyRole: 'admin', companyGrant: 'full' },
      lose: (company, userId) => company.ask.revokeCompanyGrant(userId, company.teamId),
    },
    'a lower Company role': {
      ties: { companyRole: 'owner' },
      lose: (company, userId) => company.ask.changeCompanyRole(userId, { role: 'member' }),
    },
  };

  for (const [name, { ties, lose }] of Object.entries(LOSSES)) {
    test(`revokes the agent tokens for good, with an audit event: ${name}`, async () => {
      const company = await service.company();
      const person = await addPerson(service, company, ties);
      const agent = await createAgent(service, person, company);
      const other = await createAgent(service, company, company);
      assert.equal(outcome(await via(second, agent).ask.getSelectedTeam()), '200');
      await lose(company, person.userId);
      assert.equal(outcome(await via(second, agent).ask.getSelectedTeam()), '401 unauthenticated');
      assert.equal(outcome(await via(second, other).ask.getSelectedTeam()), '200');
      const [event] = await company.all.listCompanyAudit({ kind: 'auth.token_revoke' });
      assert.equal(event?.subjectId, agent.record.id);
      assert.equal(event?.actorId, company.ownerId);
      assert.deepEqual(event?.detail, { userId: person.userId, reason: 'access_lost' });
      await service.database.query(
        `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'owner')
         on conflict do nothing`,
        [company.companyId, company.teamId, person.userId],
      );
      assert.equal(
        outcome(await via(second, agent).ask.getSelectedTeam()),
        '401 unauthenticated',
        'after it returned',
      );
    });
  }

  test('ends the use of a token that nothing has revoked', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, person, company);
    await service.database.query('delete from identity.team_member where team_id = $1 and user_id = $2', [
      company.teamId,
      person.userId,
    ]);
    assert.equal(outcome(await agent.ask.getSession()), '401 unauthenticated');
  });

  test('does not count if the owner keeps access by another role', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, {
      companyRole: 'admin',
      companyGrant: 'read',
      teamRole: 'admin',
    });
    const agent = await createAgent(service, person, company);
    assert.equal(outcome(await agent.ask.listMemories()), '200');
    await company.ask.removeTeamMember(person.userId);
    assert.equal(outcome(await agent.ask.listMemories()), '403 full_access_required');
    assert.equal(outcome(await agent.ask.listSources()), '200');
  });

  test('by deletion of the Team ends the tokens and removes them from every list', async () => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    const agent = await createAgent(service, company, { teamId });
    await company.ask.archiveTeam(teamId);
    assert.equal(outcome(await agent.ask.getSelectedTeam()), '200');
    await company.ask.deleteTeam(teamId);
    assert.equal(outcome(await agent.ask.getSelectedTeam()), '401 unauthenticated');
    assert.deepEqual(await company.all.listTokens(), []);
    assert.deepEqual(await company.all.listCompanyTokens(), []);
    const secrets = 'select from identity.agent_token_secret where token_id = $1';
    assert.deepEqual(await service.database.query(secrets, [agent.record.id]), []);
  });
});

describe('the clients of an agent token limit Full access too', () => {
  /** A Team with two clients and an archived one, each with a text, and a token of its Owner for the first client. */
  async function openScene() {
    const company = await service.company();
    const [own, other] = [await addClient(service, company), await addClient(service, company)];
    const sources: Record<string, string> = {};
    for (const clientId of [null, own, other]) {
      const stored = await ingest(company, clientId);
      sources[clientId ?? 'team'] = stored.json<{ source: Source }>().source.id;
    }
    const member = await addPerson(service, company, { teamRole: 'member' });
    for (const clientId of [own, other]) {
      await company.ask.giveClientGrant(member.userId, clientId, { access: 'read' });
    }
    const agent = await createAgent(service, company, company, { clientIds: [own] });
    return { company, own, other, sources, agent };
  }

  test('in what it reads, writes and searches', async () => {
    const { own, other, sources, agent } = await openScene();
    assert.equal(outcome(await ingest(agent, own)), '201');
    assert.equal(outcome(await ingest(agent, other)), '403 scope_forbidden');
    assert.equal(outcome(await agent.ask.getSource(sources[own])), '200');
    assert.equal(outcome(await agent.ask.getSource(sources[other])), '404 not_found');
    const search = await agent.ask.searchMemory({
      query: 'walrus',
      embeddingMode: 'keyword',
      scope: { include: ['team', 'client'] },
    });
    const hits = search.json<{ hits: { client_id: string | null }[] }>().hits;
    assert.deepEqual(new Set(hits.map((hit) => hit.client_id)), new Set([null, own]));
    assert.equal(outcome(await agent.ask.archiveSource(sources[other])), '404 not_found');
    const archived = await agent.ask.archiveSource(sources[own]);
    assert.equal(archived.statusCode, 204);
  });

  test('in the clients, the grants and the audit events that it lists', async () => {
    const { company, own, other, agent } = await openScene();
    const archived = await addClient(service, company, 'archived');
    const idsOf = async (url: string) => (await agent.readAll<Client>(url)).map(({ id }) => id);
    assert.deepEqual(await idsOf('/v1/team/clients'), [own]);
    assert.deepEqual(await idsOf('/v1/team/clients?state=archived'), []);
    assert.equal((await agent.api.getSelectedTeam()).clients, 1);
    const grants = await agent.all.listClientGrants();
    assert.deepEqual(column(grants, 'clientId'), [own]);
    await company.ask.changeClient(other, { name: 'A secret client' });
    await createAgent(service, company, company, { clientIds: [other] });
    await makeInvite(service, company, { grants: [{ clientId: other, access: 'read' }] });
    await company.ask.searchMemory({
      query: 'a secret search',
      embeddingMode: 'keyword',
      scope: { include: ['client'] },
      storeQueryText: true,
    });
    const audit = JSON.stringify(await agent.all.listTeamAudit());
    for (const id of [other, archived, 'ecret']) assert.ok(!audit.includes(id), id);
    assert.ok(audit.includes(own));
    const all = JSON.stringify(await company.all.listTeamAudit());
    for (const id of [other, 'A secret client', 'a secret search']) assert.ok(all.includes(id), id);
  });

  test('in the captures that it is shown of a batch, in lists and after a release', async () => {
    const { company, own, other, agent } = await openScene();
    const { batchId, captureIds } = await lend(company, [own, other]);
    const shown = { id: batchId, captureIds: [captureIds[0]] };
    const batches = await agent.all.listBatches();
    assert.deepEqual(
      batches.map(({ id, captureIds }) => ({ id, captureIds })),
      [shown],
    );
    const released = await agent.ask.releaseBatch({ batchId });
    assert.deepEqual((({ id, captureIds: ids }) => ({ id, captureIds: ids }))(released.json()), shown);
  });

  test('and a client that is archived is not named in the record, until it is restored', async () => {
    const { company, own, agent } = await openScene();
    const record = async () => (await company.all.listTokens()).find(({ id }) => id === agent.record.id);
    await company.ask.archiveClient(own);
    assert.deepEqual((await record())?.clientIds, []);
    await company.ask.changeClient(own, { state: 'active' });
    assert.deepEqual((await record())?.clientIds, [own]);
  });
});
