import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Writer } from '../../support/generated-text.ts';
import { createTestCompany, openTestDatabase } from '../../support/needs/database.ts';
import { ROOT } from '../../support/root.ts';
import { ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';

interface Stored {
  row: number;
  weights: number;
  /** Of the weights without compression: a header, and two numbers for each term. */
  plain: number;
  compressed: string | null;
  lz4: boolean;
}

const database = await openTestDatabase();

/** What is stored of a chunk with this text. */
async function store(text: string): Promise<Stored> {
  const scope = ownerScope(await createTestCompany(database));
  await storeSource(database, scope, { layer: null, chunks: [{ text }] });
  const [stored] = await database.query<Stored>(
    `select pg_column_size(k.*) as row, pg_column_size(k.weights) as weights,
            16 + 8 * array_length(string_to_array(k.weights::text, ','), 1) as plain,
            pg_column_compression(k.weights) as compressed,
            exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) as lz4
       from memory.chunk_keyword k where k.team_id = $1`,
    [scope.teamId],
  );
  assert.ok(stored);
  assert.ok(stored.plain > 2712, 'a row of this size is compressed');
  if (stored.lz4) assert.equal(stored.compressed, 'lz4');
  return stored;
}

test('the weights of a chunk take little more than half of their bytes, where the server has lz4', async () => {
  const { weights, plain, lz4 } = await store(new Writer(5).document(1000));
  assert.ok(weights < plain * (lz4 ? 0.7 : 1.01), `${weights} of ${plain} bytes`);
});

test('every function that writes keys limits how many new keys wait', async () => {
  const functions = await database.query<{ name: string; settings: string[] | null }>(
    `select proname as name, proconfig as settings from pg_proc
      where pronamespace = 'memory'::regnamespace and prosrc ~ '(insert into|update) chunk_keyword'`,
  );
  assert.deepEqual(functions.map(({ name }) => name).sort(), [
    'move_chunks',
    'replace_terms',
    'restore_chunks',
  ]);
  for (const { name, settings } of functions) {
    assert.ok(settings?.includes('gin_pending_list_limit=512kB'), name);
  }
});

test('the terms of 1,000 characters of English take at most half a page, where the server has lz4', async () => {
  // Not made-up words, which have more terms.
  const { row, lz4 } = await store(
    (await readFile(join(ROOT, 'docs/architecture.md'), 'utf8')).slice(0, 1000),
  );
  if (lz4) assert.ok(row <= 4080, `a row of ${row} bytes`);
});
