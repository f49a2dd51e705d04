import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Queryable, transaction, workerTransaction } from '../../db/driver/database.ts';
import { countTeamFigures } from '../../db/queries/status.ts';
import { createTestCompany, openTestDatabase } from '../support/needs/database.ts';
import { addClient, ownerScope } from '../support/scopes.ts';
import { storeSource } from '../support/sources.ts';
import { countTermsNow } from '../support/term-counts.ts';

const database = await openTestDatabase();

const MANY = 400;

const texts = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `heron ${n}` }));

/** How many rows of a table this transaction reads in `run`. */
async function rowsRead(tx: Queryable, table: string, run: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    const [row] = await tx.query<{ n: number }>(
      `select (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as n from pg_stat_xact_user_tables
        where schemaname = 'memory' and relname = $1`,
      [table],
    );
    return row?.n ?? 0;
  };
  const before = await read();
  await run();
  return (await read()) - before;
}

describe('a table that has grown since its plans were made', () => {
  test('figures of sources that are loading or due look up the marks of their chunks', async () => {
    const team = await createTestCompany(database);
    const client = await addClient(database, team);
    const scope = ownerScope(team, [client]);
    const add = async (layer: string | null, count: number, change: string) => {
      const id = await storeSource(database, scope, { layer, chunks: texts(count) });
      await database.query(`update memory.source set ${change} where id = $1`, [id]);
    };
    const isLoading = `state = 'loading', chunk_count = 0`;
    const isDue = `expires_at = now() - interval '1 minute'`;
    await add(null, 1, isLoading);
    await database.query('analyze memory.embedding_pending');
    await transaction(database, scope, countTeamFigures);
    await storeSource(database, scope, { layer: null, chunks: texts(MANY) });
    await storeSource(database, scope, { layer: client, chunks: texts(MANY) });
    await add(null, 2, isLoading);
    await add(client, 3, isLoading);
    await add(null, 4, isDue);
    await add(client, 5, isDue);
    await transaction(database, scope, async (tx) => {
      const read = await rowsRead(tx, 'embedding_pending', async () => {
        assert.equal((await countTeamFigures(tx)).chunks.pending, 2 * MANY);
      });
      assert.ok(read > 0 && read < MANY / 10, `${read} marks were read`);
    });
  });

  for (const layer of ['the Team layer', 'a client']) {
    test(`the changes since the words of ${layer} were counted look up the chunks that were counted`, async () => {
      const team = await createTestCompany(database);
      const client = layer === 'a client' ? await addClient(database, team) : null;
      const scope = ownerScope(team, client === null ? [] : [client]);
      const sample = async (tx: Queryable) => {
        await tx.query('set local plan_cache_mode = force_generic_plan');
        return tx.query<{ dropped: string[] }>('select dropped from memory.sample_changes($1, 2)', [
          client ?? team.teamId,
        ]);
      };
      await storeSource(database, scope, { layer: client, chunks: texts(5) });
      await countTermsNow(database, team);
      await database.query('analyze memory.chunk_keyword');
      await workerTransaction(database, scope, sample);
      await storeSource(database, scope, { layer: client, chunks: texts(MANY) });
      await workerTransaction(database, scope, async (tx) => {
        const read = await rowsRead(tx, 'chunk_keyword', async () => {
          const [changes] = await sample(tx);
          assert.ok((changes?.dropped.length ?? 0) >= 3);
        });
        assert.ok(read > 0 && read < MANY / 10, `${read} chunks were read`);
      });
    });
  }
});
