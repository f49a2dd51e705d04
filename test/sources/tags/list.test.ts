import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import { recordsNothing } from '../../support/company.ts';
import { addMemory, decided } from '../../support/memories.ts';
import { addSource, archived, listSources } from '../../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../../support/team.ts';

const service = await openTestApp();

/** The tags of a list, each with its count. */
const tagsOf = async (caller: Caller, query = {}) =>
  (await caller.all.listTags(query)).map(({ tag, count }) => `${tag} ${count}`);

describe('the list of tags', () => {
  test('counts the active sources that have each tag, in the order of the characters', async () => {
    const company = await service.company();
    await addSource(company, { tags: ['b', 'a', 'ä', 'Z'] });
    await addSource(company, { tags: ['B', 'c c'] });
    await addMemory(company, 'published', { tags: ['b'] });
    await addMemory(company, 'review', { tags: ['waiting'] });
    await addSource(company);
    assert.deepEqual(await tagsOf(company), ['a 1', 'b 3', 'c c 1', 'z 1', 'ä 1']);
    await recordsNothing(service, company, () => tagsOf(company));
  });

  test('does not count archived sources, and a tag that no active source has is not listed', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { tags: ['gone', 'kept'] });
    await addSource(company, { tags: ['kept'] });
    const memory = await addMemory(company, 'published', { tags: ['deleted', 'kept'] });
    assert.deepEqual(await tagsOf(company), ['deleted 1', 'gone 1', 'kept 3']);
    await archived(company, id);
    await decided(company, { action: 'delete', memoryId: memory.id });
    assert.deepEqual(await tagsOf(company), ['kept 1']);
  });

  test('counts only sources within reach, and only those of the client that is named', async () => {
    const company = await service.company();
    const [a, b] = [await addClient(service, company), await addClient(service, company)];
    await addSource(company, { tags: ['both', 'team'] });
    await addSource(company, { tags: ['both', 'of a'], scope: { clientId: a } });
    await addSource(company, { tags: ['both', 'of b'], scope: { clientId: b } });
    const person = await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'read' } });
    assert.deepEqual(await tagsOf(person), ['both 2', 'of a 1', 'team 1']);
    assert.deepEqual(await tagsOf(company, { clientId: a }), ['both 1', 'of a 1']);
  });

  test('is paged without losing or repeating a tag, also if tags are added between pages', async () => {
    const company = await service.company();
    await addSource(company, { tags: ['a', 'c', 'e', 'ß 𐐨', 'i\u0307'] });
    assert.deepEqual(await tagsOf(company), ['a 1', 'c 1', 'e 1', 'i\u0307 1', 'ss 𐐨 1']);
    const first = await company.api.listTags({ limit: '2' });
    assert.deepEqual(column(first.items, 'tag'), ['a', 'c']);
    await addSource(company, { tags: ['b', 'd', 'i\u0307'] });
    const seen: string[] = [];
    for (let cursor = first.nextCursor; cursor !== null; ) {
      const next = await company.api.listTags({ limit: '2', cursor });
      seen.push(...next.items.map(({ tag, count }) => `${tag} ${count}`));
      cursor = next.nextCursor;
    }
    assert.deepEqual(seen, ['d 1', 'e 1', 'i\u0307 2', 'ss 𐐨 1']);
  });
});

describe('the filter tag of the list of sources', () => {
  test('returns only sources that have the tag, newest first, in any case of its letters', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const titles = async (query: string) =>
      (await listSources(company, `?${query}`)).map(({ title }) => title);
    await addSource(company, { title: 'one', tags: ['Straße', 'x'] });
    await addSource(company, { title: 'two', tags: ['strasse 2'] });
    await addSource(company, { title: 'three', tags: ['STRASSE'], scope: { clientId } });
    await addMemory(company, 'published', { title: 'four', tags: ['strasse'] });
    await addSource(company, { title: 'none' });
    const { id } = await addSource(company, { title: 'archived', tags: ['strasse'] });
    await archived(company, id);
    const tag = `tag=${encodeURIComponent(' STRAẞE')}`;
    assert.deepEqual(await titles(tag), ['archived', 'four', 'three', 'one']);
    assert.deepEqual(await titles(`${tag}&state=active&kind=ingest`), ['three', 'one']);
    assert.deepEqual(await titles(`${tag}&clientId=${clientId}`), ['three']);
    assert.deepEqual(await titles(`${tag}&q=o&limit=1`), ['four']);
    assert.deepEqual(await titles('tag=str'), []);
  });
});
