import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { MEMORY_ACTIONS, MEMORY_STATES, type MemoryAction } from '../../shared/memory-states.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { foundByMeaning, foundByWords } from '../support/consolidation.ts';
import { questionBest } from '../support/feedback.ts';
import {
  addMemory,
  allRows,
  decide,
  decided,
  expand,
  listMemories,
  readSource,
  searchRows,
} from '../support/memories.ts';
import { MEMORY_STATE_TABLE } from '../support/memory-state-table.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { everyOne } from '../support/tables.ts';
import { addClient, along, CLAIM } from '../support/team.ts';

const service = await openTestApp();

const stateOf = (name: string | undefined) => MEMORY_STATES.find((state) => state === name)!;
const actionOf = (name: string | undefined) => MEMORY_ACTIONS.find((action) => action === name)!;

const EVENTS: Record<MemoryAction, string> = {
  publish: 'memory.publish',
  discard: 'memory.discard',
  update: 'memory.update',
  delete: 'memory.delete',
  reopen: 'memory.reopen',
  unpublish: 'memory.unpublish',
  restore: 'memory.restore',
  renew: 'memory.renew',
  keep: 'memory.keep',
  move: 'memory.move',
};

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
  test(`${action} of a memory in state ${state} leads to ${next}, with one event and the next version`, async () => {
    const company = await service.company();
    // What is moved to the Team layer comes from a client.
    const clientId = action === 'move' ? await addClient(service, company) : null;
    const given = { content: 'The ocelot sleeps.' };
    const memory = await addMemory(company, stateOf(state), given, clientId);
    if (action === 'keep') await questionBest(company, 'ocelot');
    let after: Memory | undefined;
    const { events, text } = await recordedBy(service, company, async () => {
      after = await decided(company, decision(action, memory));
    });
    assert.ok(after);
    assert.deepEqual([after.id, after.state, after.version], [memory.id, next, memory.version + 1]);
    // An item that is renewed or moved in review is still undecided.
    const undecided = (action === 'renew' || action === 'move') && next === 'review';
    assert.deepEqual(
      [after.decidedBy, after.decidedAt, after.createdBy],
      undecided ? [null, null, company.ownerId] : [company.ownerId, after.updatedAt, company.ownerId],
    );
    assert.equal(after.createdAt, memory.createdAt);
    assert.deepEqual(
      events.map(({ kind, actorId, teamId, subjectType, subjectId, detail }) => [
        kind,
        actorId,
        teamId,
        subjectType,
        subjectId,
        detail['version'],
      ]),
      [[EVENTS[action], company.ownerId, company.teamId, 'memory', memory.id, after.version]],
    );
    assert.doesNotMatch(text, /ocelot|lynx/i);
    const visible = {
      state: next === 'published' || next === 'review' ? next : null,
      found: next === 'published' ? 1 : 0,
    };
    assert.deepEqual(await shownIn(company, memory, action === 'update' ? 'lynx' : 'ocelot'), visible);
    if (action === 'update') assert.deepEqual(await foundByWords(company, 'ocelot'), []);
  });
}

describe('a memory in review', () => {
  test('a memory in review has no source and is not found by words or by meaning', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'review', {
      content: 'The ocelot sleeps.',
      embedding: along(3),
      ...CLAIM,
    });
    assert.deepEqual([memory.sourceId, memory.decidedBy, memory.decidedAt], [null, null, null]);
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
    assert.deepEqual(await foundByMeaning(company, along(3)), []);
    assert.deepEqual(await searchRows(service, company), { chunks: 0, terms: 0, vectors: 0, pending: 0 });
    const { items } = await company.api.listSources();
    assert.deepEqual(items, []);
  });

  test('publish keeps the title, content, metadata and vector of the memory', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'review', {
      title: 'Cats',
      content: 'The ocelot sleeps.',
      metadata: { tags: ['cat'] },
      embedding: along(3, 7),
      ...CLAIM,
    });
    const published = await decided(company, { action: 'publish', memoryId: memory.id });
    assert.deepEqual(
      [published.title, published.content, published.metadata],
      ['Cats', 'The ocelot sleeps.', { tags: ['cat'] }],
    );
    const source = await readSource(company, published);
    assert.deepEqual(
      [source.kind, source.title, source.state, source.metadata, source.chunks.map(({ text }) => text)],
      ['memory', 'Cats', 'active', { tags: ['cat'] }, ['The ocelot sleeps.']],
    );
    assert.deepEqual(await foundByMeaning(company, along(3)), ['The ocelot sleeps.']);
    assert.deepEqual(await searchRows(service, company), { chunks: 1, terms: 1, vectors: 1, pending: 0 });
  });

  test('publish with a new title keeps the content and the vector', async () => {
    const company = await service.company();
    const given = { content: 'The ocelot sleeps.', embedding: along(3), ...CLAIM };
    const memory = await addMemory(company, 'review', given);
    const decision = { action: 'publish', memoryId: memory.id, title: 'Cats' };
    const published = await decided(company, decision);
    assert.deepEqual([published.title, published.content], ['Cats', 'The ocelot sleeps.']);
    assert.equal((await readSource(company, published)).title, 'Cats');
    assert.deepEqual(await foundByMeaning(company, along(3)), ['The ocelot sleeps.']);
  });

  test('publish with new content drops the vector of the old content', async () => {
    const company = await service.company();
    const given = { title: 'Cats', content: 'The ocelot sleeps.', embedding: along(3), ...CLAIM };
    const memory = await addMemory(company, 'review', given);
    const decision = { action: 'publish', memoryId: memory.id, content: 'The lynx wakes.' };
    const published = await decided(company, decision);
    assert.deepEqual([published.title, published.content], ['Cats', 'The lynx wakes.']);
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
    assert.deepEqual(await foundByWords(company, 'lynx'), ['The lynx wakes.']);
    assert.deepEqual(await foundByMeaning(company, along(3)), []);
    assert.deepEqual(await searchRows(service, company), { chunks: 1, terms: 1, vectors: 0, pending: 1 });
  });
});

