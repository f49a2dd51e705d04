import pg from 'pg';
import type { Database } from '../../db/driver/database.ts';
import { halfvecBinary, int4ArrayBinary, termsToSparsevecBinary } from '../../db/driver/wire-format.ts';
import { narrowScope, type TeamScope } from '../../shared/scope.ts';
import { chunkTerms } from '../../shared/text/terms/terms.ts';
import { createTestCompany, TEST_MODEL_NAME, type TestCompany } from '../../test/support/needs/database.ts';
import { addClient, ownerScope } from '../../test/support/scopes.ts';
import { type NaturalText, openNaturalText } from '../support/natural-text.ts';
import { type ClusteredVectors, NOISES_OF_VECTOR } from './clustered-vectors.ts';

/** A Team that is measured. */
export interface LargeTeam {
  size: number;
  company: TestCompany;
  clients: readonly string[];
  text: NaturalText;
  whole: TeamScope;
  /** Each client alone. */
  ofClients: readonly TeamScope[];
}

const CLIENTS = 3;
/** The Team layer and the clients. */
export const LAYERS = CLIENTS + 1;
/** Of ten sources, so many are in the Team layer (null) and in each client: 40, 30, 20 and 10 %. */
const LAYERS_OF_TEN = [null, 0, 1, null, 0, null, 1, 0, null, 2] as const;
const CHUNKS_OF_SOURCE = 50;
/** Texts, with their terms. Each is the text of several chunks, as many as fit. */
const TEXTS = 50_000;
const SENTENCES = { least: 2, spread: 2 };
/** Chunks of one statement. */
const SLICE = 25_000;
const ROWS_OF_PARAMETERS = 100;

/** Makes the tables from which chunks are made. */
export async function fillPools(client: pg.Client, vectors: ClusteredVectors): Promise<void> {
  await client.query(`create schema bench;
    create unlogged table bench.centre (n int primary key, v halfvec(1024) not null);
    create unlogged table bench.noise (n int primary key, v halfvec(1024) not null);
    create table bench.team (size int, company jsonb, clients uuid[]);
    create unlogged table bench.text (team_id uuid, n int, text text, keys int[], weights sparsevec(536870912));
    create unlogged table bench.row (team_id uuid, n int, layer int, layer_id uuid, source_id uuid, chunk_id uuid,
      ordinal int, created_at timestamptz, text int, centre int, primary key (team_id, n))`);
  for (const [table, pool] of Object.entries({ centre: vectors.centres, noise: vectors.noises })) {
    await insertRows(
      client,
      `insert into bench.${table} (n, v) values `,
      ['int', 'halfvec'],
      pool,
      (v, n) => [n, Buffer.from(halfvecBinary(v))],
    );
  }
}

/** Inserts a row for each item, many rows in one statement. */
async function insertRows<T>(
  client: pg.Client,
  insert: string,
  types: readonly string[],
  items: readonly T[],
  valuesOf: (item: T, n: number) => unknown[],
): Promise<void> {
  for (let start = 0; start < items.length; start += ROWS_OF_PARAMETERS) {
    const values: unknown[] = [];
    const rows = items.slice(start, start + ROWS_OF_PARAMETERS).map((item, index) => {
      const row = valuesOf(item, start + index);
      values.push(...row);
      return `(${types.map((type, place) => `$${values.length - row.length + place + 1}::${type}`).join(', ')})`;
    });
    await client.query(insert + rows.join(', '), values);
  }
}

/** Fills a Team with exactly so many chunks. The indexes of the tables are those that there are. */
export async function fillLargeTeam(
  database: Database,
  url: string,
  size: number,
  folder: string,
  vectors: ClusteredVectors,
): Promise<LargeTeam> {
  const company = await createTestCompany(database);
  const clients: string[] = [];
  for (let n = 0; n < CLIENTS; n += 1) clients.push(await addClient(database, company));
  await withClient(url, async (client) => {
    await fillTexts(client, company, await openNaturalText(folder, size, SENTENCES), Math.min(size, TEXTS));
    await planRows(client, company, clients, size, vectors);
  });
  const slices = Array.from({ length: Math.ceil(size / SLICE) }, (_, n) => n * SLICE);
  // Two connections: each statement runs on one core.
  await Promise.all([
    withClient(url, async (client) => {
      for (const start of slices) await client.query(insertChunksSql(company, start));
      for (const start of slices) await client.query(insertKeywordsSql(company, start));
    }),
    withClient(url, async (client) => {
      for (const start of slices) await client.query(insertVectorsSql(company, start, vectors));
    }),
  ]);
  await withClient(url, (client) =>
    client.query('insert into bench.team (size, company, clients) values ($1, $2, $3)', [
      size,
      company,
      clients,
    ]),
  );
  return openLargeTeam(company, clients, size, folder);
}

