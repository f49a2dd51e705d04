import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { SearchResponse } from '../../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { addMemory } from '../../support/memories.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, addPerson, along, type Caller, CLAIM } from '../../support/team.ts';

const service = await openTestApp();

/** What a search for herons answers, by words and by meaning. */
async function searched(caller: Caller, body: object): Promise<SearchResponse> {
  return await caller.api.searchMemory({
    query: 'heron',
    scope: { include: ['team', 'client'] },
    topK: 50,
    queryEmbedding: along(1000),
    ...CLAIM,
    ...body,
  });
}

async function titles(caller: Caller, body: object): Promise<string[]> {
  return (await searched(caller, body)).hits.map(({ title }) => title).sort();
}

describe('a search with tags', () => {
  let company: SignedIn;
  let clientId: string;
  before(async () => {
    company = await service.company();
    clientId = await addClient(service, company);
    const add = (title: string, tags: string[], body: object = {}) =>
      addSource(company, {
        title,
        tags,
        chunks: [{ text: `heron ${title}`, embedding: along(title.length) }],
        ...CLAIM,
        ...body,
      });
    await add('a', ['red']);
    await add('ab', ['red', 'blue']);
    await add('abc', ['blue', 'ΟΔΟΣ']);
    await add('none', []);
    await add('of the client', ['red', 'blue'], { scope: { clientId } });
    await addMemory(company, 'published', { title: 'memory', content: 'heron', tags: ['Red'] });
  });

  test('returns only hits of sources that have all of them', async () => {
    assert.deepEqual(await titles(company, { tags: ['red'] }), ['a', 'ab', 'memory', 'of the client']);
    assert.deepEqual(await titles(company, { tags: ['red', 'blue'] }), ['ab', 'of the client']);
    assert.deepEqual(await titles(company, { tags: ['blue', 'red', 'green'] }), []);
    assert.deepEqual(await titles(company, { tags: ['re'] }), []);
  });

  test('ignores the case of tags, white space around them and repeated tags', async () => {
    assert.deepEqual(await titles(company, { tags: [' RED', 'red', 'Blue '] }), ['ab', 'of the client']);
    assert.deepEqual(await titles(company, { tags: ['οδος'] }), ['abc']);
  });

  test('applies the tags together with the other filters and the scope', async () => {
    assert.deepEqual(await titles(company, { tags: ['red'], kinds: ['memory'] }), ['memory']);
    assert.deepEqual(await titles(company, { tags: ['red'], scope: {} }), ['a', 'ab', 'memory']);
    const scope = { clientId, include: ['client'] };
    assert.deepEqual(await titles(company, { tags: ['red'], scope }), ['of the client']);
    assert.deepEqual(await titles(company, { tags: ['red'], createdBefore: '2020-01-01T00:00:00Z' }), []);
    const person = await addPerson(service, company, { teamRole: 'member' });
    assert.deepEqual(await titles(person, { tags: ['red', 'blue'] }), ['ab']);
  });

  test('shows in an explanation how many chunks have the tags', async () => {
    assert.equal((await searched(company, { tags: ['red'], explain: true })).explain?.filtered, 4);
    assert.equal((await searched(company, { tags: ['x'], explain: true })).explain?.filtered, 0);
    assert.equal((await searched(company, { explain: true })).explain?.filtered, null);
  });
});
