import pg from 'pg';
import { halfvecBinary, int4ArrayBinary, termsToSparsevecBinary } from '../../db/driver/wire-format.ts';
import { newId } from '../../shared/ids.ts';
import { chunkTerms } from '../../shared/text/terms/terms.ts';
import { openStandInVectors } from '../../test/support/stand-in-vectors.ts';
import { obey } from '../support/child.ts';
import { openNaturalText } from '../support/natural-text.ts';
import { sendAll } from '../support/rounds.ts';

/**
 * The rows of an ingest without the service, in a process of its own: terms made and rows inserted in a plain loop, by
 * the tables' owner, whom no policy checks. Texts and vectors are there before the time runs.
 */
export type BareIngestOrder = Prepared | { sources: number; chunks: number };

interface Prepared {
  url: string;
  connections: number;
  folder: string;
  seed: number;
  teamId: string;
  userId: string;
  model: string;
}

const ROWS_A_STATEMENT = 100;

interface Given {
  text: string;
  embedding: Float32Array;
}

let open: { order: Prepared; clients: pg.Client[]; given: () => Given } | null = null;

const bytes = (value: Uint8Array) => Buffer.from(value.buffer, value.byteOffset, value.byteLength);

/** Inserts some chunks of a source: texts, terms and vectors. */
async function insertSlice(
  client: pg.Client,
  { teamId, model }: { teamId: string; model: string },
  sourceId: string,
  slice: readonly Given[],
  firstOrdinal: number,
): Promise<void> {
  const ids = slice.map(() => newId());
  await client.query(
    `insert into memory.chunk (team_id, layer_id, source_id, id, ordinal, text)
     select $1, $1, $2, g.id, $3 + g.place - 1, g.text
       from unnest($4::uuid[], $5::text[]) with ordinality as g (id, text, place)`,
    [teamId, sourceId, firstOrdinal, ids, slice.map(({ text }) => text)],
  );
  const terms = slice.map(({ text }) => chunkTerms(teamId, text));
  await client.query(
    `insert into memory.chunk_keyword (team_id, layer_id, chunk_id, keys, weights) values ${slice
      .map((_, n) => `($1, $1, $${3 * n + 2}::uuid, $${3 * n + 3}::int4[], $${3 * n + 4}::sparsevec)`)
      .join(', ')}`,
    [
      teamId,
      ...terms.flatMap((made, n) => [
        ids[n],
        bytes(int4ArrayBinary(made.keys)),
        bytes(termsToSparsevecBinary(made)),
      ]),
    ],
  );
  await client.query(
    `insert into memory.chunk_embedding (team_id, layer_id, model, chunk_id, embedding) values ${slice
      .map((_, n) => `($1, $1, $2, $${2 * n + 3}::uuid, $${2 * n + 4}::halfvec(1024))`)
      .join(', ')}`,
    [teamId, model, ...slice.flatMap(({ embedding }, n) => [ids[n], bytes(halfvecBinary(embedding))])],
  );
}

async function insertSource(
  client: pg.Client,
  order: { teamId: string; userId: string; model: string },
  chunks: readonly Given[],
): Promise<void> {
  const id = newId();
  await client.query('begin');
  await client.query(
    `insert into memory.source (team_id, layer_id, id, kind, state, title, content_hash, chunk_count, created_by)
     values ($1, $1, $2, 'ingest', 'active', $3, $4, $5, $6)`,
    [order.teamId, id, `Source ${id}`, Buffer.from(id), chunks.length, order.userId],
  );
  for (let start = 0; start < chunks.length; start += ROWS_A_STATEMENT) {
    await insertSlice(client, order, id, chunks.slice(start, start + ROWS_A_STATEMENT), start);
  }
  await client.query('commit');
}

/** Prepares, or writes sources and tells how long that took, in ms. */
obey(async (order: BareIngestOrder): Promise<number> => {
  if ('url' in order) {
    const text = await openNaturalText(order.folder, order.seed);
    const vectors = openStandInVectors(order.seed);
    const clients = Array.from(
      { length: order.connections },
      () => new pg.Client({ connectionString: order.url }),
    );
    for (const client of clients) await client.connect();
    open = { order, clients, given: () => ({ text: text.chunk(), embedding: vectors.vector() }) };
    return 0;
  }
  if (open === null) throw new Error('nothing is prepared');
  const { given, clients, order: place } = open;
  const sources = Array.from({ length: order.sources }, () => Array.from({ length: order.chunks }, given));
  return sendAll(clients, sources, (client, chunks) => insertSource(client, place, chunks));
});
