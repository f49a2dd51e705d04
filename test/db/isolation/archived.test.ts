import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Queryable, transaction } from '../../../db/driver/database.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { createTestCompany, openTestDatabase, TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { giveOriginal, sha256Of } from '../../support/originals.ts';
import { addClient, addTeam, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';

const database = await openTestDatabase();

/** A source of a client, the scope that can write it, and scopes that cannot, of its Team and of others. */
async function place() {
  const home = await createTestCompany(database);
  const [client, other] = [await addClient(database, home), await addClient(database, home)];
  const full = ownerScope(home, [client, other]);
  const sourceId = await storeSource(database, full, { layer: client, chunks: [{ text: 'a heron' }] });
  const outsiders = [
    narrowScope(full, { include: ['team'] }),
    narrowScope(full, { clientId: other }),
    ownerScope(await addTeam(database, home), [client, other]),
    ownerScope(await createTestCompany(database), [client, other]),
  ];
  return { full, outsiders, sourceId };
}

/** The chunks of a source, those that are kept of it, and whether anything is. */
const partsOf = async (sourceId: string) =>
  (
    await database.query(
      `select (select count(*)::int from memory.chunk where source_id = $1) as chunks,
              (select count(*)::int from memory.kept_chunk where source_id = $1) as kept,
              (select count(*)::int from memory.kept_source where source_id = $1) as sources`,
      [sourceId],
    )
  )[0];

/** Calls a function as each of the scopes. It must change nothing of the source. */
async function assertNothing(
  scopes: readonly TeamScope[],
  sourceId: string,
  call: (tx: Queryable) => Promise<unknown>,
) {
  const before = await partsOf(sourceId);
  for (const scope of scopes) {
    await transaction(database, scope, call);
    assert.deepEqual(await partsOf(sourceId), before);
  }
}

describe('a source that is archived or restored', () => {
  test('changes only if the claims can write its layer, in each step', async () => {
    const { full, outsiders, sourceId } = await place();
    const steps = [
      [`select memory.keep_sources(array[$1::uuid])`, [], { chunks: 1, kept: 0, sources: 1 }],
      [
        `select memory.keep_chunks(array[$1::uuid], $2, 9)`,
        [TEST_MODEL_NAME],
        { chunks: 0, kept: 1, sources: 1 },
      ],
      [`select memory.restore_chunks($1, $2, 9)`, [TEST_MODEL_NAME], { chunks: 1, kept: 0, sources: 1 }],
      [`select memory.end_restore($1)`, [], { chunks: 1, kept: 0, sources: 0 }],
    ] as const;
    for (const [statement, values, after] of steps) {
      const call = (tx: Queryable) => tx.query(statement, [sourceId, ...values]);
      await assertNothing(outsiders, sourceId, call);
      await transaction(database, full, call);
      assert.deepEqual(await partsOf(sourceId), after, statement);
    }
  });
});

describe('a source without an original', () => {
  test('gets one only if the claims can write its layer', async () => {
    const { full, outsiders, sourceId } = await place();
    for (const scope of outsiders) {
      await assert.rejects(giveOriginal(database, scope, sourceId), { code: 'ERR_ASSERTION' });
    }
    const content = Buffer.from('another');
    await giveOriginal(database, full, sourceId, content);
    const [row] = await database.query(
      `select encode(original_sha256, 'hex') as sha256 from memory.source where id = $1`,
      [sourceId],
    );
    assert.deepEqual(row, { sha256: sha256Of(content) });
  });
});
