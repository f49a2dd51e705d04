import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Agent, createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
import { recordsNothing } from '../support/company.ts';
import { foundByWords } from '../support/consolidation.ts';
import { called, callTool } from '../support/mcp.ts';
import { addMemory, decided } from '../support/memories.ts';
import { addSource, archived, readSource } from '../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();
const DAY_MS = 86_400_000;
const WRITES = ['memory:read', 'memory:write'] as const;

interface Forgotten {
  id: string;
  status: string;
  until: string | null;
}
const forget = (caller: Caller, id: string, more: object = {}) =>
  called<Forgotten>(caller, 'forget', { id, ...more });
const refusal = async (caller: Caller, id: string, more: object = {}) => {
  const { isError, text } = await callTool(caller, 'forget', { id, ...more });
  assert.equal(isError, true, text);
  return text;
};
const remember = (caller: Caller, text: string, more: object = {}) =>
  called<{ id: string; status: string }>(caller, 'remember', { text, ...more });

/** The last two events about a subject, newest first, each with its token. */
const eventsOf = async (company: SignedIn, subjectId: string) =>
  columns((await company.all.listTeamAudit({ subjectId })).slice(0, 2), 'kind', 'tokenId');

describe('forget of a source', () => {
  test('archives what the owner of the token made, and undo restores it, both with the id of the token', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company, { permissions: WRITES });
    const text = `The walrus sleeps ${crypto.randomUUID()}`;
    const { id } = await addSource(company, { text });
    const before = Date.now();
    const { until, ...done } = await forget(agent, id.toUpperCase());
    assert.deepEqual(done, { id, status: 'archived' });
    const kept = Date.parse(until ?? '') - 30 * DAY_MS;
    assert.ok(kept >= before - 60_000 && kept <= Date.now() + 60_000, until ?? 'null');
    assert.equal((await readSource(company, id)).state, 'archived');
    assert.deepEqual(await foundByWords(company, 'walrus'), []);
    assert.match(await refusal(agent, id), /^conflict: .*already archived/);
    assert.deepEqual(await forget(agent, id, { undo: true }), { id, status: 'restored', until: null });
    assert.deepEqual(await foundByWords(company, 'walrus'), [text]);
    const tokenId = agent.record.id;
    assert.deepEqual(await eventsOf(company, id), [
      ['memory.restore', tokenId],
      ['memory.archive', tokenId],
    ]);
  });

  test('can be undone only until the source expires, and not at all if nothing is kept', async () => {
    const company = await service.company();
    const expiresAt = new Date(Date.now() + 5 * DAY_MS).toISOString();
    const { id } = await addSource(company, { expiresAt });
    assert.equal((await forget(company, id)).until, expiresAt);
    const short = await openTestApp({ MEMORY_ARCHIVE_DAYS: '0' });
    const other = await short.company();
    const gone = await addSource(via(short, other));
    const { until } = await called<Forgotten>(via(short, other), 'forget', { id: gone.id });
    assert.equal(until, null);
  });

  test('requires memory:review, and the right to delete it, if somebody else made the source', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const other = await addPerson(service, company, { teamRole: 'member' });
    const { id } = await addSource(member);
    const writing = await createAgent(service, company, company, { permissions: WRITES });
    const reviewing = ['memory:write', 'memory:review'] as const;
    const ofOther = await createAgent(service, other, company, { permissions: reviewing });
    await recordsNothing(service, company, async () => {
      assert.match(await refusal(writing, id), /^forbidden: .*memory:review/);
      assert.match(await refusal(ofOther, id), /^forbidden: /);
      assert.match(await refusal(other, id), /^forbidden: /);
    });
    const agent = await createAgent(service, company, company, { permissions: reviewing });
    assert.equal((await forget(agent, id)).status, 'archived');
    assert.match(await refusal(writing, id, { undo: true }), /^forbidden: .*memory:review/);
    assert.equal((await forget(agent, id, { undo: true })).status, 'restored');
  });

  test('names what to use for the source of a memory and of a workspace file, to every caller', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published');
    const file = await addSource(company);
    await service.database.query(`update memory.source set kind = 'file' where id = $1`, [file.id]);
    const member = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, member, company, { permissions: WRITES });
    await recordsNothing(service, company, async () => {
      for (const caller of [company, agent]) {
        for (const undo of [false, true]) {
          const ofMemory = await refusal(caller, memory.sourceId ?? '', { undo });
          assert.match(ofMemory, new RegExp(`^conflict: .*${memory.id}.*decide_memory`));
          assert.match(await refusal(caller, file.id, { undo }), /^conflict: .*push/);
          assert.match(await refusal(caller, memory.id, { undo }), /^conflict: .*decide_memory/);
        }
      }
    });
  });

  test('gives the same answer for an id that is unknown, malformed or out of reach', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { id } = await addSource(company, { scope: { clientId } });
    const memory = await addMemory(company, 'review', {}, clientId);
    const agent = await createAgent(service, company, company, { clientIds: [] });
    const answers = new Set<string>();
    for (const given of [id, memory.id, crypto.randomUUID(), 'nonsense']) {
      for (const undo of [false, true]) answers.add(await refusal(agent, given, { undo }));
    }
    assert.equal(answers.size, 1);
    assert.match([...answers][0] ?? '', /^not_found: /);
  });
});

