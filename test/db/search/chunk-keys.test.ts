import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { insertChunks } from '../../../db/queries/sources/chunks.ts';
import { insertLoadingSource } from '../../../db/queries/sources/sources.ts';
import { newId } from '../../../shared/ids.ts';
import { prepareChunksNow } from '../../../shared/text/prepared-chunks.ts';
import { createTestCompany, openTestDatabase, TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { ownerScope } from '../../support/scopes.ts';
import { axis, storeSource } from '../../support/sources.ts';

const database = await openTestDatabase();

const CHUNKS = 100;
const ROUNDS = 4;
/** A chunk is looked up for its words and for its vector. */
const LOOK_UPS = 2;

const textsOf = (round: number) => Array.from({ length: CHUNKS }, (_, n) => `chunk ${n} of ${round}`);

/** Chunks that this transaction read so far, by an index or in the order of the table. */
async function chunksRead(tx: TeamTransaction): Promise<number> {
  const [row] = await tx.query<{ read: number }>(
    `select (idx_tup_fetch + seq_tup_read)::int as read from pg_stat_xact_user_tables
      where schemaname = 'memory' and relname = 'chunk'`,
  );
  return row?.read ?? Number.NaN;
}

test('storing a chunk looks up that chunk only, even in a Team without statistics', async () => {
  const known = await createTestCompany(database);
  const chunks = textsOf(0).map((text, n) => ({ text, embedding: axis(n) }));
  await storeSource(database, ownerScope(known), { layer: null, chunks });
  await database.query('analyze memory.chunk');

  const { teamId, ...company } = await createTestCompany(database);
  const scope = ownerScope({ teamId, ...company });
  const source = {
    id: newId(),
    layerId: teamId,
    kind: 'ingest',
    title: 'Many chunks',
    uri: null,
    externalId: null,
    metadata: {},
    occurredAt: null,
    indexedAs: { title: '', date: '', labels: [] },
    contentHash: Buffer.from(teamId),
  } as const;
  await transaction(database, scope, async (tx) => {
    await insertLoadingSource(tx, source);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await chunksRead(tx);
      const prepared = prepareChunksNow(teamId, { chunks: textsOf(round) });
      const given = prepared.map((chunk, n) => ({ ...chunk, embedding: axis(n) }));
      await insertChunks(tx, { ...source, model: TEST_MODEL_NAME }, given, round * CHUNKS);
      const read = (await chunksRead(tx)) - before;
      assert.equal(read, LOOK_UPS * CHUNKS, `in round ${round}`);
    }
  });
});
