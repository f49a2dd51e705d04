import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CaptureResponse } from '../../shared/schemas/captures.ts';
import type { CreatedWith } from '../../shared/schemas/common.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { columns } from '../support/columns.ts';
import { claimAll, completed, keep } from '../support/consolidation.ts';
import { doJob } from '../support/do-job.ts';
import { outcome } from '../support/sign-in.ts';
import type { Caller } from '../support/team.ts';
import { file, workspaceOf } from '../support/workspace.ts';
import { fileSources, openIndexer } from '../worker/files/indexer.ts';

const service = await openTestApp();
const { database } = service;
const indexer = openIndexer(service);

/** What a record shows of the one who made it. */
type Made = { createdBy: string; createdWith: CreatedWith };
const made = ({ createdBy, createdWith }: Made) => ({ createdBy, createdWith });

async function openScene() {
  const company = await service.company();
  const agent = await createAgent(service, company, company, { name: 'Build agent' });
  const byAgent = {
    createdBy: company.ownerId,
    createdWith: { tokenId: agent.record.id, name: 'Build agent' },
  };
  const byPerson = { createdBy: company.ownerId, createdWith: null };
  return { company, agent, byAgent, byPerson };
}

const eventsOf = async (company: SignedIn) => (await company.all.listCompanyAudit()).toReversed();

describe('what an agent token makes names the token and its owner', () => {
  test('a source, and the same source stored again by a person', async () => {
    const { company, agent, byAgent, byPerson } = await openScene();
    const send = async (caller: Caller, text: string) => await caller.api.ingestSource({ title: 'x', text });
    assert.deepEqual(made((await send(agent, 'by the agent')).source), byAgent);
    assert.deepEqual(made((await send(company, 'by the agent')).source), byAgent);
    assert.deepEqual(made((await send(company, 'by the person')).source), byPerson);
    const sources = await company.all.listSources();
    assert.deepEqual(sources.map(made), [byPerson, byAgent]);
    const one = await agent.ask.getSource(sources[1]?.id);
    assert.deepEqual(made(one.json<Source>()), byAgent);
  });

  test('an import, also one that another person retries, and the source that a worker makes of it', async () => {
    const { company, agent, byAgent } = await openScene();
    const sent = await agent.ask.importFiles({
      items: [{ filename: 'a.txt', text: 'walrus' }],
    });
    const [item] = sent.json<{ imports: Import[] }>().imports;
    assert.ok(item);
    assert.deepEqual(made(item), byAgent);
    await database.query(`update memory.import set state = 'failed' where id = $1`, [item.id]);
    await company.ask.retryImport(item.id);
    const payloads = await database.query<{ data: { tokenId: string | null } }>(
      `select data from pgboss.job where name = 'import.process' and data ->> 'importId' = $1`,
      [item.id],
    );
    assert.deepEqual(
      payloads.map(({ data }) => data.tokenId),
      [agent.record.id, agent.record.id],
    );
    await doJob(database, 'import.process', payloads[1]?.data ?? {});
    const [source] = await company.all.listSources({ kind: 'import' });
    assert.ok(source);
    assert.deepEqual(made(source), byAgent);
    const completed = (await eventsOf(company)).find(({ kind }) => kind === 'memory.import_complete');
    assert.deepEqual([completed?.actorId, completed?.tokenId], [company.ownerId, agent.record.id]);
  });

  test('a capture, and the memories that it consolidates', async () => {
    const { company, agent, byAgent, byPerson } = await openScene();
    assert.deepEqual(made(await stageCapture(agent)), byAgent);
    const { batchId, captures, captureIds } = await claimAll(agent);
    assert.deepEqual(captures.map(made), [byAgent]);
    const item = { captureIds, action: 'review', title: 'A walrus', content: 'The walrus dives.' } as const;
    await completed(agent, batchId, [item]);
    await keep(company, { action: 'review', content: 'The heron nests.' });
    await keep(agent, { content: 'The capybara swims.' });
    const review = await company.all.listMemories({ state: 'review' });
    assert.deepEqual(review.map(made), [byPerson, byAgent]);
    const published = await company.all.listMemories({ state: 'published' });
    assert.deepEqual(published.map(made), [byAgent]);
    const [source] = await company.all.listSources({ kind: 'memory' });
    assert.ok(source);
    assert.deepEqual(made(source), byAgent);
  });

  test('a workspace file, indexed after the push or later', async () => {
    const { company, agent, byAgent } = await openScene();
    const workspace = workspaceOf(service.app, agent.headers);
    assert.equal((await workspace.push([file('team/a.md', 'The heron nests.')])).status, 200);
    const jobs = await database.query<{ token: string }>(
      `select data ->> 'tokenId' as token from pgboss.job where name = 'file.index' and data ->> 'teamId' = $1`,
      [company.teamId],
    );
    assert.deepEqual(jobs, [{ token: agent.record.id }]);
    await indexer.indexAll(company);
    const [source] = await fileSources(company);
    assert.ok(source);
    assert.deepEqual(made(source), byAgent);
  });
});

describe('the audit', () => {
  test('names the token of each action, and no token for people', async () => {
    const { company, agent } = await openScene();
    await agent.ask.ingestSource({ title: 'x', text: 'walrus' });
    await agent.ask.searchMemory({
      query: 'walrus',
      embeddingMode: 'keyword',
      scope: {},
    });
    await company.ask.ingestSource({ title: 'x', text: 'another walrus' });
    const events = await eventsOf(company);
    assert.deepEqual(columns(events.slice(-4), 'kind', 'actorId', 'tokenId'), [
      ['auth.token_create', company.ownerId, null],
      ['memory.ingest', company.ownerId, agent.record.id],
      ['memory.search', company.ownerId, agent.record.id],
      ['memory.ingest', company.ownerId, null],
    ]);
  });
});

test('an Idempotency-Key of an agent token is not that of its owner or of another token', async () => {
  const { company, agent } = await openScene();
  const other = await createAgent(service, company, company);
  const send = (caller: Caller) =>
    caller.ask.stageCapture({ sessionId: 's', summary: 'x' }, { 'idempotency-key': 'k' });
  const ids = new Set<string>();
  for (const caller of [company, agent, other]) {
    const [first, again] = [await send(caller), await send(caller)];
    assert.equal(outcome(first), '201');
    assert.equal(again.body, first.body);
    ids.add(first.json<CaptureResponse>().capture.id);
  }
  assert.equal(ids.size, 3);
});
