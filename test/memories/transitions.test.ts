import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { MEMORY_ACTIONS, MEMORY_STATES, type MemoryAction } from '../../shared/memory-states.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { foundByWords } from '../support/consolidation.ts';
import { questionBest } from '../support/feedback.ts';
import { addMemory, allRows, decide, decided, listMemories, readSource } from '../support/memories.ts';
import { MEMORY_STATE_TABLE } from '../support/memory-state-table.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { everyOne } from '../support/tables.ts';
import { addClient } from '../support/team.ts';

const service = await openTestApp();

const stateOf = (name: string | undefined) => MEMORY_STATES.find((state) => state === name)!;
const actionOf = (name: string | undefined) => MEMORY_ACTIONS.find((action) => action === name)!;

/** A decision of an action, with what it cannot do without. */
const decision = (action: MemoryAction, { id }: Pick<Memory, 'id'>) => ({
  action,
  memoryId: id,
  ...(action === 'update' ? { content: 'The lynx wakes.' } : {}),
  ...(action === 'restore' ? { version: 1 } : {}),
  ...(action === 'renew' ? { expiresAt: null } : {}),
  ...(action === 'move' ? { clientId: null } : {}),
});

/** The version that a decision is based on. */
const based = (action: MemoryAction, { version }: Pick<Memory, 'version'>) =>
  action === 'restore' ? { baseVersion: version } : { version };

/** Where a memory shows: in lists and in searches by words. */
async function shownIn(company: SignedIn, { id }: Memory, word: string) {
  const listed = await listMemories(company);
  return {
    state: listed.find((memory) => memory.id === id)?.state ?? null,
    found: (await foundByWords(company, word)).length,
  };
}

test('the table covers every action in every state', () => {
  const named = MEMORY_STATE_TABLE.map(({ state, action }) => `${state},${action}`).sort();
  assert.deepEqual(named, everyOne(MEMORY_STATES, MEMORY_ACTIONS));
});

for (const { state, action: name, next } of MEMORY_STATE_TABLE) {
  const action = actionOf(name);
  if (next === '') {
    test(`${action} of a memory in state ${state} returns 409 and changes nothing`, async () => {
      const company = await service.company();
      const memory = await addMemory(company, stateOf(state), { content: 'The ocelot sleeps.' });
      const before = await allRows(service, company);
      assert.equal(outcome(await decide(company, decision(action, memory))), '409 conflict');
      assert.equal(
        outcome(await decide(company, { ...decision(action, memory), ...based(action, memory) })),
        '409 conflict',
      );
      assert.deepEqual(await allRows(service, company), before);
    });
    continue;
  }
  test(`${action} of a memory in state ${state} leads to ${next}, with the next version`, async () => {
    const company = await service.company();
    // What is moved to the Team layer comes from a client.
    const clientId = action === 'move' ? await addClient(service, company) : null;
    const given = { content: 'The ocelot sleeps.' };
    const memory = await addMemory(company, stateOf(state), given, clientId);
    if (action === 'keep') await questionBest(company, 'ocelot');
    const after = await decided(company, decision(action, memory));
    assert.deepEqual([after.id, after.state, after.version], [memory.id, next, memory.version + 1]);
    // An item that is renewed or moved in review is still undecided.
    const undecided = (action === 'renew' || action === 'move') && next === 'review';
    assert.deepEqual(
      [after.decidedBy, after.decidedAt, after.createdBy],
      undecided ? [null, null, company.ownerId] : [company.ownerId, after.updatedAt, company.ownerId],
    );
    assert.equal(after.createdAt, memory.createdAt);
    const visible = {
      state: next === 'published' || next === 'review' ? next : null,
      found: next === 'published' ? 1 : 0,
    };
    assert.deepEqual(await shownIn(company, memory, action === 'update' ? 'lynx' : 'ocelot'), visible);
    if (action === 'update') assert.deepEqual(await foundByWords(company, 'ocelot'), []);
  });
}

test('publish gives the source the metadata of the memory', async () => {
  const company = await service.company();
  const metadata = { about: ['cat'] };
  const { id: memoryId } = await addMemory(company, 'review', { metadata });
  const published = await decided(company, { action: 'publish', memoryId });
  assert.deepEqual(
    [published.metadata, (await readSource(company, published)).metadata],
    [metadata, metadata],
  );
});

test('a decision returns 400 for a field that the action requires or does not take, before it looks up the memory', async () => {
  const company = await service.company();
  const memory = await addMemory(company, 'published');
  for (const [body, path] of [
    [{ action: 'update' }, '/content'],
    [{ action: 'discard', title: 'x' }, '/title'],
    [{ action: 'delete', content: 'x' }, '/content'],
  ] as const) {
    for (const memoryId of [memory.id, newId()]) {
      assertInvalid(await decide(company, { memoryId, ...body }), path);
    }
  }
});
