import type { Database } from '../../db/driver/database.ts';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { newId } from '../../shared/ids.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import { TEST_MODEL_NAME, type TestCompany } from '../../test/support/needs/database.ts';
import { type Child, startApiProcess, startChild } from '../support/child.ts';
import { type KeptConnection, keepConnection, requestBytes } from '../support/connection.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import { median } from '../support/report.ts';
import type { BareSearchAnswer, BareSearchOrder } from './bare-process.ts';
import type { SearchReport } from './report.ts';
import { recordSearches } from './statements.ts';

const CONNECTIONS = 4;
/** Searches that are asked again and again. */
const DIFFERENT = 200;
/** Of the bare statements' rate, what the API reaches at least. */
const LEAST_OF_BARE = 0.8;
const TURNS = 7;
const TURN_MS = 2500;

/** A session of the Company's Owner, as headers. */
export async function ownerHeaders(
  database: Database,
  company: TestCompany,
): Promise<Record<string, string>> {
  const token = newToken();
  await database.query(
    'insert into identity.session (company_id, id, user_id, token_hash) values ($1, $2, $3, $4)',
    [company.companyId, newId(), company.ownerId, hashToken(token)],
  );
  return { authorization: `Bearer ${token}`, 'memory-team': company.teamId };
}

/** A hybrid search of the whole Team, as a client that makes its own vectors sends it. */
function searchBody({ text, vectors }: FilledTeam): object {
  return {
    query: text.question(),
    queryEmbedding: [...vectors.vector()],
    embeddingModel: TEST_MODEL_NAME,
    embeddingDim: EMBEDDING_DIM,
    scope: { include: ['team', 'client'] },
  };
}

/** Asks on all connections, one request after the other on each; gives the answers a second. */
async function askTurn(
  connections: readonly KeptConnection[],
  requests: readonly Buffer[],
  ms: number,
): Promise<number> {
  let next = 0;
  let answered = 0;
  const began = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() - began < ms) {
        await connection.send(requests[next++ % requests.length] as Buffer);
        answered += 1;
      }
    }),
  );
  return (answered * 1000) / (performance.now() - began);
}

async function bareTurn(bare: Child, runMs: number): Promise<number> {
  const { done, ms } = await bare.ask<BareSearchAnswer>({ runMs } satisfies BareSearchOrder);
  return (done * 1000) / ms;
}

/**
 * Searches a second through the API beside the same statements run bare, in turns, on as many connections.
 * @param url of the database
 */
export async function measureThroughput(
  database: Database,
  url: string,
  teams: readonly FilledTeam[],
  report: SearchReport,
): Promise<void> {
  report.print('');
  report.row(`hybrid searches a second, ${CONNECTIONS} at once`, ['API', 'bare', 'ratio']);
  const api = await startApiProcess(url);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => keepConnection(api.url)));
  try {
    for (const team of teams) {
      const headers = await ownerHeaders(database, team.company);
      const bodies = Array.from({ length: DIFFERENT }, () => searchBody(team));
      const requests = bodies.map((body) => requestBytes(api.url, '/v1/memory/search', headers, body));
      const searches = await recordSearches(database, url, headers, bodies);
      const bare = startChild('bench/search/bare-process.ts');
      try {
        await bare.ask({ url, connections: CONNECTIONS, searches } satisfies BareSearchOrder);
        const rates = { api: [] as number[], bare: [] as number[] };
        // The first turns warm up.
        for (let turn = 0; turn <= TURNS; turn += 1) {
          const asked = await askTurn(connections, requests, TURN_MS);
          const ran = await bareTurn(bare, TURN_MS);
          if (turn === 0) continue;
          rates.api.push(asked);
          rates.bare.push(ran);
        }
        reportRates(`a Team of ${team.size}`, rates, report);
      } finally {
        await bare.end();
      }
    }
  } finally {
    for (const connection of connections) connection.close();
    await api.child.end();
  }
}

function reportRates(name: string, rates: { api: number[]; bare: number[] }, report: SearchReport): void {
  const [asked, ran] = [median(rates.api), median(rates.bare)];
  const ratio = asked / ran;
  const held = report.holdAtLeast(`searches a second of bare statements, ${name}`, ratio, LEAST_OF_BARE);
  report.row(name, [asked.toFixed(0), ran.toFixed(0), ratio.toFixed(2)], held);
}
