import assert from 'node:assert/strict';
import { test } from 'node:test';
import { int4ArrayBinary, termsToSparsevecBinary } from '../../../db/driver/wire-format.ts';
import { chunkTerms } from '../../../shared/text/terms/chunk-terms.ts';
import { Writer } from '../../bench/generated-text.ts';
import { openTestDatabase } from '../../support/needs/database.ts';

const TEAM = '7b0f3c1e-4a52-4b6e-9d53-0a3f1f0f5a11';

test('the weights of a chunk take little more than half of their bytes, where the server has lz4', async () => {
  const database = await openTestDatabase();
  const terms = chunkTerms(TEAM, new Writer(5).document(1000));
  const [row] = await database.transaction(async ({ query }) => {
    await query('create temp table stored (like memory.chunk_keyword including all) on commit drop');
    await query(
      'insert into stored (team_id, chunk_id, keys, weights) values ($1, $1, $2::int4[], $3::sparsevec)',
      [TEAM, int4ArrayBinary(terms.keys), termsToSparsevecBinary(terms)],
    );
    return query<{ bytes: number; compressed: string | null; lz4: boolean }>(
      `select pg_column_size(weights) as bytes, pg_column_compression(weights) as compressed,
              exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) as lz4
         from stored`,
    );
  });
  assert.ok(row);
  const plain = 16 + 8 * terms.dims.length;
  assert.ok(plain > 2500, 'a row of this size is compressed');
  if (row.lz4) assert.equal(row.compressed, 'lz4');
  assert.ok(row.bytes < plain * (row.lz4 ? 0.7 : 1.01), `${row.bytes} of ${plain} bytes`);
});
