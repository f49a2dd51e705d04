import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { exactKey, teamState } from '../../../shared/text/terms/keys.ts';
import { exactDim, TERM_DIMENSIONS } from '../../../shared/text/terms/terms.ts';
import { createTestCompany, openTestDatabase } from '../../support/needs/database.ts';
import { ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';

const WORDS = ['heron', 'stork', 'jetty'];
/** As estimated: each pass reads one word more. */
const FREQUENCIES = [10, 700, 1600];
const COUNTED = 24_000;
/** With fewer chunks, the second pass reads all of them. */
const OTHERS = 4100;

test('the third pass of a filtered search keeps what the second one found', async () => {
  const database = await openTestDatabase();
  const company = await createTestCompany(database);
  const { teamId, ownerId } = company;
  const chunks = [2, 3, 20].flatMap((count, nth) =>
    Array.from({ length: count }, (_, n) => ({ text: `${WORDS[nth]} ${n}` })),
  );
  await storeSource(database, ownerScope(company), { layer: null, chunks });
  const silent = newId();
  await database.query(
    `insert into memory.source (team_id, layer_id, id, kind, state, title, content_hash, created_by, chunk_count)
     values ($1, $1, $2, 'import', 'active', 'silent', $3, $4, ${OTHERS})`,
    [teamId, silent, randomBytes(32), ownerId],
  );
  await database.query(
    `insert into memory.chunk (team_id, layer_id, id, source_id, ordinal, text)
     select $1, $1, gen_random_uuid(), $2, n, 'silent' from generate_series(1, ${OTHERS}) n`,
    [teamId, silent],
  );
  await database.query(
    `insert into memory.chunk_keyword (team_id, layer_id, chunk_id, keys, weights)
     select c.team_id, c.team_id, c.id, '{1}', '{1:1}/${TERM_DIMENSIONS}' from memory.chunk c where c.source_id = $1`,
    [silent],
  );
  const dims = WORDS.map((word) => exactDim(word)).sort((a, b) => a - b);
  const found = await database.transaction(async ({ query }) => {
    await query(
      `select set_config('app.team', $1, true), set_config('app.reads', array[$1::uuid]::text, true)`,
      [teamId],
    );
    return query<{ text: string }>(
      `with found as (
         select k.*
           from json_populate_record(null::memory.search_filter,
                  '{"is_set": true, "looked_up": true, "kinds": ["ingest"]}') f,
                memory.keyword_candidates(array[$4::uuid], $1::sparsevec, $2::int[], $3::float8[], null,
                  '{}', ${COUNTED}, f, 100) k
       )
       select c.text from found k join memory.chunk c on c.id = any (k.chunk_ids) order by c.ordinal`,
      [
        `{${dims.map((dim) => `${dim}:1`).join(',')}}/${TERM_DIMENSIONS}`,
        WORDS.map((word) => exactKey(teamState(teamId), word)),
        FREQUENCIES,
        teamId,
      ],
    );
  });
  assert.deepEqual(
    found.map(({ text }) => text),
    chunks.map(({ text }) => text),
  );
});
