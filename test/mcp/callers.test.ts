import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { PERMISSION_NAMES, type Permission } from '../../shared/permissions.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { API_TOKEN, openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { callerOf } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { plantImport } from '../support/import-records.ts';
import { called, callTool, listedTools, toolOutcome } from '../support/mcp.ts';
import { addMemories, addMemory } from '../support/memories.ts';
import { readTable } from '../support/tables.ts';
import { addClient, addPerson, archiveTeam, type Caller } from '../support/team.ts';

const service = await openTestApp();

const MOST_DECISIONS = 30;

/** What calls are about, in the Team and in its client A. */
interface Scene {
  company: SignedIn;
  clientId: string;
  sources: { team: string; client: string };
  chunks: { client: string };
  imports: { client: string };
  /** Memories in review. Each decision takes one. */
  memories: string[];
}

async function openScene(): Promise<Scene> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const store = async (args: object) => (await called<{ id: string }>(company, 'remember', args)).id;
  const sources = {
    team: await store({ text: 'a walrus of the Team' }),
    client: await store({ text: 'a walrus of the client', client: clientId }),
  };
  type Found = { results: { id: string; location: { chunkId: string } }[] };
  const { results } = await called<Found>(company, 'search', { query: 'walrus', client: 'all' });
  const found = results.find(({ id }) => id === sources.client);
  return {
    company,
    clientId,
    sources,
    chunks: { client: found?.location.chunkId ?? '' },
    imports: { client: await plantImport(service, company, { clientId }) },
    memories: (await addMemories(company, 'review', Array(MOST_DECISIONS).fill({}))).map(({ id }) => id),
  };
}

/** A new source that the Owner has made, to be forgotten. In an archived Team, one from before. */
async function sourceToForget({ company, sources }: Scene, clientId?: string): Promise<string> {
  if (company.teamId === archivedScene.company.teamId) return sources.team;
  const args = { text: `An auk ${newId()}`, ...(clientId !== undefined && { client: clientId }) };
  return (await called<{ id: string }>(company, 'remember', args)).id;
}

/** The arguments of a call, by its row, whose first word is the tool. Each call has records of its own where it changes them. */
const CALLS: Readonly<Record<string, (scene: Scene) => Promise<object> | object>> = {
  search: () => ({ query: 'walrus' }),
  'search in A': ({ clientId }) => ({ query: 'walrus', client: clientId }),
  fetch: ({ sources }) => ({ id: sources.team }),
  'fetch of A': ({ sources }) => ({ id: sources.client }),
  expand: () => ({ chunk: 'nonsense' }),
  whoami: () => ({}),
  remember: () => ({ text: `A gull ${newId()}` }),
  'remember in A': ({ clientId }) => ({ text: `A gull ${newId()}`, client: clientId }),
  forget: async (own) => ({ id: await sourceToForget(own) }),
  'forget in A': async (own) => ({ id: await sourceToForget(own, own.clientId) }),
  stage_session: () => ({ session: newId(), sequence: 1, text: 'A gull' }),
  'stage_session in A': ({ clientId }) => ({
    session: newId(),
    sequence: 1,
    text: 'A gull',
    client: clientId,
  }),
  import_status: () => ({}),
  'import_status of A': ({ imports }) => ({ id: imports.client }),
  claim_captures: () => ({}),
  'claim_captures in A': ({ clientId }) => ({ clientId }),
  complete_captures: ({ company }) => ({ batchId: company.teamId, items: [] }),
  decide_memory: ({ memories }) => ({ id: memories.pop(), version: 1, action: 'publish' }),
};

/** What the call of a row gets. */
async function outcomeOf(caller: Caller, name: string, own: Scene): Promise<string> {
  return toolOutcome(caller, toolOf(name), await CALLS[name]!(own));
}
const toolOf = (name: string) => name.split(' ', 1)[0] ?? '';

/** What the cells stand for, if it is not themselves. */
const OUTCOMES: Record<string, string> = {
  scope: 'scope_forbidden',
  full: 'full_access_required',
  team: 'team_forbidden',
  404: 'not_found',
  archived: 'team_archived',
};

/**
 * What each call gets, by hand:
 *
 * - member: a Team Member without a grant; granted, reading: with the grant `write`, `read` on client A
 * - reader, full Admin: a Company Admin with a Company grant
 * - stranger: a member of the Company without a Team
 * - archived: the Owner, in an archived Team
 */
