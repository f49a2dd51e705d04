import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Origin } from '../../shared/origin.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { type Agent, createAgent } from '../support/agent-tokens.ts';
import { API_TOKEN, openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { callerOf } from '../support/client/client.ts';
import { claimAll, completed, keep } from '../support/consolidation.ts';
import { doJob } from '../support/do-job.ts';
import { called } from '../support/mcp.ts';
import { decided } from '../support/memories.ts';
import { type Caller } from '../support/team.ts';
import { file, workspaceOf } from '../support/workspace.ts';
import { openIndexer } from '../worker/files/indexer.ts';

const service = await openTestApp();
const { database } = service;
const indexer = openIndexer(service);

type Callers = { person: SignedIn; agent: Agent };
/** Makes records in a Team of its own. */
type Making = (callers: Callers) => Promise<unknown>;

async function openCallers(): Promise<Callers> {
  const person = await service.company();
  return { person, agent: await createAgent(service, person, person) };
}

/** The different origins of the rows of a Team, the last changed first. */
async function originsOf({ teamId }: Pick<SignedIn, 'teamId'>): Promise<Record<string, Origin[]>> {
  const rows = await database.query<{ made: string; origin: Origin }>(
    `select 'source' as made, origin from memory.source where team_id = $1 and state <> 'loading'
     union all select 'capture', origin from memory.capture where team_id = $1
     union all select 'memory', origin from memory.memory_item where team_id = $1
     order by 1, 2`,
    [teamId],
  );
  const made = Object.groupBy(rows, (row) => row.made);
  return Object.fromEntries(
    Object.entries(made).map(([name, found = []]) => [name, found.map(({ origin }) => origin)]),
  );
}

const ingest = async (caller: Caller, title: string, text: string, externalId?: string) => {
  await caller.api.ingestSource({ title, text, externalId });
};

const importFile = async (caller: Caller, { teamId }: SignedIn) => {
  await caller.ask.importFiles({ items: [{ filename: 'a.txt', text: 'A heron.' }] });
  const [job] = await database.query<{ data: object }>(
    `select data from pgboss.job where name = 'import.process' and data ->> 'teamId' = $1`,
    [teamId],
  );
  await doJob(database, 'import.process', job?.data ?? {});
};

const pushFile = async (caller: Caller, company: SignedIn) => {
  await workspaceOf(service.app, caller.headers).push([file('team/a.md', 'The heron nests.')]);
  await indexer.indexAll(company);
};

const consolidate = async (caller: Caller, action: 'review' | 'publish') => {
  const { batchId, captureIds } = await claimAll(caller);
  const item = { captureIds, action, title: 'A heron', content: 'The heron nests.' };
  await completed(caller, batchId, [item]);
};

const changeTitle = async (caller: Caller, { teamId }: SignedIn) => {
  const [source] = await database.query<{ id: string }>('select id from memory.source where team_id = $1', [
    teamId,
  ]);
  await caller.api.changeSource(source!.id, { title: 'Other' });
};

/** A memory of a person, and one of the agent. */
const kept = (caller: Caller) => keep(caller, { content: 'The heron nests.' });
const decide = (caller: Caller, memoryId: string, decision: object) =>
  decided(caller, { memoryId, ...decision } as never) as Promise<Memory>;

const MADE: Record<string, [Making, Record<string, Origin[]>]> = {
  'a text that a person stores': [({ person }) => ingest(person, 'x', 'walrus'), { source: ['person'] }],
  'a text that an agent token stores': [({ agent }) => ingest(agent, 'x', 'walrus'), { source: ['agent'] }],
  'a text that a person stores by a tool': [
    ({ person }) => called(person, 'remember', { text: 'walrus' }),
    { source: ['agent'] },
  ],
  'a text of an agent that a person replaces': [
    async ({ person, agent }) => {
      await ingest(agent, 'x', 'walrus', 'k');
      await ingest(person, 'x', 'another walrus', 'k');
    },
    { source: ['person'] },
  ],
  'a text of a person that an agent replaces': [
    async ({ person, agent }) => {
      await ingest(person, 'x', 'walrus', 'k');
      await ingest(agent, 'x', 'another walrus', 'k');
    },
    { source: ['agent'] },
  ],
  'a text of a person that an agent stores again': [
    async ({ person, agent }) => {
      await ingest(person, 'x', 'walrus');
      await ingest(agent, 'x', 'walrus');
    },
    { source: ['person'] },
  ],
  'a text of a person to which an agent gives a title': [
    async ({ person, agent }) => {
      await ingest(person, 'x', 'walrus');
      await changeTitle(agent, person);
    },
    { source: ['agent'] },
  ],
  'a text of an agent to which a person gives a title': [
    async ({ person, agent }) => {
      await ingest(agent, 'x', 'walrus');
      await changeTitle(person, person);
    },
    { source: ['agent'] },
  ],
  'a file that a person imports': [({ person }) => importFile(person, person), { source: ['file'] }],
  'a file that an agent imports': [({ person, agent }) => importFile(agent, person), { source: ['agent'] }],
  'a file that a person pushes': [({ person }) => pushFile(person, person), { source: ['file'] }],
  'a file that an agent pushes': [({ person, agent }) => pushFile(agent, person), { source: ['agent'] }],
  'a memory of captures of a person': [
    async ({ person }) => {
      await stageCapture(person);
      await consolidate(person, 'publish');
    },
    { source: ['person'], capture: ['person'], memory: ['person'] },
  ],
  'a memory of captures of a person that an agent completes': [
    async ({ person, agent }) => {
      await stageCapture(person);
      await consolidate(agent, 'publish');
    },
    { source: ['agent'], capture: ['person'], memory: ['agent'] },
  ],
  'a memory of captures of a person and of an agent, one by a tool': [
    async ({ person, agent }) => {
      await stageCapture(person);
      await stageCapture(agent);
      await called(person, 'stage_session', { text: 'A heron nests.', session: 's', sequence: 1 });
      await consolidate(person, 'publish');
    },
    { source: ['agent'], capture: ['agent', 'agent', 'person'], memory: ['agent'] },
  ],
  'a memory of an agent that a person publishes': [
    async ({ person, agent }) => {
      await stageCapture(agent);
      await consolidate(agent, 'review');
      const [memory] = await memoriesOf(person);
      await decide(person, memory ?? '', { action: 'publish' });
    },
    { source: ['agent'], capture: ['agent'], memory: ['agent'] },
  ],
  'a memory of an agent that a person publishes with another text': [
    async ({ person, agent }) => {
      await stageCapture(agent);
      await consolidate(agent, 'review');
      const [memory] = await memoriesOf(person);
      await decide(person, memory ?? '', { action: 'publish', content: 'Two herons nest.' });
    },
    { source: ['person'], capture: ['agent'], memory: ['person'] },
  ],
  'a memory of a person to which an agent gives a title': [
    async ({ person, agent }) => {
      const { memoryId } = await kept(person);
      await decide(agent, memoryId, { action: 'update', title: 'Other' });
    },
    { source: ['agent'], capture: ['person'], memory: ['agent'] },
  ],
  'a memory of an agent whose tags a person changes': [
    async ({ person, agent }) => {
      const { memoryId } = await kept(agent);
      await decide(person, memoryId, { action: 'update', tags: ['birds'] });
    },
    { source: ['agent'], capture: ['agent'], memory: ['agent'] },
  ],
  'a memory of an agent with the text of a person': [
    async ({ person, agent }) => {
      const { memoryId } = await kept(agent);
      await decide(person, memoryId, { action: 'update', content: 'Two herons nest.' });
    },
    { source: ['person'], capture: ['agent'], memory: ['person'] },
  ],
  'a memory that gets back the text of an agent': [
    async ({ person, agent }) => {
      const { memoryId } = await kept(agent);
      await decide(person, memoryId, { action: 'update', content: 'Two herons nest.' });
      await decide(person, memoryId, { action: 'restore', version: 1 });
    },
    { source: ['agent'], capture: ['agent'], memory: ['agent'] },
  ],
  'an archived memory of an agent that gets back its text': [
    async ({ person, agent }) => {
      const { memoryId } = await kept(agent);
      await decide(person, memoryId, { action: 'delete' });
      await decide(person, memoryId, { action: 'restore', version: 1 });
    },
    { source: ['agent'], capture: ['agent'], memory: ['agent'] },
  ],
};

async function memoriesOf({ teamId }: SignedIn): Promise<string[]> {
  const rows = await database.query<{ id: string }>('select id from memory.memory_item where team_id = $1', [
    teamId,
  ]);
  return rows.map(({ id }) => id);
}

describe('the origin is stored of', () => {
  for (const [title, [make, expected]] of Object.entries(MADE)) {
    test(title, async () => {
      const callers = await openCallers();
      await make(callers);
      assert.deepEqual(await originsOf(callers.person), expected);
    });
  }

  test('a text that is stored with the token of the service', async () => {
    const [team] = await database.query<{ teamId: string }>(
      `select t.id as "teamId" from identity.team t join identity.account a using (company_id)
        where a.is_principal and t.deleted_at is null order by t.created_at limit 1`,
    );
    assert.ok(team);
    const caller = callerOf(service.app, {
      authorization: `Bearer ${API_TOKEN}`,
      'memory-team': team.teamId,
    });
    const answer = await caller.ask.ingestSource({
      title: 'x',
      text: `A walrus, ${new Date().toISOString()}.`,
    });
    const { id } = answer.json<{ source: { id: string } }>().source;
    const rows = await database.query('select origin from memory.source where id = $1', [id]);
    assert.deepEqual(rows, [{ origin: 'person' }]);
  });
});

test('a capture has the time of its completion, and none before', async () => {
  const { person } = await openCallers();
  const times = () =>
    database.query<{ state: string; isKnown: boolean; isNow: boolean }>(
      `select c.state, c.completed_at is not null as "isKnown", c.completed_at = m.created_at as "isNow"
         from memory.capture c left join memory.memory_item m using (team_id) where c.team_id = $1`,
      [person.teamId],
    );
  await stageCapture(person);
  assert.deepEqual(await times(), [{ state: 'staged', isKnown: false, isNow: null }]);
  await consolidate(person, 'publish');
  assert.deepEqual(await times(), [{ state: 'completed', isKnown: true, isNow: true }]);
});
