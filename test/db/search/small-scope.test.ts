import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, transaction } from '../../../db/driver/database.ts';
import { type SearchFilters, searchChunks } from '../../../db/queries/search/search.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { queryTerms } from '../../../shared/text/terms/terms.ts';
import { createTestCompany, TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { withOwnDatabase } from '../../support/needs/own-database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { openStandInVectors } from '../../support/stand-in-vectors.ts';
import { countTermsNow } from '../../support/term-counts.ts';

const TEAM_LAYER = 400;
const CLIENT = 8;
const vectors = openStandInVectors(11);
const embedding = vectors.vector();

/** What the client's searches find with each filter: how many of its chunks. */
const FILTERS: readonly [name: string, filters: SearchFilters, hits: number][] = [
  ['without a filter', {}, CLIENT],
  ['after a time', { createdAfter: new Date(0) }, CLIENT],
  ['before a time', { createdBefore: new Date(0) }, 0],
  ['of a kind', { kinds: ['ingest'] }, CLIENT],
  ['of another kind', { kinds: ['import'] }, 0],
  ['with a tag', { tags: ['birds'] }, CLIENT / 2],
  ['with a tag and after a time', { tags: ['birds'], createdAfter: new Date(0) }, CLIENT / 2],
];

/** Searches by words and by meaning. Returns what is found, and how many entries were read of the indexes. */
async function search(database: Database, scope: TeamScope, filters: SearchFilters) {
  const before = await entriesRead(database);
  const hits = await transaction(database, scope, async (tx) => {
    const found = await searchChunks(tx, {
      ...filters,
      terms: queryTerms(scope.teamId, 'heron'),
      embedding,
      model: TEST_MODEL_NAME,
      topK: 50,
    });
    // What this connection has read is known when the transaction has ended.
    await tx.query('select pg_stat_force_next_flush()');
    return found;
  });
  return { hits, read: (await entriesRead(database)) - before };
}

/** Entries of the indexes of sources, chunks and vectors that were read so far. */
async function entriesRead(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select sum(idx_tup_read)::int as n from pg_stat_user_indexes
      where schemaname = 'memory' and relname in ('source', 'chunk', 'chunk_embedding')`,
  );
  return row?.n ?? Number.NaN;
}

test('a search of a small client of a large Team reads the chunks of the client, and not those of the Team', () =>
  withOwnDatabase(async (database) => {
    const company = await createTestCompany(database);
    const clientId = await addClient(database, company);
    const everything = ownerScope(company, [clientId]);
    const scope = narrowScope(everything, { clientId, include: ['client'] });
    let stored = 0;
    /** Each text once: a search returns equal ones as one hit. */
    const chunks = (count: number) =>
      Array.from({ length: count }, () => ({ text: `heron ${stored++}`, embedding: vectors.vector() }));
    await storeSource(database, everything, { layer: null, chunks: chunks(TEAM_LAYER), tags: ['birds'] });
    for (const tags of [['birds'], []]) {
      await storeSource(database, everything, { layer: clientId, chunks: chunks(CLIENT / 2), tags });
    }
    await countTermsNow(database, company);
    await database.query('analyze memory.chunk, memory.chunk_embedding, memory.chunk_keyword, memory.source');

    const inSmallTeam = [];
    for (const [, filters] of FILTERS) inSmallTeam.push((await search(database, scope, filters)).hits);
    await database.query('update memory.keyword_team set chunks = 1000000 where team_id = $1', [
      company.teamId,
    ]);
    for (const [index, [name, filters, count]] of FILTERS.entries()) {
      const { hits, read } = await search(database, scope, filters);
      assert.equal(hits.length, count, name);
      assert.deepEqual(hits, inSmallTeam[index], name);
      assert.ok(read > 0 && read < TEAM_LAYER / 2, `${name}: ${read} entries`);
    }
  }));
