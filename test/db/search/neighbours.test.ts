import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { searchChunks, selectNeighbours } from '../../../db/queries/search/search.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { queryTerms } from '../../../shared/text/terms/terms.ts';
import { createTestCompany, openTestDatabase, TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { addClient, addTeam, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';

const database = await openTestDatabase();

/** The ids of the chunks of a new source, in order. */
async function store(scope: TeamScope, layer: string | null, texts: readonly string[]) {
  const chunks = texts.map((text) => ({ text }));
  const id = await storeSource(database, scope, { layer, chunks });
  const rows = await database.query<{ id: string }>(
    'select id from memory.chunk where source_id = $1 order by ordinal',
    [id],
  );
  return { id, chunkIds: rows.map((row) => row.id) };
}

/** The texts of the neighbours, sorted. */
async function neighboursOf(scope: TeamScope, chunkIds: readonly string[], distance: number) {
  const chunks = await transaction(database, scope, (tx) => selectNeighbours(tx, chunkIds, distance));
  return chunks.map(({ text }) => text).sort();
}

describe('the neighbours of chunks', () => {
  const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f'];

  test('are each returned once, without the chunks themselves', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const { chunkIds } = await store(scope, null, LETTERS);
    const other = await store(scope, null, ['x', 'y']);
    const [, , c, d] = chunkIds;
    assert.deepEqual(await neighboursOf(scope, [c!], 1), ['b', 'd']);
    assert.deepEqual(await neighboursOf(scope, [c!, d!], 2), ['a', 'b', 'e', 'f']);
    assert.deepEqual(await neighboursOf(scope, [chunkIds[0]!, other.chunkIds[1]!], 1), ['b', 'x']);
    assert.deepEqual(await neighboursOf(scope, [], 2), []);
  });

  test('are not returned outside the scope, whatever ids are given', async () => {
    const team = await createTestCompany(database);
    const clientId = await addClient(database, team);
    const scope = ownerScope(team, [clientId]);
    const own = await store(scope, null, LETTERS);
    const clients = await store(scope, clientId, LETTERS);
    const ids = [own.chunkIds[0]!, clients.chunkIds[5]!];
    assert.deepEqual(await neighboursOf(scope, ids, 1), ['b', 'e']);
    assert.deepEqual(await neighboursOf(narrowScope(scope, { include: ['team'] }), ids, 1), ['b']);
    assert.deepEqual(await neighboursOf(narrowScope(scope, { clientId, include: ['client'] }), ids, 1), [
      'e',
    ]);
    const otherTeam = ownerScope(await addTeam(database, team), [clientId]);
    assert.deepEqual(await neighboursOf(otherTeam, ids, 1), []);
  });

  test('are not returned of a source that is archived or still loading', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const { id, chunkIds } = await store(scope, null, LETTERS);
    for (const [state, expected] of [
      ['archived', []],
      ['loading', []],
      ['active', ['b']],
    ] as const) {
      await database.query('update memory.source set state = $2 where id = $1', [id, state]);
      assert.deepEqual(await neighboursOf(scope, [chunkIds[0]!], 1), expected, state);
    }
  });
});

describe('in a Team without statistics', () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, n) => `heron ${n}`);

  /** The chunks that are read by work in the scope of a Team that is new since the statistics were made. */
  async function readBy(work: (tx: TeamTransaction, chunkIds: readonly string[]) => Promise<void>) {
    await store(ownerScope(await createTestCompany(database)), null, numbered(100));
    await database.query('analyze memory.chunk');
    const scope = ownerScope(await createTestCompany(database));
    const { chunkIds } = await store(scope, null, numbered(300));
    return transaction(database, scope, async (tx) => {
      const before = await chunksRead(tx);
      await work(tx, chunkIds);
      return (await chunksRead(tx)) - before;
    });
  }

  test('a search looks up each candidate, and the text of each hit', async () => {
    const read = await readBy(async (tx) => {
      const terms = queryTerms(tx.scope.teamId, 'heron');
      const hits = await searchChunks(tx, { terms, embedding: null, model: TEST_MODEL_NAME, topK: 8 });
      assert.equal(hits.length, 8);
    });
    // Each candidate for its source and its hash, and each hit for its text.
    assert.equal(read, 50 + 8);
  });

  test('neighbours are looked up one by one', async () => {
    const read = await readBy(async (tx, chunkIds) => {
      const hits = [10, 20, 30, 40].map((index) => chunkIds[index]!);
      assert.equal((await selectNeighbours(tx, hits, 2)).length, 16);
    });
    // Each hit by its id, and then the five places.
    assert.equal(read, 4 * 6);
  });
});

/** Chunks that this transaction read so far, by an index or in the order of the table. */
async function chunksRead(tx: TeamTransaction): Promise<number> {
  const [row] = await tx.query<{ read: number }>(
    `select (idx_tup_fetch + seq_tup_read)::int as read from pg_stat_xact_user_tables
      where schemaname = 'memory' and relname = 'chunk'`,
  );
  return row?.read ?? Number.NaN;
}