/** The Teams that an earlier run has left in the database. */
export async function findLargeTeams(url: string, folder: string): Promise<LargeTeam[]> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ size: number; company: TestCompany; clients: string[] }>(
      'select * from bench.team order by size',
    ),
  );
  return Promise.all(rows.map(({ company, clients, size }) => openLargeTeam(company, clients, size, folder)));
}

/** The Team as it is measured. */
async function openLargeTeam(
  company: TestCompany,
  clients: readonly string[],
  size: number,
  folder: string,
): Promise<LargeTeam> {
  const whole = ownerScope(company, clients);
  const ofClients = clients.map((clientId) => narrowScope(whole, { clientId, include: ['client'] }));
  const text = await openNaturalText(folder, size, SENTENCES);
  return { size, company, clients, text, whole, ofClients };
}

async function fillTexts(
  client: pg.Client,
  { teamId }: TestCompany,
  text: NaturalText,
  count: number,
): Promise<void> {
  const texts = Array.from({ length: count }, () => text.chunk());
  const insert = 'insert into bench.text (team_id, n, text, keys, weights) values ';
  const types = ['uuid', 'int', 'text', 'int[]', 'sparsevec'];
  await insertRows(client, insert, types, texts, (chunk, n) => {
    const terms = chunkTerms(teamId, chunk);
    return [
      teamId,
      n,
      chunk,
      Buffer.from(int4ArrayBinary(terms.keys)),
      Buffer.from(termsToSparsevecBinary(terms)),
    ];
  });
  await client.query('analyze bench.text');
}

/** A number below `end` that depends only on the row and a seed. */
const drawn = (n: string, seed: number, end: number | string) =>
  `mod(hashint8extended(${n}, ${seed}) & x'7fffffffffffffff'::bigint, ${end})::int`;

/** Inserts the sources, and decides for each chunk its source, layer, time, text and centre. */
async function planRows(
  client: pg.Client,
  { teamId, ownerId }: TestCompany,
  clients: readonly string[],
  size: number,
  { sharedCentres, ownCentres }: ClusteredVectors,
): Promise<void> {
  const clientIds = LAYERS_OF_TEN.map((layer) => (layer === null ? teamId : clients[layer]));
  const layers = LAYERS_OF_TEN.map((layer) => (layer === null ? 0 : layer + 1));
  const at = (n: string) => `('2025-01-01'::timestamptz + interval '365 days' * (${n}) / ${size})`;
  await client.query(
    `with planned as materialized (
       select s, gen_random_uuid() as id, ($1::uuid[])[s % 10 + 1] as layer_id, ($2::int[])[s % 10 + 1] as layer
         from generate_series(0, $3::int - 1) s
     ), stored as (
       insert into memory.source
              (team_id, layer_id, id, kind, state, title, content_hash, created_by, chunk_count, created_at)
       select $4::uuid, layer_id, id, case when s / 10 % 2 = 0 then 'ingest' else 'import' end, 'active',
              'Source ' || s, uuid_send(id), $5::uuid, ${CHUNKS_OF_SOURCE}, ${at(`s * ${CHUNKS_OF_SOURCE}`)}
         from planned
     )
     insert into bench.row
       (team_id, n, layer, layer_id, source_id, ordinal, chunk_id, created_at, text, centre)
     select $4::uuid, c.n, p.layer, p.layer_id, p.id, c.n % ${CHUNKS_OF_SOURCE}, identity.new_id(${at('c.n')}),
            ${at('c.n')}, ${drawn('c.n', 1, Math.min(size, TEXTS))},
            case when ${drawn('c.n', 2, 2)} = 0 then ${drawn('c.n', 3, sharedCentres)}
                 else ${sharedCentres} + p.layer * ${ownCentres} + ${drawn('c.n', 3, ownCentres)} end
       from planned p
       cross join lateral (select p.s * ${CHUNKS_OF_SOURCE} + o as n
                             from generate_series(0, ${CHUNKS_OF_SOURCE - 1}) o) c
      order by c.n`,
    [clientIds, layers, size / CHUNKS_OF_SOURCE, teamId, ownerId],
  );
  await client.query('analyze bench.row');
}

