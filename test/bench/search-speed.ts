import { createCompany, resolvePrincipal } from '../../db/bootstrap.ts';
import { type Database, transaction } from '../../db/database.ts';
import { openEmbedded } from '../../db/embedded.ts';
import { migrate } from '../../db/migrate.ts';
import { openPostgres } from '../../db/postgres.ts';
import { insertChunks } from '../../db/queries/chunks.ts';
import { searchChunks } from '../../db/queries/search.ts';
import { activateSource, insertLoadingSource, type NewSource } from '../../db/queries/sources.ts';
import type { JobQueue } from '../../db/queue.ts';
import { ensureServiceRole } from '../../db/service-role.ts';
import { type Config, readConfig } from '../../shared/config.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/logger.ts';
import { prepareChunksNow } from '../../shared/prepared-chunks.ts';
import { jobScope, type TeamScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/terms.ts';
import type { JobContext } from '../../worker/context.ts';
import { countKeywords } from '../../worker/jobs/keywords-count.ts';
import { createEmptyDatabase } from '../support/own-database.ts';
import { percentile, Writer } from './generated-text.ts';

/**
 * `npm run bench`: how long searches of a Team take, on one connection, on the embedded database and, where
 * MEMORY_TEST_DATABASE_URL names a server, in a database of its own on PostgreSQL. Times depend on the machine;
 * the ratios to a bare round trip, taken in the same run, hardly do.
 */
const CHUNKS = { pglite: 2000, postgres: 30_000 };
const ROUNDS = 200;
const CHUNKS_A_SOURCE = 100;
const MODEL = 'Xenova/bge-m3';
const LATIN = 0;
const CHINESE = 5;

const logger = createLogger('fatal', 'bench');

async function openTeam(database: Database): Promise<TeamScope> {
  await ensureServiceRole(database);
  await migrate(database, 'memory');
  await migrate(database, 'identity');
  const names = { companyName: 'Bench', teamName: 'Bench', ownerEmail: 'bench@example.com' };
  await resolvePrincipal(database, { ...names, embeddingModel: MODEL });
  const made = await database.transaction((tx) =>
    createCompany(tx, { ...names, ownerEmail: 'team@example.com', principal: false }),
  );
  return jobScope({ ...made, clientId: null });
}

/** Fills the Team source by source; gives the codes that stand in its texts. */
async function fill(database: Database, scope: TeamScope, writer: Writer, count: number): Promise<string[]> {
  const codes: string[] = [];
  for (let stored = 0; stored < count; stored += CHUNKS_A_SOURCE) {
    const texts = Array.from({ length: CHUNKS_A_SOURCE }, () => writer.paragraph());
    const chunks = prepareChunksNow(scope.teamId, { chunks: texts }).map((chunk) => ({
      ...chunk,
      embedding: writer.unitVector(),
    }));
    const source: NewSource = {
      id: newId(),
      layer: null,
      kind: 'ingest',
      title: `Source ${stored}`,
      uri: null,
      externalId: null,
      metadata: {},
      contentHash: Buffer.from(String(stored)),
    };
    await transaction(database, scope, async (tx) => {
      await insertLoadingSource(tx, source);
      await insertChunks(tx, { ...source, model: MODEL }, chunks, 0);
      await activateSource(tx, source.id, chunks.length);
    });
    const code = /PX-\d+/.exec(texts.join(' '))?.[0];
    if (code !== undefined) codes.push(code);
  }
  return codes;
}

/** Runs the job that counts terms, as the worker would. */
async function countTerms(database: Database, scope: TeamScope): Promise<void> {
  const { companyId, teamId, userId } = scope;
  const job = { id: newId(), data: { companyId, teamId, userId } };
  const queue = { settle: async () => undefined } as unknown as JobQueue;
  const config: Config = readConfig({ MEMORY_API_TOKEN: 'no-one-asks-for-this' });
  const context = { config, database, queue, logger } as unknown as JobContext;
  await countKeywords(job as unknown as Parameters<typeof countKeywords>[0], context);
}

async function times(run: () => Promise<unknown>): Promise<number[]> {
  const measured: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    await run();
    measured.push(performance.now() - began);
  }
  return measured;
}

async function measure(database: Database): Promise<void> {
  const writer = new Writer(7);
  const scope = await openTeam(database);
  const count = CHUNKS[database.backend];
  const began = performance.now();
  const codes = await fill(database, scope, writer, count);
  const filled = performance.now();
  await countTerms(database, scope);
  const counted = performance.now();
  // As autovacuum does soon after so many inserts.
  await database.query('vacuum analyze');

  const search = (query: string, embedding: Float32Array | null) =>
    transaction(database, scope, (tx) =>
      searchChunks(tx, { terms: queryTerms(scope.teamId, query), embedding, model: MODEL, topK: 8 }),
    );
  const code = () => codes[Math.floor(Math.random() * codes.length)] ?? 'PX-10000';
  const question = () => `${writer.words(LATIN, 9).join(' ')}?`;
  const chinese = () => writer.words(CHINESE, 9).join('');
  const cases: [string, () => Promise<unknown>][] = [
    ['select 1', () => database.query('select 1')],
    ['empty transaction', () => transaction(database, scope, (tx) => tx.query('select 1'))],
    ['code, keywords', () => search(code(), null)],
    ['question, keywords', () => search(question(), null)],
    ['Chinese, keywords', () => search(chinese(), null)],
    ['vector only', () => search('?', writer.unitVector())],
    ['code, hybrid', () => search(code(), writer.unitVector())],
    ['question, hybrid', () => search(question(), writer.unitVector())],
    ['Chinese, hybrid', () => search(chinese(), writer.unitVector())],
  ];
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
  const lines = [
    `${database.backend}: ${count} chunks filled in ${seconds(began, filled)} s, terms counted in ${seconds(filled, counted)} s`,
    `${''.padEnd(22)}${['p50 ms', 'p95 ms', 'of select 1'].map((head) => head.padStart(12)).join('')}`,
  ];
  let bare = Number.NaN;
  for (const [name, run] of cases) {
    const measured = await times(run);
    const p50 = percentile(measured, 0.5);
    if (name === 'select 1') bare = p50;
    const figures = [p50.toFixed(2), percentile(measured, 0.95).toFixed(2), `${(p50 / bare).toFixed(0)} x`];
    lines.push(`${name.padEnd(22)}${figures.map((figure) => figure.padStart(12)).join('')}`);
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

const embedded = await openEmbedded({ dataDir: null });
await measure(embedded);
await embedded.close();

const server = process.env['MEMORY_TEST_DATABASE_URL'];
if (server === undefined || server === '') {
  process.stdout.write('MEMORY_TEST_DATABASE_URL is not set: PostgreSQL was not measured\n');
} else {
  const own = await createEmptyDatabase(server);
  const postgres = openPostgres(own.url, logger, 1);
  try {
    await measure(postgres);
  } finally {
    await postgres.close();
    await own.drop();
  }
}
