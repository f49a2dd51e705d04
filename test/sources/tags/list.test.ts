import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TagCount } from '../../../shared/schemas/sources.ts';
import { openTestApp } from '../../support/app.ts';
import { recordsNothing } from '../../support/company.ts';
import { addMemory, decided } from '../../support/memories.ts';
import { assertInvalid, assertSameRefusal } from '../../support/refusals.ts';
import { addSource, archived, listSources } from '../../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../../support/team.ts';

const service = await openTestApp();
const TAGS = '/v1/memory/tags';

/** The tags of a list, each with its count. */
async function tagsOf(caller: Caller, query = ''): Promise<string[]> {
  const items = await caller.readAll<TagCount>(`${TAGS}${query}`);
  return items.map(({ tag, count }) => `${tag} ${count}`);
}

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

  test('does not show the tags of a client that the caller cannot reach', async () => {
    const company = await service.company();
    const [a, b] = [await addClient(service, company), await addClient(service, company)];
    await addSource(company, { tags: ['both', 'team'] });
    await addSource(company, { tags: ['both', 'of a'], scope: { clientId: a } });
    await addSource(company, { tags: ['both', 'of b'], scope: { clientId: b } });
    const person = await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'read' } });
    assert.deepEqual(await tagsOf(company), ['both 3', 'of a 1', 'of b 1', 'team 1']);
    assert.deepEqual(await tagsOf(person), ['both 2', 'of a 1', 'team 1']);
    assert.deepEqual(await tagsOf(person, `?clientId=${a}`), ['both 1', 'of a 1']);
    await assertSameRefusal('403 scope_forbidden', [
      person.ask.listTags({ clientId: b }),
      person.ask.listTags({ clientId: 'nonsense' }),
    ]);
    assert.deepEqual(await tagsOf(await service.company()), []);
  });

  test('is paged without losing or repeating a tag, also if tags are added between pages', async () => {
    const company = await service.company();
    await addSource(company, { tags: ['a', 'c', 'e', 'ß 𐐨', 'i\u0307'] });
    assert.deepEqual(await tagsOf(company, '?'), ['a 1', 'c 1', 'e 1', 'i\u0307 1', 'ss 𐐨 1']);
    const page = async (query: string) => await company.api.listTags({ limit: `2${query}` });
    const first = await page('');
    assert.deepEqual(
      first.items.map(({ tag }) => tag),
      ['a', 'c'],
    );
    await addSource(company, { tags: ['b', 'd', 'i\u0307'] });
    const seen: string[] = [];
    for (let { nextCursor } = first; nextCursor !== null; ) {
      const next = await page(`&cursor=${nextCursor}`);
      seen.push(...next.items.map(({ tag, count }) => `${tag} ${count}`));
      nextCursor = next.nextCursor;
    }
    assert.deepEqual(seen, ['d 1', 'e 1', 'i\u0307 2', 'ss 𐐨 1']);
  });

  test('refuses a page that is not one of this list', async () => {
    const company = await service.company();
    const encoded = (text: string) => Buffer.from(text).toString('base64url');
    for (const cursor of ['', '!', encoded('Upper'), encoded(' x'), encoded('a\u0000'), `${encoded('x')}=`]) {
      assertInvalid(await company.ask.listTags({ cursor }), '/cursor');
    }
    assertInvalid(await company.ask.listTags({ limit: 201 }), '/limit');
    assertInvalid(await company.ask.listTags({ q: 'x' }), '/q');
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

  test('refuses a blank tag, a tag that is too long, and several', async () => {
    const company = await service.company();
    for (const query of [
      'tag=',
      'tag=%20',
      `tag=${'x'.repeat(51)}`,
      `tag=${'ß'.repeat(26)}`,
      'tag=a&tag=b',
    ]) {
      assertInvalid(await company.send('GET', `/v1/memory/sources?${query}`), '/tag');
    }
  });
});
