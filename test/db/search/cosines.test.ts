import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '../../../db/driver/database.ts';
import { searchChunks } from '../../../db/queries/search/search.ts';
import { queryTerms } from '../../../shared/text/terms/terms.ts';
import {
  createTestCompany,
  databaseUrl,
  openTestDatabase,
  TEST_MODEL_NAME,
} from '../../support/needs/database.ts';
import { ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { openStandInVectors } from '../../support/stand-in-vectors.ts';

const database = await openTestDatabase();

const CHUNKS = 300;

test('a search compares each vector of a small Team once', {
  skip: databaseUrl !== undefined && 'needs a superuser',
}, async () => {
  const team = await createTestCompany(database);
  const scope = ownerScope(team);
  const vectors = openStandInVectors(1);
  const chunks = Array.from({ length: CHUNKS }, (_, n) => ({
    text: `text ${n}`,
    embedding: vectors.vector(),
  }));
  await storeSource(database, scope, { layer: null, chunks });
  const query = {
    terms: queryTerms(team.teamId, '?!'),
    embedding: vectors.vector(),
    model: TEST_MODEL_NAME,
    topK: 50,
  };
  await transaction(database, scope, async (tx) => {
    const compared = async () => {
      const [row] = await tx.query<{ calls: number | null }>(
        `select coalesce(pg_stat_get_xact_function_calls('public.halfvec_negative_inner_product'::regproc), 0)::int as calls`,
      );
      return row?.calls ?? 0;
    };
    await tx.query('set local role none');
    await tx.query("set local track_functions = 'all'");
    await tx.query('set local role memory_service');
    const before = await compared();
    assert.equal((await searchChunks(tx, query)).length, 50);
    assert.equal((await compared()) - before, CHUNKS);
  });
});
