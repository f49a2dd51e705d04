import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestCompany, openTestDatabase } from '../../support/needs/database.ts';
import { ROOT } from '../../support/root.ts';
import { ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';

interface Stored {
  row: number;
  weights: number;
  /** Of the weights in the binary form of a sparsevec: three numbers, and two for each term. */
  plain: number;
  compressed: string | null;
  lz4: boolean;
}

test('the terms of a chunk of 1,000 characters take at most half a page, where the server has lz4', async () => {
  const database = await openTestDatabase();
  const scope = ownerScope(await createTestCompany(database));
  // Ordinary English: made-up words have more terms.
  const text = (await readFile(join(ROOT, 'docs/architecture.md'), 'utf8')).slice(0, 1000);
  await storeSource(database, scope, { layer: null, chunks: [{ text }] });
  const [stored] = await database.query<Stored>(
    `select pg_column_size(k.*) as row, pg_column_size(k.weights) as weights,
            4 * 3 + 8 * array_length(string_to_array(k.weights::text, ','), 1) as plain,
            pg_column_compression(k.weights) as compressed,
            exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) as lz4
       from memory.chunk_keyword k where k.team_id = $1`,
    [scope.teamId],
  );
  assert.ok(stored);
  assert.ok(stored.plain > 2712, 'a row of this size is compressed');
  if (!stored.lz4) return;
  assert.equal(stored.compressed, 'lz4');
  assert.ok(stored.weights < 0.75 * stored.plain, `${stored.weights} of ${stored.plain} bytes`);
  assert.ok(stored.row <= 4080, `a row of ${stored.row} bytes`);
});