const TABLE = readTable(`
  call                 | owner | member | granted | reading | reader | full Admin | stranger | archived
  search               | ok    | ok     | ok      | ok      | ok     | ok         | team     | ok
  search in A          | ok    | scope  | ok      | ok      | ok     | ok         | team     | ok
  fetch                | ok    | ok     | ok      | ok      | ok     | ok         | team     | ok
  fetch of A           | ok    | 404    | ok      | ok      | ok     | ok         | team     | ok
  expand               | ok    | ok     | ok      | ok      | ok     | ok         | team     | ok
  whoami               | ok    | ok     | ok      | ok      | ok     | ok         | ok       | ok
  remember             | ok    | ok     | ok      | ok      | scope  | ok         | team     | archived
  remember in A        | ok    | scope  | ok      | scope   | scope  | ok         | team     | archived
  forget               | ok    | forbidden | forbidden | forbidden | scope | ok     | team     | archived
  forget in A          | ok    | 404    | forbidden | forbidden | scope | ok     | team     | archived
  stage_session        | ok    | ok     | ok      | ok      | scope  | ok         | team     | archived
  stage_session in A   | ok    | scope  | ok      | scope   | scope  | ok         | team     | archived
  import_status        | ok    | ok     | ok      | ok      | ok     | ok         | team     | ok
  import_status of A   | ok    | 404    | ok      | ok      | ok     | ok         | team     | ok
  claim_captures       | ok    | ok     | ok      | ok      | scope  | ok         | team     | archived
  claim_captures in A  | ok    | scope  | ok      | scope   | scope  | ok         | team     | archived
  complete_captures    | 404   | 404    | 404     | 404     | scope  | 404        | team     | 404
  decide_memory        | ok    | full   | full    | full    | full   | ok         | team     | archived
`);

/** The tools, by the permission that an agent token needs: one of these. */
const PERMITTED: Readonly<Record<string, readonly Permission[] | 'any'>> = {
  search: ['memory:read'],
  fetch: ['memory:read'],
  expand: ['memory:read'],
  whoami: 'any',
  remember: ['memory:write'],
  forget: ['memory:write'],
  stage_session: ['memory:write', 'memory:curate'],
  import_status: ['memory:read'],
  claim_captures: ['memory:curate'],
  complete_captures: ['memory:curate'],
  decide_memory: ['memory:review'],
};
const ALL_TOOLS = Object.keys(PERMITTED);
const permits = (tool: string, permissions: readonly Permission[]) => {
  const needed = PERMITTED[tool];
  return needed === 'any' || needed?.some((one) => permissions.includes(one)) === true;
};

const scene = await openScene();
const { company, clientId } = scene;
const archivedScene = await openScene();
await archiveTeam(service, archivedScene.company.teamId);

const PEOPLE: Readonly<Record<string, Caller>> = {
  owner: company,
  member: await addPerson(service, company, { teamRole: 'member' }),
  granted: await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } }),
  reading: await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'read' } }),
  reader: await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' }),
  'full Admin': await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' }),
  stranger: await addPerson(service, company, {}),
  archived: archivedScene.company,
};

describe('every tool for every person', () => {
  for (const { call = '', ...row } of TABLE) {
    test(`returns what the table says: ${call}`, async () => {
      for (const [person, cell] of Object.entries(row)) {
        // A caller without a Team names none.
        const { 'memory-team': team, ...headers } = PEOPLE[person]!.headers;
        const isUnnamed = call === 'whoami' && person === 'stranger';
        const caller = callerOf(service.app, isUnnamed ? headers : { ...headers, 'memory-team': team! });
        const own = person === 'archived' ? archivedScene : scene;
        assert.equal(await outcomeOf(caller, call, own), OUTCOMES[cell] ?? cell, person);
      }
    });
  }
});

describe('the list of tools', () => {
  test('has only what a person can use in one of their Teams, in the same order', async () => {
    assert.deepEqual(await listedTools(company), ALL_TOOLS);
    const without = (...tools: string[]) => ALL_TOOLS.filter((tool) => !tools.includes(tool));
    const writing = ['remember', 'forget', 'stage_session', 'claim_captures', 'complete_captures'];
    assert.deepEqual(await listedTools(PEOPLE['member']!), without('decide_memory'));
    assert.deepEqual(await listedTools(PEOPLE['reader']!), without(...writing, 'decide_memory'));
    assert.deepEqual(await listedTools(PEOPLE['stranger']!), ['whoami']);
  });
});

