import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Queryable,
  type TeamTransaction,
  transaction,
  workerTransaction,
} from '../../db/driver/database.ts';
import { type SearchFilters, searchChunks, selectNeighbours } from '../../db/queries/search/search.ts';
import { insertChunks } from '../../db/queries/sources/chunks.ts';
import { insertLoadingSource } from '../../db/queries/sources/sources.ts';
import { newId } from '../../shared/ids.ts';
import { narrowScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import { createTestCompany, openTestDatabase, TEST_MODEL_NAME } from '../support/needs/database.ts';
import { addClient, ownerScope } from '../support/scopes.ts';
import { axis, chunksOf, storeSource } from '../support/sources.ts';
import { openStandInVectors } from '../support/stand-in-vectors.ts';
import { countTermsNow } from '../support/term-counts.ts';

const database = await openTestDatabase();
const vectors = openStandInVectors(11);

const texts = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `heron ${n}` }));

/** How many rows of these tables a transaction reads in `run`, by an index or in the order of the table. */
async function rowsRead(tx: Queryable, tables: readonly string[], run: () => Promise<unknown>) {
  const read = async () => {
    const [row] = await tx.query<{ n: number }>(
      `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as n from pg_stat_xact_user_tables
        where schemaname = 'memory' and relname = any ($1)`,
      [tables],
    );
    return row?.n ?? 0;
  };
  const before = await read();
  await run();
  return (await read()) - before;
}

const heronsIn = (
  tx: TeamTransaction,
  topK: number,
  filters: SearchFilters = {},
  embedding = vectors.vector(),
) =>
  searchChunks(tx, {
    ...filters,
    terms: queryTerms(tx.scope.teamId, 'heron'),
    embedding,
    model: TEST_MODEL_NAME,
    topK,
  });

// The first test of the file: on a server, its database has no other chunks.
test('a filter that few chunks pass looks each of them up, with statistics from the first chunk', async () => {
  const scope = ownerScope(await createTestCompany(database));
  await storeSource(database, scope, { layer: null, chunks: texts(1) });
  await database.query('analyze memory.chunk, memory.chunk_keyword');
  await storeSource(database, scope, { layer: null, chunks: texts(400) });
  const sourceId = await storeSource(database, scope, { layer: null, chunks: texts(100) });
  await transaction(database, scope, async (tx) => {
    const read = await rowsRead(tx, ['chunk_keyword'], async () => {
      const terms = queryTerms(scope.teamId, 'heron');
      const asked = { terms, embedding: null, model: TEST_MODEL_NAME, topK: 8, sourceIds: [sourceId] };
      assert.equal((await searchChunks(tx, asked)).length, 8);
    });
    // Each chunk of the source, and each candidate for its keys.
    assert.equal(read, 100 + 50);
  });
});

describe('in a Team that is new since the statistics were made', () => {
  /** A scope of such a Team. */
  async function openNewTeam() {
    const known = ownerScope(await createTestCompany(database));
    await storeSource(database, known, { layer: null, chunks: texts(100) });
    await database.query('analyze memory.chunk');
    return ownerScope(await createTestCompany(database));
  }

  test('storing a chunk looks up that chunk only, for its words and for its vector', async () => {
    const scope = await openNewTeam();
    const source = {
      id: newId(),
      layerId: scope.teamId,
      kind: 'ingest',
      title: 'Many chunks',
      uri: null,
      externalId: null,
      metadata: {},
      occurredAt: null,
      indexedAs: { title: '', date: '', labels: [] },
      contentHash: Buffer.from(scope.teamId),
    } as const;
    await transaction(database, scope, async (tx) => {
      await insertLoadingSource(tx, source);
      for (let round = 0; round < 4; round += 1) {
        const chunks = texts(100).map(({ text }, n) => ({ text: `${text} ${round}`, embedding: axis(n) }));
        const given = chunksOf(scope.teamId, chunks);
        const read = await rowsRead(tx, ['chunk'], () =>
          insertChunks(tx, { ...source, model: TEST_MODEL_NAME }, given, round * 100),
        );
        assert.equal(read, 2 * 100, `in round ${round}`);
      }
    });
  });

  test('a search looks up each candidate, and the text of each hit, and neighbours one by one', async () => {
    const scope = await openNewTeam();
    const sourceId = await storeSource(database, scope, { layer: null, chunks: texts(300) });
    const stored = await database.query<{ id: string }>(
      'select id from memory.chunk where source_id = $1 and ordinal = any (array[10, 20, 30, 40])',
      [sourceId],
    );
    await transaction(database, scope, async (tx) => {
      const searched = await rowsRead(tx, ['chunk'], async () => {
        const terms = queryTerms(scope.teamId, 'heron');
        const hits = await searchChunks(tx, { terms, embedding: null, model: TEST_MODEL_NAME, topK: 8 });
        assert.equal(hits.length, 8);
      });
      // Each candidate for its source and its hash, and each hit for its text.
      assert.equal(searched, 50 + 8);
      const ids = stored.map(({ id }) => id);
      const expanded = await rowsRead(tx, ['chunk'], async () => {
        assert.equal((await selectNeighbours(tx, ids, 2)).length, 16);
      });
      // Each hit by its id, and then the five places.
      assert.equal(expanded, 4 * 6);
    });
  });
});