describe('a deleted memory', () => {
  const content = ['ocelot', 'lynx', 'puma'].map((cat) => `${cat} `.repeat(250)).join('\n\n');

  test('delete leaves an archived source without chunks or terms, which no search finds', async () => {
    const company = await service.company();
    const kept = await addMemory(company, 'published', { content: 'The badger digs.' });
    const before = await searchRows(service, company);
    const memory = await addMemory(company, 'published', { content });
    const { chunks } = await readSource(company, memory);
    assert.ok(chunks.length > 1);
    const deleted = await decided(company, { action: 'delete', memoryId: memory.id });
    assert.deepEqual(
      [deleted.state, deleted.content, deleted.sourceId],
      ['archived', content, memory.sourceId],
    );

    const source = await readSource(company, deleted);
    assert.deepEqual([source.state, source.chunks], ['archived', []]);
    assert.deepEqual(await searchRows(service, company), before);
    for (const word of ['ocelot', 'lynx', 'puma']) {
      assert.deepEqual(await foundByWords(company, word), []);
    }
    for (const { chunk_id: id } of chunks) assert.deepEqual(await expand(company, id), []);
    assert.deepEqual(column(await listMemories(company), 'id'), [kept.id]);
  });

  test('delete removes the vectors of the memory', async () => {
    const company = await service.company();
    const given = { content: 'The ocelot sleeps.', embedding: along(3), ...CLAIM };
    const memory = await addMemory(company, 'published', given);
    assert.deepEqual(await foundByMeaning(company, along(3)), ['The ocelot sleeps.']);
    await decided(company, { action: 'delete', memoryId: memory.id });
    assert.deepEqual(await foundByMeaning(company, along(3)), []);
    assert.equal((await searchRows(service, company)).vectors, 0);
  });

  test('delete keeps all audit events of the memory', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'review');
    for (const action of ['publish', 'update', 'delete'] as const) {
      await decided(company, decision(action, memory));
    }
    const url = `/v1/memory/audit?subjectId=${memory.id}`;
    const { items } = (await company.send('GET', url)).json<{ items: { kind: string }[] }>();
    assert.deepEqual(column(items, 'kind'), [
      'memory.delete',
      'memory.update',
      'memory.publish',
      'memory.review',
    ]);
  });
});

describe('POST /v1/memory/memories', () => {
  test('accepts title and content only with publish and update', async () => {
    const company = await service.company();
    const review = await addMemory(company, 'review');
    const published = await addMemory(company, 'published');
    const before = await allRows(service, company);
    for (const field of ['title', 'content']) {
      for (const body of [
        { action: 'discard', memoryId: review.id, [field]: 'x' },
        { action: 'delete', memoryId: published.id, [field]: 'x' },
      ]) {
        assertInvalid(await decide(company, body), `/${field}`);
      }
    }
    assert.deepEqual(await allRows(service, company), before);
  });

  test('returns 400 for a malformed decision before it looks up the memory', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published');
    const before = await allRows(service, company);
    for (const [body, path] of [
      [{ action: 'update' }, '/content'],
      [{ action: 'update', title: ' ' }, '/title'],
      [{ action: 'update', title: 'x'.repeat(301) }, '/title'],
      [{ action: 'update', content: ' \n ' }, '/content'],
      [{ action: 'update', content: 'x'.repeat(64_001) }, '/content'],
      [{ action: 'update', content: 'a\u0000b' }, '/content'],
      [{ action: 'update', content: null }, '/content'],
      [{ action: 'update', title: 'x', metadata: {} }, '/metadata'],
      [{ action: 'update', title: 'x', version: 0 }, '/version'],
      [{ action: 'update', title: 'x', version: 1.5 }, '/version'],
      [{ action: 'update', title: 'x', version: '1' }, '/version'],
      [{ action: 'archive' }, '/action'],
      [{}, '/action'],
      [{ action: 'publish', memoryId: undefined }, '/memoryId'],
      [{ action: 'publish', memoryId: 1 }, '/memoryId'],
    ] as const) {
      for (const memoryId of [memory.id, newId()]) {
        assertInvalid(await decide(company, { memoryId, ...body }), path);
      }
    }
    assert.deepEqual(await allRows(service, company), before);
  });

  test('accepts a memory id in upper case', async () => {
    const company = await service.company();
    const { id } = await addMemory(company, 'review');
    const published = await decided(company, { action: 'publish', memoryId: id.toUpperCase() });
    assert.equal(published.id, id);
  });
});
