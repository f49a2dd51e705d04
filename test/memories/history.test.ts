import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Memory, MemoryVersion } from '../../shared/schemas/memories.ts';
import { openTestApp } from '../support/app.ts';
import { foundByMeaning, foundByWords } from '../support/consolidation.ts';
import { addMemory, decide, decided, MEMORIES, readSource } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, along, type Caller, CLAIM } from '../support/team.ts';

const service = await openTestApp();

const versionsOf = (caller: Caller, { id }: Pick<Memory, 'id'>) => caller.all.listMemoryVersions(id);
const texts = (versions: readonly MemoryVersion[]) =>
  versions.map(({ version, title, content }) => [version, title, content]);
const read = async (caller: Caller, { id }: Pick<Memory, 'id'>) => outcome(await caller.ask.getMemory(id));

describe('GET /v1/memory/memories/{id}', () => {
  test('returns a memory in every state with Full access, and a published one to a reader of its layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const member = await addPerson(service, company, { teamRole: 'member' });
    for (const state of ['review', 'published', 'discarded', 'archived'] as const) {
      const memory = await addMemory(company, state);
      const answer = await company.ask.getMemory(memory.id);
      assert.deepEqual(answer.json(), memory);
      assert.equal(await read(member, memory), state === 'published' ? '200' : '404 not_found', state);
    }
    const elsewhere = await addMemory(company, 'published', {}, clientId);
    assert.equal(await read(member, elsewhere), '404 not_found');
    assert.equal(await read(company, elsewhere), '200');
    for (const id of [newId(), 'nothing']) assert.equal(await read(company, { id }), '404 not_found');
  });
});

describe('GET /v1/memory/memories/{id}/versions', () => {
  test('lists every text that a memory has had, newest first, with its changes by words', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'review', {
      title: 'Port',
      content: 'The port is 8443.',
    });
    const { id: memoryId } = memory;
    await decided(company, { action: 'publish', memoryId, content: 'The port is 443.' });
    await decided(company, { action: 'update', memoryId, tags: ['net'] });
    await decided(company, { action: 'update', memoryId, title: 'Ports' });
    await decided(company, { action: 'unpublish', memoryId });
    const versions = await versionsOf(company, memory);
    assert.deepEqual(texts(versions), [
      [4, 'Ports', 'The port is 443.'],
      [2, 'Port', 'The port is 443.'],
      [1, 'Port', 'The port is 8443.'],
    ]);
    assert.deepEqual(versions[0]?.changes, [{ op: 'equal', text: 'The port is 443.' }]);
    assert.deepEqual(
      versions[1]?.changes.map(({ op }) => op),
      ['equal', 'delete', 'insert', 'equal'],
    );
    assert.deepEqual(versions[2]?.changes, [{ op: 'insert', text: 'The port is 8443.' }]);
    for (const { actorId, createdAt } of versions) {
      assert.equal(actorId, company.ownerId);
      assert.ok(createdAt >= memory.createdAt);
    }
    assert.equal(versions[2]?.createdAt, memory.createdAt);
  });

  test('pages the versions, and a page of long texts has fewer', async () => {
    const company = await service.company();
    const content = (n: number) => `${n} ${'heron '.repeat(10_000)}`.padEnd(63_000, '鷺');
    const memory = await addMemory(company, 'published', { content: content(0) });
    for (let n = 1; n < 12; n++) {
      await decided(company, { action: 'update', memoryId: memory.id, content: content(n) });
    }
    const url = `${MEMORIES}/${memory.id}/versions`;
    type Page = { items: MemoryVersion[]; nextCursor: string | null };
    const first = (await company.send('GET', `${url}?limit=2`)).json<Page>();
    assert.deepEqual(
      first.items.map(({ version }) => version),
      [12, 11],
    );
    const all: number[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const page: Page = (await company.send('GET', `${url}${cursor && `?cursor=${cursor}`}`)).json<Page>();
      all.push(...page.items.map(({ version }) => version));
      cursor = page.nextCursor;
    }
    assert.deepEqual(all, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert.equal(pages, 2);
    for (const cursor of ['x', 'MA', 'LTE', 'MS4w', 'OTk5OTk5OTk5OTk5']) {
      assertInvalid(await company.send('GET', `${url}?cursor=${cursor}`), '/cursor');
    }
  });

  test('shows a text that was only in review to nobody without Full access', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const memory = await addMemory(company, 'review', { content: 'The secret is heron.' });
    assert.equal(outcome(await member.ask.listMemoryVersions(memory.id)), '404 not_found');
    const { id: memoryId } = memory;
    await decided(company, { action: 'publish', memoryId, content: 'There is a secret.' });
    const [shown, ...others] = await versionsOf(member, memory);
    assert.deepEqual([shown?.content, others], ['There is a secret.', []]);
    assert.deepEqual(shown?.changes, [{ op: 'insert', text: 'There is a secret.' }]);
    assert.equal((await versionsOf(company, memory)).length, 2);
    // A text that was published unchanged is one that was published.
    const plain = await addMemory(company, 'review', { content: 'A fact.' });
    await decided(company, { action: 'publish', memoryId: plain.id });
    assert.equal((await versionsOf(member, plain)).length, 1);
    await decided(company, { action: 'delete', memoryId: plain.id });
    assert.equal(outcome(await member.ask.listMemoryVersions(plain.id)), '404 not_found');
  });
});