describe('a table that has grown since its plans were made', () => {
  const MANY = 400;

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
        const read = await rowsRead(tx, ['chunk_keyword'], async () => {
          const [changes] = await sample(tx);
          assert.ok((changes?.dropped.length ?? 0) >= 3);
        });
        assert.ok(read > 0 && read < MANY / 10, `${read} chunks were read`);
      });
    });
  }
});

test('a search of a small client of a large Team reads the chunks of the client, and not those of the Team', async () => {
  const [TEAM_LAYER, CLIENT] = [400, 8];
  const company = await createTestCompany(database);
  const clientId = await addClient(database, company);
  const everything = ownerScope(company, [clientId]);
  const scope = narrowScope(everything, { clientId, include: ['client'] });
  let stored = 0;
  /** Each text once: a search returns equal ones as one hit. */
  const add = (layer: string | null, count: number, tags: string[]) => {
    const chunks = Array.from({ length: count }, () => ({
      text: `heron ${stored++}`,
      embedding: vectors.vector(),
    }));
    return storeSource(database, everything, { layer, chunks, tags });
  };
  await add(null, TEAM_LAYER, ['birds']);
  await add(clientId, CLIENT / 2, ['birds']);
  await add(clientId, CLIENT / 2, []);
  await countTermsNow(database, company);
  await database.query('analyze memory.chunk, memory.chunk_embedding, memory.chunk_keyword, memory.source');
  const embedding = vectors.vector();
  const tables = ['chunk', 'chunk_embedding'];
  for (const [filters, count] of [
    [{}, CLIENT],
    [{ createdAfter: new Date(0) }, CLIENT],
    [{ createdBefore: new Date(0) }, 0],
    [{ kinds: ['ingest'] }, CLIENT],
    [{ kinds: ['import'] }, 0],
    [{ tags: ['birds'] }, CLIENT / 2],
    [{ tags: ['birds'], createdAfter: new Date(0) }, CLIENT / 2],
  ] as [SearchFilters, number][]) {
    const name = JSON.stringify(filters);
    const search = () =>
      transaction(database, scope, async (tx) => {
        let hits: unknown[] = [];
        const read = await rowsRead(tx, tables, async () => {
          hits = await heronsIn(tx, 50, filters, embedding);
        });
        return { hits, read };
      });
    const say = (chunks: number) =>
      database.query('update memory.keyword_team set chunks = $2 where team_id = $1', [
        company.teamId,
        chunks,
      ]);
    await say(TEAM_LAYER + CLIENT);
    const inSmallTeam = await search();
    await say(1_000_000);
    const { hits, read } = await search();
    assert.equal(hits.length, count, name);
    assert.deepEqual(hits, inSmallTeam.hits, name);
    assert.ok(read > 0 && read < TEAM_LAYER / 2, `${name}: ${read} rows`);
  }
});

test('counting the events of a Company that is new since the statistics were made reads these events only', async () => {
  await database.query('analyze memory.audit_event, memory.audit_unsealed');
  const { companyId, teamId, ownerId } = await createTestCompany(database);
  await database.query(
    `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, subject_type)
     select $1, gen_random_uuid(), 'memory.ingest', $3, $2, 'source' from generate_series(1, 2000)`,
    [companyId, teamId, ownerId],
  );
  await database.transaction(async (tx) => {
    const counting = () =>
      tx.query(
        `select memory.add_events($1, array(select event_id from memory.audit_unsealed where company_id = $1 limit 10))`,
        [companyId],
      );
    const read = await rowsRead(tx, ['audit_event'], counting);
    assert.ok(read > 0 && read <= 10, `${read} rows`);
  });
});
