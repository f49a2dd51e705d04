import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { insertMemorySource } from '../../../core/memories/store.ts';
import { type Queryable, transaction, withoutScope } from '../../../db/driver/database.ts';
import { insertMemory } from '../../../db/queries/memories.ts';
import { searchChunks } from '../../../db/queries/search/search.ts';
import { newId } from '../../../shared/ids.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { prepareContent } from '../../../shared/text/memory-content.ts';
import { chunkTerms, queryTerms } from '../../../shared/text/terms/terms.ts';
import { createTestCompany, openTestDatabase, TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { axis, storeSource } from '../../support/sources.ts';
import { TenantRows } from '../../support/tenant-rows.ts';
import {
  assertLeaves,
  assertReadsNothing,
  attempt,
  DENIED,
  isMemory,
  raiseWalls,
  WITHOUT_LAYERS,
} from './walls.ts';

const database = await openTestDatabase();
const { tables, victim, victimClient, attackers } = await raiseWalls(database);

describe('a scope narrowed to one layer', () => {
  const layers = () =>
    tables.filter(
      (table) =>
        isMemory(table) &&
        !WITHOUT_LAYERS.includes(table.name) &&
        table.columns.some((column) => column.name === 'layer_id'),
    );

  for (const layer of ['team', 'client'] as const) {
    const other = layer === 'team' ? 'layer_id <> team_id' : 'layer_id = team_id';

    test(`${layer}: cannot read, change, delete or insert rows of the other layer`, async () => {
      const names = layers().map(({ name }) => name);
      for (const name of ['source', 'chunk', 'import', 'capture', 'memory_item']) {
        assert.ok(names.includes(`memory.${name}`), `${name} has layers`);
      }
      const full = ownerScope(victim, [victimClient]);
      const scope = narrowScope(full, { clientId: victimClient, include: [layer] });
      const rows = new TenantRows({ ...victim, clientId: layer === 'team' ? victimClient : null });
      for (const table of layers()) {
        const where = `team_id = '${victim.teamId}' and ${other}`;
        await assertReadsNothing(database, scope, table, other);
        await assertLeaves(database, scope, table, where, [
          `update ${table.name} set layer_id = ${layer === 'team' ? 'team_id' : `'${victimClient}'`}`,
          `delete from ${table.name}`,
        ]);
        const inserted = transaction(database, scope, (tx) => tx.query(rows.insertion(table)));
        await assert.rejects(inserted, { code: DENIED }, `inserts into ${table.name}`);
      }
    });
  }

  test('a scope of one client reads no row of another client', async () => {
    const elsewhere = await addClient(database, victim);
    await new TenantRows({ ...victim, clientId: elsewhere }).insertAll(database, tables);
    const scope = narrowScope(ownerScope(victim, [victimClient, elsewhere]), { clientId: victimClient });
    for (const table of layers())
      await assertReadsNothing(database, scope, table, `layer_id = '${elsewhere}'`);
  });

  test('a scope without layers reads no row of any layer', async () => {
    const scope = narrowScope(ownerScope(victim), { include: ['client'] });
    for (const table of layers()) await assertReadsNothing(database, scope, table);
  });

  test('a scope that only reads a layer changes, deletes and inserts no row of it', async () => {
    const scope = { ...ownerScope(victim, [victimClient]), writes: [victim.teamId] };
    const rows = new TenantRows({ ...victim, clientId: victimClient });
    for (const table of layers()) {
      const where = `team_id = '${victim.teamId}' and layer_id = '${victimClient}'`;
      await assertLeaves(database, scope, table, where, [
        `update ${table.name} set layer_id = team_id`,
        `delete from ${table.name} where layer_id <> team_id`,
      ]);
      assert.equal(
        await attempt(database, scope, rows.insertion(table), () => 'done'),
        'refused',
        table.name,
      );
    }
  });
});

describe('derived tables', () => {
  test('are searched only in the Team and layers of the claims, whatever the arguments', async () => {
    const home = await createTestCompany(database);
    const client = await addClient(database, home);
    const word = 'zanzibar';
    const tags = ['zanzibar'];
    const store = (layer: string | null, text: string) =>
      storeSource(database, ownerScope(home, [client]), {
        layer,
        chunks: [{ text, embedding: axis(1) }],
        tags,
      });
    const own = await store(null, `${word} of the team`);
    const clients = await store(client, `${word} of the client`);
    // Keys are hashed with the Team: an attacker that knew another's would ask by them, and by its vectors.
    const query = {
      terms: queryTerms(home.teamId, word),
      embedding: axis(1),
      model: TEST_MODEL_NAME,
      topK: 50,
    };
    const found = async (scope: TeamScope) => {
      const hits = await transaction(database, scope, (tx) => searchChunks(tx, query));
      return hits.map((hit) => hit.source_id).sort();
    };
    const { dims, factors, lengths, keys, identifierKeys } = query.terms;
    const asked = [`[${axis(1).join(',')}]`, query.model, dims, factors, lengths, keys, identifierKeys];
    const all = await database.query<{ id: string }>(
      'select id from memory.chunk where source_id = any ($1)',
      [[own, clients]],
    );
    const stored = all.map(({ id }) => id);
    type Run = (fn: (tx: Queryable) => Promise<object[]>) => Promise<object[]>;
    /** By all that matches, by the sources themselves, by their tags, and what is stored of the chunks themselves. */
    const reached = async (run: Run) => {
      // Its keys are also guessed, as those of a word that exists nowhere.
      const guesses = ['100', '1']
        .map((value) => `array_fill(${value}, array[cardinality($6::int[])])`)
        .join(', ');
      const values =
        '$1::halfvec, $2, 1, null, $3::int[], $4::real[], $5::real[], $6::int[], $7::int[], ' +
        `$6::int[], ${guesses}, array[0], null, $8::uuid[]`;
      const ask = (call: string, sources: string[] | null, tagged: string[] | null = null) =>
        run((tx) =>
          tx.query(`select f.chunk_id from ${call} f where f.chunk_id is not null`, [
            ...asked,
            sources,
            tagged,
          ]),
        );
      const candidates = `memory.search_candidates(${values}, null, null, $9::text[], null, null, 50, true)`;
      const hits = `memory.search_hits(${values}, null, null, $9::text[], null, null, 50, true, true)`;
      const rows = [
        await ask(candidates, null),
        await ask(candidates, [own, clients]),
        await ask(candidates, null, tags),
        await ask(hits, null),
        await ask(hits, [own, clients]),
        await run((tx) =>
          tx.query('select distinct chunk_id from memory.matched_weights($1, $2)', [stored, dims]),
        ),
      ];
      return rows.map(({ length }) => length);
    };
    const full = ownerScope(home, [client]);
    assert.deepEqual(await found(full), [own, clients].sort());
    assert.deepEqual(await found(narrowScope(full, { include: ['team'] })), [own]);
    assert.deepEqual(await found(narrowScope(full, { clientId: client, include: ['client'] })), [clients]);
    for (const { team, name } of attackers) {
      const scope = ownerScope(team, [client]);
      assert.deepEqual(await reached((fn) => transaction(database, scope, fn)), [0, 0, 0, 0, 0, 0], name);
    }
    assert.deepEqual(await reached((fn) => withoutScope(database, fn)), [0, 0, 0, 0, 0, 0]);
    const inTeamLayer = narrowScope(full, { include: ['team'] });
    assert.deepEqual(await reached((fn) => transaction(database, inTeamLayer, fn)), [1, 1, 1, 1, 1, 1]);
  });
});

describe('similar memories', () => {
  const TEXT = 'the pelican keeps its ledger in the northern harbour office';

  /** A published memory of one layer, with a vector. */
  async function store(scope: TeamScope, layerId: string, state: 'published' | 'review'): Promise<string> {
    const id = newId();
    const prepared = await prepareContent(scope.teamId, { title: 'x', content: TEXT });
    const common = {
      layerId,
      title: 'x',
      metadata: {},
      tags: [],
      embedding: axis(1),
      model: TEST_MODEL_NAME,
    };
    await transaction(database, scope, async (tx) => {
      const stored = state === 'published' ? await insertMemorySource(tx, { ...common, prepared }) : null;
      const sourceId = stored?.sourceId ?? null;
      const own = { id, state, content: TEXT, terms: prepared.terms, captureIds: [], sourceId };
      await insertMemory(tx, { ...common, ...own, supersedes: null });
    });
    return id;
  }

  test('are found only in the Team and layers of the claims, whatever the arguments', async () => {
    const home = await createTestCompany(database);
    const [client, other] = [await addClient(database, home), await addClient(database, home)];
    const full = ownerScope(home, [client, other]);
    const layers = [home.teamId, client, other];
    const ids: string[] = [];
    for (const layer of layers) {
      ids.push(await store(full, layer, 'published'), await store(full, layer, 'review'));
    }
    // Keys are hashed with the Team: an attacker that knew another's would ask by them, and by its vectors.
    const { dims, weights, keys } = chunkTerms(home.teamId, TEXT);
    const ask = (tx: Queryable, layer: string, embedding: string | null) =>
      tx.query<{ id: string }>(
        `select memory_id as id
           from memory.similar_memories($1, $2::halfvec, $3, $4::int[], $5::real[], $6::int[], 50, $7)`,
        [layer, embedding, TEST_MODEL_NAME, Array.from(dims), Array.from(weights), Array.from(keys), newId()],
      );
    type Run = (fn: (tx: Queryable) => Promise<{ id: string }[]>) => Promise<{ id: string }[]>;
    /** What is found by asking for each layer, by meaning and by words. */
    const found = async (run: Run) => {
      const seen: string[][] = [];
      for (const embedding of [`[${axis(1).join(',')}]`, null]) {
        const rows: string[] = [];
        for (const layer of layers) {
          rows.push(...(await run((tx) => ask(tx, layer, embedding))).map(({ id }) => id).sort());
        }
        seen.push(rows);
      }
      return seen;
    };
    const as =
      (scope: TeamScope): Run =>
      (fn) =>
        transaction(database, scope, fn);
    assert.deepEqual(await found(as(full)), [ids, ids]);
    const [ofTeam, ofClient] = [ids.slice(0, 2), ids.slice(2, 4)];
    assert.deepEqual(await found(as(narrowScope(full, { include: ['team'] }))), [ofTeam, ofTeam]);
    const inClient = narrowScope(full, { clientId: client, include: ['client'] });
    assert.deepEqual(await found(as(inClient)), [ofClient, ofClient]);
    for (const { team, name } of attackers) {
      assert.deepEqual(await found(as(ownerScope(team, [client, other]))), [[], []], name);
    }
    assert.deepEqual(await found((fn) => withoutScope(database, fn)), [[], []]);
  });
});

describe('a record that is moved', () => {
  test('stays where it is unless the claims can write both layers, whatever the arguments', async () => {
    const home = await createTestCompany(database);
    const [client, other] = [await addClient(database, home), await addClient(database, home)];
    const full = ownerScope(home, [client, other]);
    const sourceId = await storeSource(database, full, { layer: client, chunks: [{ text: 'a heron' }] });
    const memoryId = newId();
    const terms = chunkTerms(home.teamId, 'a heron');
    const item = { title: 'x', content: 'a heron', metadata: {}, tags: [], captureIds: [], sourceId: null };
    const vector = { embedding: null, model: TEST_MODEL_NAME, supersedes: null };
    await transaction(database, full, (tx) =>
      insertMemory(tx, { id: memoryId, layerId: client, state: 'review', terms, ...item, ...vector }),
    );
    const layersNow = () =>
      database.query(
        `select layer_id from memory.source where id = $1
         union all select layer_id from memory.chunk where source_id = $1
         union all select layer_id from memory.memory_item where id = $2`,
        [sourceId, memoryId],
      );
    const moves = (tx: Queryable, to: string) =>
      tx.query<{ source: boolean; memory: boolean; last: number | null }>(
        `select memory.move_source($1, $3) as source, memory.move_memory($2, $3) as memory,
                memory.move_chunks($1, -1, 10) as last`,
        [sourceId, memoryId, to],
      );
    const inClient = narrowScope(full, { clientId: client, include: ['client'] });
    const outside = narrowScope(full, { clientId: other });
    const before = await layersNow();
    for (const [scope, to, last] of [
      [inClient, home.teamId, 0],
      [inClient, other, 0],
      [outside, home.teamId, null],
      [outside, other, null],
      ...attackers.map(({ team }) => [ownerScope(team, [client, other]), other, null] as const),
    ] as const) {
      const rows = await transaction(database, scope, (tx) => moves(tx, to));
      assert.deepEqual(rows, [{ source: false, memory: false, last }]);
      assert.deepEqual(await layersNow(), before);
    }
    const [row] = await transaction(database, full, (tx) => moves(tx, other));
    assert.deepEqual(row, { source: true, memory: true, last: 0 });
    assert.deepEqual(
      (await layersNow()).map((layer) => Object.values(layer as object)[0] as unknown),
      [other, other, other],
    );
  });
});
