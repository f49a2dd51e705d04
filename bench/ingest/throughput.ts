import type { Database } from '../../db/driver/database.ts';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { createTestCompany, TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { openStandInVectors, type StandInVectors } from '../../test/support/stand-in-vectors.ts';
import type { SearchReport } from '../search/report.ts';
import { ownerHeaders } from '../search/throughput.ts';
import { startApiProcess, startChild } from '../support/child.ts';
import { type KeptConnection, keepConnection, requestBytes } from '../support/connection.ts';
import { type NaturalText, openNaturalText } from '../support/natural-text.ts';
import { median } from '../support/report.ts';
import type { BareIngestAnswer, BareIngestOrder } from './bare-process.ts';

/** Requests at once, and connections of the bare loop. */
const CONNECTIONS = 4;
/** What one request brings, and how many requests one turn. */
const CHUNKS_A_REQUEST = 250;
const REQUESTS_A_TURN = 12;
const TURNS = 5;
/** Of the bare loop's rate, what the API reaches at least. */
const LEAST_OF_BARE = 0.7;
/** Shown: the machine decides. */
const ASKED_CHUNKS_A_SECOND = 1000;
const SEEDS = { api: 71, bare: 72 };

/** A text in chunks with their vectors, as a client that makes its own sends it. */
function ingestBody(text: NaturalText, vectors: StandInVectors, title: string): object {
  return {
    title,
    chunks: Array.from({ length: CHUNKS_A_REQUEST }, () => ({
      text: text.chunk(),
      embedding: [...vectors.vector()],
    })),
    embeddingModel: TEST_MODEL_NAME,
    embeddingDim: EMBEDDING_DIM,
  };
}

/** Sends requests that were made beforehand; gives how long it took, in ms. */
async function sendAll(connections: readonly KeptConnection[], requests: Buffer[]): Promise<number> {
  const began = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) await connection.send(next);
    }),
  );
  return performance.now() - began;
}

/**
 * Chunks with their vectors a second through POST /v1/memory/ingest, beside a bare loop that makes the same terms and
 * inserts the same rows, in turns. Each writes into a Team of its own in the same tables.
 * @param url of the database
 * @param folder of the retrieval set
 */
export async function measureIngest(
  database: Database,
  url: string,
  folder: string,
  report: SearchReport,
): Promise<void> {
  const company = await createTestCompany(database);
  const headers = await ownerHeaders(database, company);
  const other = await createTestCompany(database);
  const text = await openNaturalText(folder, SEEDS.api);
  const vectors = openStandInVectors(SEEDS.api);
  const api = await startApiProcess(url);
  const bare = startChild('bench/ingest/bare-process.ts');
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => keepConnection(api.url)));
  const rates = { api: [] as number[], bare: [] as number[] };
  const rate = (ms: number) => (REQUESTS_A_TURN * CHUNKS_A_REQUEST * 1000) / ms;
  try {
    await bare.ask({
      url,
      connections: CONNECTIONS,
      folder,
      seed: SEEDS.bare,
      teamId: other.teamId,
      userId: other.ownerId,
      model: TEST_MODEL_NAME,
    } satisfies BareIngestOrder);
    // The first turns warm up.
    for (let turn = 0; turn <= TURNS; turn += 1) {
      const requests = Array.from({ length: REQUESTS_A_TURN }, (_, n) =>
        requestBytes(api.url, '/v1/memory/ingest', headers, ingestBody(text, vectors, `Text ${turn}.${n}`)),
      );
      const sent = await sendAll(connections, requests);
      const written = await bare.ask<BareIngestAnswer>({
        sources: REQUESTS_A_TURN,
        chunks: CHUNKS_A_REQUEST,
      } satisfies BareIngestOrder);
      if (turn === 0) continue;
      rates.api.push(rate(sent));
      rates.bare.push(rate(written.ms));
    }
  } finally {
    for (const connection of connections) connection.close();
    await api.child.end();
    await bare.end();
  }
  const [asked, ran] = [median(rates.api), median(rates.bare)];
  report.print('');
  report.row(`passages a second, ${CONNECTIONS} at once`, ['API', 'bare', 'ratio']);
  const held = report.holdAtLeast('ingest of the bare loop', asked / ran, LEAST_OF_BARE);
  report.row(
    `${CHUNKS_A_REQUEST} passages a request`,
    [asked.toFixed(0), ran.toFixed(0), (asked / ran).toFixed(2)],
    `${held}; asked: ${ASKED_CHUNKS_A_SECOND} passages a second`,
  );
}
