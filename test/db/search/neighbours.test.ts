import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transaction } from '../../../db/driver/database.ts';
import { selectNeighbours } from '../../../db/queries/search/neighbours.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { createTestCompany, openTestDatabase } from '../../support/needs/database.ts';
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
