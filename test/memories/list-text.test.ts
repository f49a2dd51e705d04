import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addMemories, listMemories } from '../support/memories.ts';

const service = await openTestApp();

/** The titles of the memories that a text is held by. */
async function holding(company: SignedIn, q: string): Promise<string[]> {
  const listed = await listMemories(company, `?q=${encodeURIComponent(q)}`);
  return listed.map(({ title }) => title);
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
});
