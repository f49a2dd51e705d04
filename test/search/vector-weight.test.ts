import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { along, CLAIM } from '../support/team.ts';

/** The hits of a search whose words prefer one text, and whose vector prefers the other. */
async function searchWith(env: Record<string, string>) {
  const company = await (await openTestApp(env)).company();
  const notes = { words: ['herons nest', 1], meaning: ['herons', 0] } as const;
  for (const [title, [text, axis]] of Object.entries(notes))
    await company.api.ingestSource({ title, chunks: [{ text, embedding: along(axis) }], ...CLAIM });
  const asked = { query: 'herons nest', queryEmbedding: along(0), explain: true, scope: {}, ...CLAIM };
  const { hits } = await company.api.searchMemory(asked);
  return hits.map(({ title, explain }) => [title, explain?.semantic_z]);
}

describe('the weight of the vectors of a model', () => {
  test('is 1 by default', async () => {
    assert.deepEqual(Object.fromEntries(await searchWith({})), { meaning: 1, words: -1 });
  });

  test('multiplies how much meaning counts, from nothing to more than words', async () => {
    assert.deepEqual(await searchWith({ MEMORY_EMBEDDING_WEIGHT: '10' }), [
      ['meaning', 10],
      ['words', -10],
    ]);
    const [first] = await searchWith({ MEMORY_EMBEDDING_WEIGHT: '0' });
    assert.deepEqual(first, ['words', 0]);
  });
});
