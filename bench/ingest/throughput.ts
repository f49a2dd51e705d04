import type { Database } from '../../db/driver/database.ts';
import { createTestCompany, TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { openStandInVectors } from '../../test/support/stand-in-vectors.ts';
import { startApi, startChild } from '../support/child.ts';
import { keepConnection, requestBytes } from '../support/connection.ts';
import { openNaturalText } from '../support/natural-text.ts';
import { median, type Report } from '../support/report.ts';
import { inTurns, sendAll } from '../support/rounds.ts';
import { CLAIM, sessionHeaders } from '../support/searches.ts';
import type { BareIngestOrder } from './bare-process.ts';

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
  report: Report,
): Promise<void> {
  const headers = await sessionHeaders(database, await createTestCompany(database));
  const { teamId, ownerId } = await createTestCompany(database);
  const text = await openNaturalText(folder, SEEDS.api);
  const vectors = openStandInVectors(SEEDS.api);
  const api = await startApi(url);
  const bare = startChild('bench/ingest/bare-process.ts');
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => keepConnection(api.url)));
  const askApi = (round: number) => {
    const chunk = () => ({ text: text.chunk(), embedding: [...vectors.vector()] });
    const requests = Array.from({ length: REQUESTS_A_TURN }, (_, n) =>
      requestBytes(api.url, '/v1/memory/ingest', headers, {
        title: `Text ${round}.${n}`,
        chunks: Array.from({ length: CHUNKS_A_REQUEST }, chunk),
        ...CLAIM,
      }),
    );
    return sendAll(connections, requests, (connection, request) => connection.send(request));
  };
  const askBare = () =>
    bare.ask<number>({ sources: REQUESTS_A_TURN, chunks: CHUNKS_A_REQUEST } satisfies BareIngestOrder);
  try {
    const place = { url, connections: CONNECTIONS, folder, seed: SEEDS.bare };
    const order = { ...place, teamId, userId: ownerId, model: TEST_MODEL_NAME } satisfies BareIngestOrder;
    await bare.ask(order);
    const times = await inTurns([askApi, askBare], { rounds: TURNS }, (ask, round) => ask(round));
    const [asked, ran] = times.map((ms) => (REQUESTS_A_TURN * CHUNKS_A_REQUEST * 1000) / median(ms)) as [
      number,
      number,
    ];
    report.print();
    report.row(`passages a second, ${CONNECTIONS} at once`, ['API', 'bare', 'ratio']);
    const held = report.holdAtLeast('ingest of the bare loop', asked / ran, LEAST_OF_BARE);
    report.row(
      `${CHUNKS_A_REQUEST} passages a request`,
      [asked.toFixed(0), ran.toFixed(0), asked / ran],
      `${held}; asked: ${ASKED_CHUNKS_A_SECOND} passages a second`,
    );
  } finally {
    for (const connection of connections) connection.close();
    await api.child.end();
    await bare.end();
  }
}