describe('restore', () => {
  test('publishes an earlier text as a new version', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', {
      title: 'Cat',
      content: 'The ocelot sleeps.',
    });
    const { id: memoryId } = memory;
    const update = { action: 'update', memoryId, title: 'Lynx', content: 'The lynx wakes.' };
    await decided(company, update);
    const restored = await decided(company, {
      action: 'restore',
      memoryId,
      version: 1,
      baseVersion: 2,
    });
    assert.deepEqual(
      [restored.state, restored.version, restored.title, restored.content, restored.sourceId],
      ['published', 3, 'Cat', 'The ocelot sleeps.', memory.sourceId],
    );
    assert.deepEqual(await foundByWords(company, 'lynx'), []);
    assert.deepEqual(await foundByWords(company, 'ocelot'), ['The ocelot sleeps.']);
    assert.equal((await readSource(company, restored)).title, 'Cat');
    assert.deepEqual(texts(await versionsOf(company, memory)), [
      [3, 'Cat', 'The ocelot sleeps.'],
      [2, 'Lynx', 'The lynx wakes.'],
      [1, 'Cat', 'The ocelot sleeps.'],
    ]);
  });

  test('publishes an archived memory again, also with the text that it had last', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'archived', { content: 'The ocelot sleeps.' });
    const restored = await decided(company, { action: 'restore', memoryId: memory.id, version: 1 });
    assert.deepEqual([restored.state, restored.sourceId], ['published', memory.sourceId]);
    assert.deepEqual(await foundByWords(company, 'ocelot'), ['The ocelot sleeps.']);
    assert.deepEqual(
      (await versionsOf(company, memory)).map(({ version }) => version),
      [3, 1],
    );
  });

  test('keeps the chunks and vectors of a published memory that has the text', async () => {
    const company = await service.company();
    const given = { content: 'The ocelot sleeps.', embedding: along(3), ...CLAIM };
    const { id: memoryId } = await addMemory(company, 'published', given);
    await decided(company, { action: 'update', memoryId, title: 'Cats' });
    await decided(company, { action: 'restore', memoryId, version: 1 });
    assert.deepEqual(await foundByMeaning(company, along(3)), ['The ocelot sleeps.']);
  });

  test('finds the text that a memory had at a version without a text of its own', async () => {
    const company = await service.company();
    const { id: memoryId } = await addMemory(company, 'review', { content: 'The ocelot sleeps.' });
    await decided(company, { action: 'publish', memoryId });
    await decided(company, { action: 'update', memoryId, content: 'The lynx wakes.' });
    const restored = await decided(company, { action: 'restore', memoryId, version: 2 });
    assert.equal(restored.content, 'The ocelot sleeps.');
  });

  test('returns 404 for a version that the memory has not had, and 409 for another baseVersion', async () => {
    const company = await service.company();
    const { id: memoryId } = await addMemory(company, 'published');
    const restore = { action: 'restore', memoryId, version: 1 };
    for (const version of [2, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      assert.equal(outcome(await decide(company, { ...restore, version })), '404 not_found');
    }
    for (const baseVersion of [2, 9]) {
      assert.equal(outcome(await decide(company, { ...restore, baseVersion })), '409 version_conflict');
    }
    assertInvalid(await decide(company, { action: 'restore', memoryId }), '/version');
    assertInvalid(await decide(company, { ...restore, title: 'x' }), '/title');
    assertInvalid(await decide(company, { action: 'delete', memoryId, baseVersion: 1 }), '/baseVersion');
  });
});