const rowsOf = ({ teamId }: TestCompany, start: number) =>
  `bench.row r where r.team_id = '${teamId}' and r.n >= ${start} and r.n < ${start + SLICE}`;

const insertChunksSql = (company: TestCompany, start: number) =>
  `insert into memory.chunk (team_id, layer_id, source_id, id, ordinal, text, created_at)
   select r.team_id, r.layer_id, r.source_id, r.chunk_id, r.ordinal, t.text, r.created_at
     from (select * from ${rowsOf(company, start)}) r
     join bench.text t on t.team_id = r.team_id and t.n = r.text order by r.n`;

const insertKeywordsSql = (company: TestCompany, start: number) =>
  `insert into memory.chunk_keyword (team_id, layer_id, chunk_id, keys, weights)
   select r.team_id, r.layer_id, r.chunk_id, t.keys, t.weights
     from (select * from ${rowsOf(company, start)}) r
     join bench.text t on t.team_id = r.team_id and t.n = r.text order by r.n`;

const insertVectorsSql = (company: TestCompany, start: number, { noises }: ClusteredVectors) => {
  const parts = Array.from({ length: NOISES_OF_VECTOR }, (_, n) => n);
  return `insert into memory.chunk_embedding (team_id, layer_id, chunk_id, model, embedding)
   select r.team_id, r.layer_id, r.chunk_id, '${TEST_MODEL_NAME}', l2_normalize(c.v + ${parts.map((n) => `n${n}.v`).join(' + ')})
     from (select * from ${rowsOf(company, start)}) r join bench.centre c on c.n = r.centre
     ${parts.map((n) => `join bench.noise n${n} on n${n}.n = ${drawn('r.n', 10 + n, noises.length)}`).join('\n     ')}`;
};

/** Runs statements on a connection without time-outs. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`set work_mem = '256MB'; set maintenance_work_mem = '1GB'; set jit = off`);
    return await use(client);
  } finally {
    await client.end();
  }
}

const LOADED = ['memory.chunk', 'memory.chunk_keyword', 'memory.chunk_embedding'];

/** Loads without the indexes and foreign keys of the large tables, and makes them afterwards. */
export async function withoutIndexes(url: string, load: () => Promise<void>): Promise<void> {
  const [indexes, keys] = await withClient(url, async (client) => {
    const found = await client.query<{ drop: string; create: string }>(
      `select 'drop index ' || i.indexrelid::regclass as drop, pg_get_indexdef(i.indexrelid) as create
         from pg_index i where i.indrelid = any ($1::regclass[])
          and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
      [LOADED],
    );
    const foreign = await client.query<{ drop: string; create: string }>(
      `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
              format('alter table %s add constraint %I %s not valid', c.conrelid::regclass, c.conname,
                     pg_get_constraintdef(c.oid)) as create
         from pg_constraint c where c.contype = 'f' and c.conrelid = any ($1::regclass[])`,
      [LOADED],
    );
    for (const { drop } of [...found.rows, ...foreign.rows]) await client.query(drop);
    return [found.rows, foreign.rows];
  });
  await load();
  // The index of keys takes longest, so it is first.
  const left = indexes.toSorted(
    (a, b) => Number(b.create.includes(' gin ')) - Number(a.create.includes(' gin ')),
  );
  const next = async (client: pg.Client) => {
    for (let index = left.shift(); index !== undefined; index = left.shift())
      await client.query(index.create);
  };
  await Promise.all([withClient(url, next), withClient(url, next)]);
  await withClient(url, async (client) => {
    for (const { create } of keys) await client.query(create);
    for (const table of [...LOADED, 'memory.source']) await client.query(`vacuum (analyze) ${table}`);
  });
}
