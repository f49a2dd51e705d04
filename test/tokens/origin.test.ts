import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Origin } from '../../shared/origin.ts';
import { type Agent, createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { claimAll, completed, keep } from '../support/consolidation.ts';
import { doJob } from '../support/do-job.ts';
import { called } from '../support/mcp.ts';
import { decided } from '../support/memories.ts';
import { readTable } from '../support/tables.ts';
import type { Caller } from '../support/team.ts';
import { file, workspaceOf } from '../support/workspace.ts';
import { openIndexer } from '../worker/files/indexer.ts';

const service = await openTestApp();
const { database } = service;
const indexer = openIndexer(service);

type Callers = { person: SignedIn; agent: Agent };
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

/** Decides on the only memory of the Team. */
const decides =
  (decision: object) =>
  async (caller: Caller, { teamId }: SignedIn) => {
    const [memory] = await database.query<{ id: string }>(
      'select id from memory.memory_item where team_id = $1',
      [teamId],
    );
    await decided(caller, { memoryId: memory?.id, ...decision } as never);
  };

/** What a person and the agent can do in a Team. */
const STEPS: Record<string, (caller: Caller, company: SignedIn) => Promise<unknown>> = {
  stores: (caller) => ingest(caller, 'x', 'walrus'),
  'stores k': (caller) => ingest(caller, 'x', 'walrus', 'k'),
  'replaces k': (caller) => ingest(caller, 'x', 'another walrus', 'k'),
  'calls remember': (caller) => called(caller, 'remember', { text: 'walrus' }),
  'gives a title': changeTitle,
  imports: importFile,
  pushes: pushFile,
  captures: (caller) => stageCapture(caller),
  'calls stage_session': (caller) =>
    called(caller, 'stage_session', { text: 'A heron nests.', session: 's', sequence: 1 }),
  consolidates: (caller) => consolidate(caller, 'publish'),
  proposes: (caller) => consolidate(caller, 'review'),
  keeps: (caller) => keep(caller, { content: 'The heron nests.' }),
  publishes: decides({ action: 'publish' }),
  'publishes another text': decides({ action: 'publish', content: 'Two herons nest.' }),
  'updates the title': decides({ action: 'update', title: 'Other' }),
  'updates the tags': decides({ action: 'update', tags: ['birds'] }),
  'updates the text': decides({ action: 'update', content: 'Two herons nest.' }),
  deletes: decides({ action: 'delete' }),
  restores: decides({ action: 'restore', version: 1 }),
};

/** Steps, and the origins of what they leave. */
const MADE = readTable(`
  steps                                                                              | source | capture            | memory
  person stores                                                                      | person |                    |
  agent stores                                                                       | agent  |                    |
  person calls remember                                                              | agent  |                    |
  agent stores k, person replaces k                                                  | person |                    |
  person stores k, agent replaces k                                                  | agent  |                    |
  person stores, agent stores                                                        | person |                    |
  person stores, agent gives a title                                                 | agent  |                    |
  agent stores, person gives a title                                                 | agent  |                    |
  person imports                                                                     | file   |                    |
  agent imports                                                                      | agent  |                    |
  person pushes                                                                      | file   |                    |
  agent pushes                                                                       | agent  |                    |
  person captures, person consolidates                                               | person | person             | person
  person captures, agent consolidates                                                | agent  | person             | agent
  person captures, agent captures, person calls stage_session, person consolidates   | agent  | agent agent person | agent
  agent captures, agent proposes, person publishes                                   | agent  | agent              | agent
  agent captures, agent proposes, person publishes another text                      | person | agent              | person
  person keeps, agent updates the title                                              | agent  | person             | agent
  agent keeps, person updates the tags                                               | agent  | agent              | agent
  agent keeps, person updates the text                                               | person | agent              | person
  agent keeps, person updates the text, person restores                              | agent  | agent              | agent
  agent keeps, person deletes, person restores                                       | agent  | agent              | agent
`);

describe('the origin is stored of', () => {
  for (const { steps = '', ...origins } of MADE) {
    test(`what is left if ${steps.replaceAll(', ', ', then ')}`, async () => {
      const callers = await openCallers();
      for (const step of steps.split(', ')) {
        const who = step.startsWith('person ') ? 'person' : 'agent';
        const act = STEPS[step.slice(who.length + 1)];
        assert.ok(act, step);
        await act(callers[who], callers.person);
      }
      const expected = Object.entries(origins).filter(([, made]) => made !== '');
      assert.deepEqual(
        await originsOf(callers.person),
        Object.fromEntries(expected.map(([made, list]) => [made, list.split(' ')])),
      );
    });
  }
});
