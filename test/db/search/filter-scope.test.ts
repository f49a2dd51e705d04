import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestCompany, openTestDatabase } from '../../support/needs/database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';

test('how many chunks outside of the scope pass a filter does not decide how it is tested', async () => {
  const database = await openTestDatabase();
  const company = await createTestCompany(database);
  const clientId = await addClient(database, company);
  const scope = ownerScope(company, [clientId]);
  const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `heron ${n}` }));
  await storeSource(database, scope, { layer: null, chunks: numbered(20) });
  await storeSource(database, scope, { layer: clientId, chunks: numbered(3) });
  /** How many chunks within the claims pass; null if they are more than 5. */
  const passing = (layers: readonly string[]) =>
    database.transaction(async ({ query }) => {
      await query(`select set_config('app.team', $1, true), set_config('app.reads', $2, true)`, [
        company.teamId,
        `{${layers.join(',')}}`,
      ]);
      const [row] = await query<{ chunks: number | null }>(
        `select cardinality(memory.passing_chunks(f, 5)) as chunks
           from json_populate_record(null::memory.search_filter, '{"since": "2020-01-01"}') f`,
      );
      return row?.chunks;
    });
  assert.equal(await passing([clientId]), 3);
  assert.equal(await passing([company.teamId, clientId]), null);
});
