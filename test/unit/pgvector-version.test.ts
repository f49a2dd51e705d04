import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAtLeast, pgvectorWarning, warnOfOldPgvector } from '../../db/queries/embeddings.ts';

test('versions of pgvector are compared by their numbers', () => {
  const later = ['0.8.4', '0.8.5', '0.8.10', '0.9.0', '0.10', '0.10.0', '1.0', '0.8.4-rc1'];
  const earlier = ['0.8.3', '0.8.0', '0.8', '0.7.9', '0', '', 'unknown'];
  assert.deepEqual(
    [...earlier, ...later].filter((version) => isAtLeast(version, '0.8.4')),
    later,
  );
  assert.ok(isAtLeast('0.8.0', '0.8'));
});

test('the start warns of such a pgvector with one line, and of no other', async () => {
  const warned = async (version: string | null) => {
    const lines: string[] = [];
    const logger = { warn: (line: string) => void lines.push(line) };
    await warnOfOldPgvector({ query: async () => [{ version }] } as never, logger as never);
    return lines;
  };
  assert.deepEqual(await warned('0.8.0'), [pgvectorWarning('0.8.0')]);
  assert.match(
    pgvectorWarning('0.8.0') ?? '',
    /^pgvector 0\.8\.0 can corrupt .* no graphs .*Install pgvector 0\.8\.4 or later[^\n]*$/,
  );
  for (const version of ['0.8.4', '0.9.0', null]) assert.deepEqual(await warned(version), []);
});