describe('forget of a memory in review', () => {
  /** A member of a Team that reviews what its members publish, with two agent tokens. The first made a memory. */
  async function openScene() {
    const company = await service.company();
    await company.ask.changeSelectedTeam({ publish: 'review' });
    const member = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, member, company, { permissions: WRITES });
    const second = await createAgent(service, member, company, { permissions: WRITES });
    const { id, status } = await remember(agent, `The ocelot sleeps ${crypto.randomUUID()}`);
    assert.equal(status, 'review');
    return { company, member, agent, second, id };
  }
  const stateOf = async (company: SignedIn, id: string) => (await company.api.getMemory(id)).state;

  test('withdraws what the same token made, and undo puts it back', async () => {
    const { company, agent, id } = await openScene();
    assert.deepEqual(await forget(agent, id), { id, status: 'withdrawn', until: null });
    assert.equal(await stateOf(company, id), 'discarded');
    assert.match(await refusal(agent, id), /^conflict: The memory is discarded/);
    assert.deepEqual(await forget(agent, id, { undo: true }), { id, status: 'restored', until: null });
    assert.equal(await stateOf(company, id), 'review');
    const tokenId = agent.record.id;
    assert.deepEqual(await eventsOf(company, id), [
      ['memory.reopen', tokenId],
      ['memory.discard', tokenId],
    ]);
  });

  test('is 404 for another token of the same owner and for another member, and undo too', async () => {
    const { company, agent, second, id } = await openScene();
    const other = await addPerson(service, company, { teamRole: 'member' });
    const refused = async () => {
      for (const caller of [second, other]) {
        for (const undo of [false, true]) assert.match(await refusal(caller, id, { undo }), /^not_found: /);
      }
    };
    await refused();
    await forget(agent, id);
    await refused();
  });

  test('names decide_memory for someone who can decide, and does not undo the decision of a reviewer', async () => {
    const { company, agent, member, id } = await openScene();
    assert.match(await refusal(company, id), /^conflict: The memory is in review; .*decide_memory/);
    await decided(company, { action: 'discard', memoryId: id });
    for (const caller of [agent, member]) {
      assert.match(await refusal(caller, id, { undo: true }), /^conflict: The memory is discarded/);
    }
    assert.equal(await stateOf(company, id), 'discarded');
    // Nor one that was made after the withdrawal.
    await decided(company, { action: 'reopen', memoryId: id });
    await forget(agent, id);
    await decided(company, { action: 'reopen', memoryId: id });
    await decided(company, { action: 'discard', memoryId: id });
    assert.match(await refusal(agent, id, { undo: true }), /^conflict: /);
  });

  test('is possible for the person too, who withdraws what one of their tokens made', async () => {
    const { company, member, id } = await openScene();
    assert.equal((await forget(member, id)).status, 'withdrawn');
    assert.equal(await stateOf(company, id), 'discarded');
    assert.equal((await forget(member, id, { undo: true })).status, 'restored');
  });

  test('is refused for a memory that was published, also to the token that made it', async () => {
    const { company, agent, id } = await openScene();
    await decided(company, { action: 'publish', memoryId: id });
    assert.match(await refusal(agent, id), /^conflict: The memory is published; .*decide_memory/);
  });
});

test('an archived source is not found by its text, and the same text can be remembered again', async () => {
  const company = await service.company();
  const agent: Agent = await createAgent(service, company, company, { permissions: WRITES });
  const text = `The narwhal ${crypto.randomUUID()}`;
  const first = await remember(agent, text);
  await forget(agent, first.id);
  const second = await remember(agent, text);
  assert.deepEqual([second.status, second.id === first.id], ['created', false]);
  assert.match(await refusal(agent, first.id, { undo: true }), /^conflict: .*same text/);
  await archived(company, second.id);
  assert.equal((await forget(agent, first.id, { undo: true })).status, 'restored');
});
