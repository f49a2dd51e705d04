import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { claimBatch, claimedIds, stageCapture } from '../support/captures.ts';
import { column } from '../support/columns.ts';
import { completed, lend } from '../support/consolidation.ts';
import { addMemory, decide } from '../support/memories.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

const archive = async (caller: Caller, id: string) =>
  assert.equal((await caller.ask.archiveClient(id)).statusCode, 204);
const bringBack = async (caller: Caller, id: string) => {
  await caller.api.changeClient(id, { state: 'active' });
};

/** A Team with two clients that have the same content, a member who can write both, and a reader. */
async function cast() {
  const company = await service.company();
  const [clientId, other] = [await addClient(service, company), await addClient(service, company)];
  const member = await addPerson(service, company, {
    teamRole: 'member',
    clients: { [clientId]: 'write', [other]: 'write' },
  });
  const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
  /** The content of one client: a source, memories, and claimed and staged captures of the member. */
  const fill = async (id: string) => {
    const scope = { clientId: id };
    const source = await addSource(member, { scope });
    const published = await addMemory(company, 'published', { content: `Known of ${id}.` }, id);
    const review = await addMemory(company, 'review', { content: `Said of ${id}.` }, id);
    const lent = await lend(member, [id]);
    const staged = await stageCapture(member, { scope });
    return { source, published, review, lent, staged: staged.id };
  };
  // Otherwise captures of one client would be claimed with those of the other.
  const held = await fill(clientId);
  const parked = await claimBatch(member, { clientId });
  const rest = await fill(other);
  await completed(member, parked!.id, []);
  return { company, clientId, other, member, reader, held, rest };
}

/** The client ids in the lists. */
async function shown(caller: Caller, full: boolean) {
  const sources = await caller.all.listSources();
  const memories = full ? await caller.all.listMemories() : [];
  return {
    sources: [...new Set(sources.map((source) => source.clientId))].sort(),
    memories: [...new Set(memories.map((memory) => memory.clientId))].sort(),
  };
}

describe('the library of an archived client', () => {
  test('sources and memories of an archived client are hidden, and its captures cannot be claimed', async () => {
    const { company, clientId, other, member, reader, held, rest } = await cast();
    const both = [clientId, other].sort();
    assert.deepEqual(await shown(company, true), { sources: both, memories: both });
    for (const caller of [member, reader]) {
      assert.deepEqual(await shown(caller, false), { sources: both, memories: [] });
    }
    await archive(company, clientId);
    assert.deepEqual(await shown(company, true), { sources: [other], memories: [other] });
    for (const caller of [company, member, reader]) {
      assert.deepEqual((await shown(caller, false)).sources, [other]);
      for (const id of [held.source.id, held.published.sourceId]) {
        assert.equal(outcome(await caller.ask.getSource(id)), '404 not_found');
      }
      const listed = await caller.ask.listSources({ clientId });
      assert.equal(outcome(listed), '403 scope_forbidden');
    }
    const listed = await company.ask.listMemories({ clientId });
    assert.equal(outcome(listed), '403 scope_forbidden');
    assert.deepEqual(await claimedIds(company, { limit: 20 }), [rest.staged]);
    assert.deepEqual(await claimedIds(member, { limit: 20 }), []);
  });

  test('a restored client has its library again, and its claimed batch can be completed', async () => {
    const { company, clientId, member, reader, held } = await cast();
    const everyone = [company, member, reader];
    const before = await Promise.all(everyone.map((caller) => shown(caller, caller === company)));
    await archive(company, clientId);
    await bringBack(company, clientId);
    const after = await Promise.all(everyone.map((caller) => shown(caller, caller === company)));
    assert.deepEqual(after, before);
    const { batchId, captureIds } = held.lent;
    const item = { captureIds, action: 'publish', title: 'x', content: 'x' } as const;
    const [result] = await completed(member, batchId, [item]);
    assert.equal(result?.state, 'published');
    assert.deepEqual(await claimedIds(member, { clientId }), [held.staged]);
    const { id: memoryId } = held.review;
    assert.equal((await decide(company, { action: 'publish', memoryId })).statusCode, 200);
  });

  test('the audit of the Team hides the events of the client, and that of the Company shows them', async () => {
    const { company, clientId, other, held } = await cast();
    const { batchId, captureIds } = await lend(company, [clientId, other]);
    await completed(company, batchId, [{ captureIds, action: 'discard' }]);
    const { id: memoryId } = held.review;
    assert.equal((await decide(company, { action: 'discard', memoryId })).statusCode, 200);
    const [stored] = await service.database.query<{ ids: string[] }>(
      `select array_agg(id) as ids from (
         select id from memory.capture where team_id = $1 and layer_id = $2
         union all select id from memory.memory_item where team_id = $1 and layer_id = $2
         union all select id from memory.source where team_id = $1 and layer_id = $2) held`,
      [company.teamId, clientId],
    );
    const ids = stored?.ids ?? [];
    const told = async () => {
      const events = await company.all.listTeamAudit();
      return events.filter((event) => ids.some((id) => JSON.stringify(event).includes(id)));
    };
    const kinds = new Set((await told()).map(({ kind }) => kind));
    for (const kind of ['capture', 'claim', 'publish', 'review', 'discard', 'ingest']) {
      assert.ok(kinds.has(`memory.${kind}`), kind);
    }
    await archive(company, clientId);
    assert.deepEqual(column(await told(), 'kind'), []);
    const ofCompany = await company.all.listCompanyAudit();
    assert.ok(
      ofCompany.some((event) => event.subjectId === memoryId),
      'the Company goes on to know',
    );
  });
});
