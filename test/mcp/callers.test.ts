import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PERMISSION_NAMES, type Permission } from '../../shared/permissions.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { API_TOKEN, openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { callerOf } from '../support/client/client.ts';
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
  const { results } = await called<{ results: { id: string; location: { chunkId: string } }[] }>(
    company,
    'search',
    { query: 'walrus', client: 'all' },
  );
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
  const args = { text: `An auk ${crypto.randomUUID()}`, ...(clientId !== undefined && { client: clientId }) };
  return (await called<{ id: string }>(company, 'remember', args)).id;
}

/** The arguments of a call, by its row. Each call has records of its own where it changes them. */
const CALLS: Readonly<
  Record<string, { tool: string; args: (scene: Scene, caller: Caller) => Promise<object> | object }>
> = {
  search: { tool: 'search', args: () => ({ query: 'walrus' }) },
  'search in A': { tool: 'search', args: ({ clientId }) => ({ query: 'walrus', client: clientId }) },
  fetch: { tool: 'fetch', args: ({ sources }) => ({ id: sources.team }) },
  'fetch of A': { tool: 'fetch', args: ({ sources }) => ({ id: sources.client }) },
  expand: { tool: 'expand', args: () => ({ chunk: 'nonsense' }) },
  whoami: { tool: 'whoami', args: () => ({}) },
  remember: { tool: 'remember', args: () => ({ text: `A gull ${Math.random()}` }) },
  'remember in A': {
    tool: 'remember',
    args: ({ clientId }) => ({ text: `A gull ${Math.random()}`, client: clientId }),
  },
  forget: { tool: 'forget', args: async (own) => ({ id: await sourceToForget(own) }) },
  'forget in A': {
    tool: 'forget',
    args: async (own) => ({ id: await sourceToForget(own, own.clientId) }),
  },
  stage_session: {
    tool: 'stage_session',
    args: () => ({ session: `s ${Math.random()}`, sequence: 1, text: 'A gull' }),
  },
  'stage_session in A': {
    tool: 'stage_session',
    args: ({ clientId }) => ({
      session: `s ${Math.random()}`,
      sequence: 1,
      text: 'A gull',
      client: clientId,
    }),
  },
  import_status: { tool: 'import_status', args: () => ({}) },
  'import_status of A': { tool: 'import_status', args: ({ imports }) => ({ id: imports.client }) },
  claim_captures: { tool: 'claim_captures', args: () => ({}) },
  'claim_captures in A': { tool: 'claim_captures', args: ({ clientId }) => ({ clientId }) },
  complete_captures: {
    tool: 'complete_captures',
    args: ({ company }) => ({ batchId: company.teamId, items: [] }),
  },
  decide_memory: {
    tool: 'decide_memory',
    args: ({ memories }) => ({ id: memories.pop(), version: 1, action: 'publish' }),
  },
};

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
};

describe('every tool for every person', () => {
  for (const row of TABLE) {
    const name = row['call'] ?? '';
    test(`returns what the table says: ${name}`, async () => {
      const call = CALLS[name];
      assert.ok(call);
      for (const [person, caller] of Object.entries(PEOPLE)) {
        const cell = row[person] ?? '';
        const expected = name === 'whoami' && person === 'stranger' ? 'ok' : (OUTCOMES[cell] ?? cell);
        const own = callerOf(service.app, { ...caller.headers });
        // A caller without a Team names none.
        if (name === 'whoami' && person === 'stranger') Reflect.deleteProperty(own.headers, 'memory-team');
        const args = await call.args(scene, own);
        assert.equal(await toolOutcome(own, call.tool, args), expected, person);
      }
      const cell = row['archived'] ?? '';
      const args = await call.args(archivedScene, archivedScene.company);
      const outcome = await toolOutcome(archivedScene.company, call.tool, args);
      assert.equal(outcome, OUTCOMES[cell] ?? cell, 'archived');
    });
  }
});

