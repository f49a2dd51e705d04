import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { claimAll, completed, foundByWords } from '../support/consolidation.ts';
import { called, callTool } from '../support/mcp.ts';
import { decided, listMemories } from '../support/memories.ts';
import { addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

/** A Company whose Team reviews what its members publish, and one of these. */
async function reviewing(): Promise<{ company: SignedIn; member: Caller }> {
  const company = await service.company();
  await company.api.changeSelectedTeam({ publish: 'review' });
  return { company, member: await addPerson(service, company, { teamRole: 'member' }) };
}

const ITEM = { title: 'A memory', content: 'The ocelot sleeps.' };

test('an item that a member publishes goes to review, and the result says so, also if it is repeated', async () => {
  const { company, member } = await reviewing();
  await stageCapture(member);
  const { batchId, captureIds } = await claimAll(member);
  const items = [
    { captureIds, action: 'publish', ...ITEM },
    { captureIds, action: 'review', ...ITEM },
    { captureIds, action: 'discard' },
  ] as const;
  const { events } = await recordedBy(service, company, async () => {
    const results = await completed(member, batchId, items);
    assert.deepEqual(column(results, 'state'), ['review', 'review', 'discarded']);
    assert.deepEqual(await completed(member, batchId, items), results);
    assert.deepEqual((await listMemories(company, '?state=review')).map(({ id }) => id).sort(), [
      results[0]?.memoryId,
      results[1]?.memoryId,
    ]);
  });
  assert.deepEqual(column(events, 'kind'), ['memory.review', 'memory.review', 'memory.discard']);
  assert.deepEqual(await foundByWords(company, 'ocelot'), []);
});

test('a caller with Full access publishes, and a member too after the rule has changed', async () => {
  const { company, member } = await reviewing();
  const publishAs = async (caller: Caller) => {
    await stageCapture(caller);
    const { batchId, captureIds } = await claimAll(caller);
    const [result] = await completed(caller, batchId, [{ captureIds, action: 'publish', ...ITEM }]);
    return result?.state;
  };
  assert.equal(await publishAs(company), 'published');
  assert.equal(await publishAs(member), 'review');
  await company.ask.changeSelectedTeam({ publish: 'anyone' });
  assert.equal(await publishAs(member), 'published');
});

test('the tool remember makes a memory in review for a member, once for the same text', async () => {
  const { company, member } = await reviewing();
  const remember = (caller: Caller, args: object) =>
    called<{ id: string; status: string }>(caller, 'remember', args);
  const text = 'The ocelot sleeps in the tall grass.';
  const first = await remember(member, { text, key: 'ocelot' });
  assert.equal(first.status, 'review');
  assert.deepEqual(await remember(member, { text }), first);
  assert.deepEqual(await foundByWords(company, 'ocelot'), []);
  const [memory, ...others] = await listMemories(company);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [memory?.id, memory?.state, memory?.content, memory?.captureIds],
    [first.id, 'review', text, []],
  );
  assert.equal((await callTool(member, 'remember', { text: 'x'.repeat(64_001) })).isError, true);
  const other = await addPerson(service, company, { teamRole: 'member' });
  assert.notEqual((await remember(other, { text })).id, first.id, 'everyone has their own');
  await decided(company, { action: 'publish', memoryId: first.id });
  assert.deepEqual(await foundByWords(company, 'ocelot'), [text]);
  assert.equal((await remember(company, { text: 'The lynx wakes.' })).status, 'created');
});
