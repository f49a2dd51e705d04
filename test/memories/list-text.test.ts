import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addMemories, decided, listMemories } from '../support/memories.ts';

const service = await openTestApp();

/** The titles of the memories that a text is held by. */
async function holding(company: SignedIn, q: string): Promise<string[]> {
  const listed = await listMemories(company, `?q=${encodeURIComponent(q)}`);
  return listed.map(({ title }) => title);
}

/** Makes a memory of each content, titled by its place. */
function addContents(company: SignedIn, contents: readonly string[]) {
  return addMemories(
    company,
    'review',
    contents.map((content, n) => ({ title: `No ${n}`, content })),
  );
}

describe('GET /v1/memory/memories with q', () => {
  test('q matches text in the title or in the content, but not across both', async () => {
    const company = await service.company();
    await addMemories(company, 'published', [
      { title: 'On ocelots', content: 'They sleep.' },
      { title: 'On cats', content: 'The ocelot sleeps.' },
      { title: 'On badgers', content: 'They dig.' },
    ]);
    assert.deepEqual(await holding(company, 'OCELOT'), ['On cats', 'On ocelots']);
    assert.deepEqual(await holding(company, 'they'), ['On badgers', 'On ocelots']);
    // Not half in the one and half in the other.
    assert.deepEqual(await holding(company, 'ocelots they'), []);
  });

  test('q matches the current text of the memory and not the text before an update', async () => {
    const company = await service.company();
    const [memory] = await addMemories(company, 'published', [{ title: 'Cats', content: 'ocelot' }]);
    const change = { action: 'update', memoryId: memory?.id, title: 'Dogs', content: 'dingo' };
    await decided(company, change);
    assert.deepEqual(await holding(company, 'ocelot'), []);
    assert.deepEqual(await holding(company, 'cats'), []);
    assert.deepEqual(await holding(company, 'dingo'), ['Dogs']);
    assert.deepEqual(await holding(company, 'dogs'), ['Dogs']);
  });

  test('q matches the end of the longest content', async () => {
    const company = await service.company();
    const content = `${'x '.repeat(31_990)}the ocelot`;
    await addContents(company, [content]);
    assert.deepEqual(await holding(company, 'THE OCELOT'), ['No 0']);
  });

  test('a blank q and white space around q are ignored', async () => {
    const company = await service.company();
    await addContents(company, ['The ocelot sleeps.', 'The lynx wakes.']);
    for (const blank of ['', ' ', '\t\n', '\u00a0\u3000']) {
      assert.deepEqual(await holding(company, blank), ['No 1', 'No 0'], JSON.stringify(blank));
    }
    assert.deepEqual(await holding(company, '  ocelot '), ['No 0']);
  });
});
