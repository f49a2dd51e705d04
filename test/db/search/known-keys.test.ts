import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '../../../db/driver/database.ts';
import { knownKeys } from '../../../db/queries/search/nothing.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { createTestCompany, openTestDatabase } from '../../support/needs/database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';

const database = await openTestDatabase();

/** More chunks than are read before the index of keys is. */
const MANY = 600;

/** Stores a source of chunks with the given keys, one chunk for each list. */
async function addKeys(scope: TeamScope, layer: string | null, lists: readonly (readonly number[])[]) {
  const sourceId = await storeSource(database, scope, {
    layer,
    chunks: [{ text: `a text of ${crypto.randomUUID()}` }],
  });
  await database.query(
    `with added as (
       insert into memory.chunk (team_id, id, layer_id, source_id, ordinal, text)
       select $1, gen_random_uuid(), $2, $3, n, 'a text' from generate_series(1, cardinality($4::text[])) n
       returning id, ordinal)
     insert into memory.chunk_keyword (team_id, layer_id, chunk_id, keys, weights)
     select $1, $2, id, ($4::text[])[ordinal]::int[], '{1:1}/536870912' from added`,
    [scope.teamId, layer ?? scope.teamId, sourceId, lists.map((keys) => `{${keys.join()}}`)],
  );
  return sourceId;
}

test('keys are known if a chunk of the scope has them, in a small and in a large scope', async () => {
  const team = await createTestCompany(database);
  const other = await createTestCompany(database);
  const clientId = await addClient(database, team);
  const all = ownerScope(team, [clientId]);
  await addKeys(ownerScope(other, []), null, [[1, 2, 3, 4, 5, 6, 7]]);
  await addKeys(all, clientId, [[1, 2], [3]]);
  // Of each, the last chunk has a key that no other has.
  const rare = [...Array.from({ length: MANY }, () => [4]), [5]];
  await addKeys(all, null, rare);
  const loading = await addKeys(all, null, [[6]]);
  await database.query(`update memory.source set state = 'loading' where id = $1`, [loading]);
  const known = (scope: TeamScope) =>
    transaction(database, scope, (tx) => knownKeys(tx, [1, 2, 3, 4, 5, 6, 7]));
  const sorted = async (scope: TeamScope) => [...(await known(scope))].sort();
  assert.deepEqual(await sorted(narrowScope(all, { clientId, include: ['client'] })), [1, 2, 3]);
  assert.deepEqual(await sorted(narrowScope(all, {})), [4, 5]);
  assert.deepEqual(await sorted(narrowScope(all, { clientId })), [1, 2, 3, 4, 5]);
});