describe('every tool for agent tokens', () => {
  const sets: (readonly Permission[])[] = [
    ...PERMISSION_NAMES.map((permission) => [permission]),
    ['memory:read', 'memory:write'],
    PERMISSION_NAMES,
  ];
  for (const permissions of sets) {
    test(`lists and permits what the token permits: ${permissions.join(' ')}`, async () => {
      const agent = await createAgent(service, company, company, { permissions });
      assert.deepEqual(
        await listedTools(agent),
        ALL_TOOLS.filter((tool) => permits(tool, permissions)),
      );
      for (const { call = '', owner: cell = '' } of TABLE) {
        const expected = permits(toolOf(call), permissions)
          ? (OUTCOMES[cell] ?? cell)
          : 'permission_required';
        assert.equal(await outcomeOf(agent, call, scene), expected, call);
      }
    });
  }

  test('shows similar memories only to a token that can read memories', async () => {
    const own = await service.company();
    const content = 'The walrus sleeps at noon on the flat rock near the harbour';
    const memory = await addMemory(own, 'published', { content });
    const similarFor = async (permissions: Permission[]) => {
      const agent = await createAgent(service, own, own, { permissions });
      const args = { text: `${content}, ${Math.random()}` };
      const { similar } = await called<{ similar: { memoryId: string }[] }>(agent, 'remember', args);
      return column(similar, 'memoryId');
    };
    assert.deepEqual(await similarFor(['memory:write']), []);
    assert.deepEqual(await similarFor(['memory:write', 'memory:read']), [memory.id]);
  });

  test('lists in whoami only what the token permits to write', async () => {
    const own = await service.company();
    await addClient(service, own);
    const writable = async (permissions: Permission[]) => {
      const agent = await createAgent(service, own, own, { permissions });
      type Own = { canWrite: object; clients: { access: string }[] };
      const { canWrite, clients } = await called<Own>(agent, 'whoami');
      return [canWrite, column(clients, 'access')];
    };
    assert.deepEqual(await writable(['memory:read']), [{ teamLayer: false, clients: 0 }, ['read']]);
    assert.deepEqual(await writable(['memory:write']), [{ teamLayer: true, clients: 1 }, ['write']]);
    assert.deepEqual(await writable(['memory:curate']), [{ teamLayer: false, clients: 0 }, ['write']]);
  });

  test('shows in whoami the permissions and the end of the credential', async () => {
    const own = await service.company();
    const shown = async (caller: Caller) => {
      const { permissions, expiresAt } = await called(caller, 'whoami');
      return { permissions, expiresAt };
    };
    const permissions = ['memory:read', 'memory:write'] as const;
    const agent = await createAgent(service, own, own, { permissions });
    assert.deepEqual(await shown(agent), { permissions, expiresAt: agent.record.expiresAt });
    const session = await own.api.getSession();
    assert.deepEqual(await shown(own), { permissions: null, expiresAt: session.expiresAt });
    const server = callerOf(service.app, { authorization: `Bearer ${API_TOKEN}` });
    assert.deepEqual(await shown(server), { permissions: null, expiresAt: null });
  });

  test('permits no more than the rights of the owner', async () => {
    const agent = await createAgent(service, PEOPLE['member']!, company);
    assert.ok(!(await listedTools(agent)).includes('decide_memory'));
    for (const { call = '', member: cell = '' } of TABLE) {
      assert.equal(await outcomeOf(agent, call, scene), OUTCOMES[cell] ?? cell, call);
    }
  });

  test('names the missing permission in the refusal, before the Team and the arguments', async () => {
    const agent = await createAgent(service, company, company, { permissions: ['workspace:read'] });
    const { text } = await callTool(agent, 'search', { team: 'nope', limit: 99 });
    assert.match(text, /^permission_required: The agent token does not have the permission memory:read\./);
  });

  test('limits every tool to the clients of the token', async () => {
    const agent = await createAgent(service, company, company, { clientIds: [] });
    const memory = await addMemory(company, 'review', {}, clientId);
    const decision = { id: memory.id, version: 1, action: 'publish' };
    for (const [tool, args, expected] of [
      ['search', { query: 'walrus', client: clientId }, 'scope_forbidden'],
      ['fetch', { id: scene.sources.client }, 'not_found'],
      ['decide_memory', decision, 'not_found'],
    ] as const) {
      assert.equal(await toolOutcome(agent, tool, args), expected, tool);
    }
    const everywhere = { query: 'walrus', client: 'all' };
    const { results } = await called<{ results: { id: string }[] }>(agent, 'search', everywhere);
    assert.deepEqual(column(results, 'id'), [scene.sources.team]);
    const expanded = await called(agent, 'expand', { chunk: scene.chunks.client });
    assert.deepEqual(expanded['chunks'], []);
    await stageCapture(company, { scope: { clientId } });
    type Claimed = { batch: { captures: { clientId: string | null }[] } | null };
    const { batch } = await called<Claimed>(agent, 'claim_captures');
    assert.ok((batch?.captures ?? []).every((capture) => capture.clientId === null));
  });
});