describe('the list of tools', () => {
  test('has eleven tools in the same order for a person who can use all', async () => {
    assert.deepEqual(await listedTools(company), ALL_TOOLS);
  });

  test('has only what a person can use in one of their Teams', async () => {
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
      for (const row of TABLE) {
        const call = CALLS[row['call'] ?? ''];
        assert.ok(call);
        const cell = row['owner'] ?? '';
        const expected = permits(call.tool, permissions) ? (OUTCOMES[cell] ?? cell) : 'permission_required';
        const args = await call.args(scene, agent);
        assert.equal(await toolOutcome(agent, call.tool, args), expected, row['call']);
      }
    });
  }

  test('shows similar memories only to a token that can read memories', async () => {
    const own = await service.company();
    const content = 'The walrus sleeps at noon on the flat rock near the harbour';
    const memory = await addMemory(own, 'published', { content });
    const similarFor = async (permissions: Permission[]) => {
      const agent = await createAgent(service, own, own, { permissions });
      const { similar } = await called<{ similar: { memoryId: string }[] }>(agent, 'remember', {
        text: `${content}, ${Math.random()}`,
      });
      return similar.map(({ memoryId }) => memoryId);
    };
    assert.deepEqual(await similarFor(['memory:write']), []);
    assert.deepEqual(await similarFor(['memory:write', 'memory:read']), [memory.id]);
  });

  test('lists in whoami only what the token permits to write', async () => {
    const own = await service.company();
    await addClient(service, own);
    const writable = async (permissions: Permission[]) => {
      const agent = await createAgent(service, own, own, { permissions });
      const { canWrite, clients } = await called<{ canWrite: object; clients: { access: string }[] }>(
        agent,
        'whoami',
      );
      return [canWrite, clients.map(({ access }) => access)];
    };
    assert.deepEqual(await writable(['memory:read']), [{ teamLayer: false, clients: 0 }, ['read']]);
    assert.deepEqual(await writable(['memory:write']), [{ teamLayer: true, clients: 1 }, ['write']]);
    assert.deepEqual(await writable(['memory:curate']), [{ teamLayer: false, clients: 0 }, ['write']]);
  });

  test('shows in whoami the permissions and the end of the credential', async () => {
    const own = await service.company();
    const shown = async (caller: Caller) => {
      const { permissions, expiresAt } = await called<{ permissions: unknown; expiresAt: string | null }>(
        caller,
        'whoami',
      );
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
    for (const row of TABLE) {
      const call = CALLS[row['call'] ?? ''];
      assert.ok(call);
      const cell = row['member'] ?? '';
      const args = await call.args(scene, agent);
      assert.equal(await toolOutcome(agent, call.tool, args), OUTCOMES[cell] ?? cell, row['call']);
    }
  });

  test('names the missing permission in the refusal, before the Team and the arguments', async () => {
    const agent = await createAgent(service, company, company, { permissions: ['workspace:read'] });
    const { text } = await callTool(agent, 'search', { team: 'nope', limit: 99 });
    assert.match(text, /^permission_required: The agent token does not have the permission memory:read\./);
  });

  test('limits every tool to the clients of the token', async () => {
    const agent = await createAgent(service, company, company, { clientIds: [] });
    assert.equal(
      await toolOutcome(agent, 'search', { query: 'walrus', client: clientId }),
      'scope_forbidden',
    );
    assert.equal(await toolOutcome(agent, 'fetch', { id: scene.sources.client }), 'not_found');
    const { results } = await called<{ results: { id: string }[] }>(agent, 'search', {
      query: 'walrus',
      client: 'all',
    });
    assert.deepEqual(
      results.map(({ id }) => id),
      [scene.sources.team],
    );
    const { chunks } = await called<{ chunks: object[] }>(agent, 'expand', {
      chunk: scene.chunks.client,
    });
    assert.deepEqual(chunks, []);
    const memory = await addMemory(company, 'review', {}, clientId);
    const decision = { id: memory.id, version: 1, action: 'publish' };
    assert.equal(await toolOutcome(agent, 'decide_memory', decision), 'not_found');
    await stageCapture(company, { scope: { clientId } });
    const { batch } = await called<{ batch: { captures: { clientId: string | null }[] } | null }>(
      agent,
      'claim_captures',
    );
    assert.ok((batch?.captures ?? []).every((capture) => capture.clientId === null));
  });

  test('records the token in the audit events of its calls', async () => {
    const agent = await createAgent(service, company, company);
    const { id } = await called<{ id: string }>(agent, 'remember', {
      text: `An auk ${Math.random()}`,
    });
    const [event] = await service.database.query<{ tokenId: string; actorId: string }>(
      `select token_id as "tokenId", actor_id as "actorId" from memory.audit_event
        where team_id = $1 and subject_id = $2 and kind = 'memory.ingest'`,
      [company.teamId, id],
    );
    assert.deepEqual(event, { tokenId: agent.record.id, actorId: company.ownerId });
  });
});
