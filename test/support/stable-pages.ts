import assert from 'node:assert/strict';
import type { Caller } from './team.ts';

interface Page {
  items: object[];
  nextCursor: string | null;
  total?: number | null;
}

/**
 * Asserts that the pages of a list hold each item once, though one is inserted after the first page was read, and
 * that the new one then stands first; and that the list is counted on request, on each of its pages. The list has at least
 * three items; `insert` adds one.
 */
export async function assertStablePages(
  caller: Caller,
  url: string,
  insert: () => Promise<unknown>,
): Promise<void> {
  const read = async (query: string): Promise<Page> => {
    const answer = await caller.send('GET', `${url}?${query}`);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json<Page>();
  };
  const { items: before, nextCursor, ...more } = await read('limit=200');
  assert.equal(nextCursor, null);
  assert.deepEqual(more, {}, 'no count without a request for it');
  const { total, nextCursor: second } = await read('limit=1&count=true');
  assert.equal(total, before.length);
  assert.equal((await read(`limit=1&count=true&cursor=${second}`)).total, before.length);
  assert.ok(before.length >= 3, `${before.length} items`);

  const pages = [await read('limit=2')];
  await insert();
  for (let cursor = pages[0]!.nextCursor; cursor !== null; cursor = pages.at(-1)!.nextCursor) {
    pages.push(await read(`limit=2&cursor=${cursor}`));
  }
  assert.deepEqual(
    pages.flatMap(({ items }) => items),
    before,
  );
  for (const { items } of pages.slice(0, -1)) assert.equal(items.length, 2);
  const { items: after } = await read('limit=200');
  assert.equal(after.length, before.length + 1);
  assert.deepEqual(after.slice(1), before);

  for (const fault of ['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'count=x']) {
    const answer = await caller.send('GET', `${url}?${fault}`);
    assert.equal(answer.json<{ code?: string }>().code, 'invalid_request', fault);
  }
}
