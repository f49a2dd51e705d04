import type { Database } from '../../db/driver/database.ts';
import { startApi, startChild } from '../support/child.ts';
import { keepConnection } from '../support/connection.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import { median, type Report } from '../support/report.ts';
import { inTurns } from '../support/rounds.ts';
import { drawSearches, searchBody, searchRequest, sessionHeaders } from '../support/searches.ts';
import type { BareSearchAnswer, BareSearchOrder } from './bare-process.ts';
import { recordSearches } from './statements.ts';

const CONNECTIONS = 4;
/** Searches that are asked again and again. */
const DIFFERENT = 200;
/** Of the bare statements' rate, what the API reaches at least. */
const LEAST_OF_BARE = 0.8;
const TURNS = 7;

/**
 * Searches a second through the API beside the same statements run bare, in turns, on as many connections.
 * @param url of the database
 * @param turnMs how long a turn is
 */
export async function measureThroughput(
  database: Database,
  url: string,
  teams: readonly FilledTeam[],
  turnMs: number,
  report: Report,
): Promise<void> {
  report.print();
  report.row(`hybrid searches a second, ${CONNECTIONS} at once`, ['API', 'bare', 'ratio']);
  const api = await startApi(url);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => keepConnection(api.url)));
  try {
    for (const team of teams) {
      const headers = await sessionHeaders(database, team.company);
      const drawn = drawSearches(team, DIFFERENT);
      const requests = drawn.map((search) => searchRequest(api.url, headers, search, 'numbers'));
      const bodies = drawn.map((search) => searchBody(search, 'numbers'));
      const searches = await recordSearches(database, url, headers, bodies);
      const bare = startChild('bench/search/bare-process.ts');
      let next = 0;
      /** Asks on all connections, one request after the other on each. */
      const askApi = async () => {
        let done = 0;
        const began = performance.now();
        await Promise.all(
          connections.map(async (connection) => {
            for (; performance.now() - began < turnMs; done += 1)
              await connection.send(requests[next++ % requests.length]!);
          }),
        );
        return { done, ms: performance.now() - began };
      };
      const askBare = () => bare.ask<BareSearchAnswer>({ runMs: turnMs } satisfies BareSearchOrder);
      try {
        await bare.ask({ url, connections: CONNECTIONS, searches } satisfies BareSearchOrder);
        const rates = await inTurns([askApi, askBare], { rounds: TURNS }, async (ask) => {
          const { done, ms } = await ask();
          return (done * 1000) / ms;
        });
        const [asked, ran] = rates.map(median) as [number, number];
        const name = `a Team of ${team.size}`;
        const held = report.holdAtLeast(
          `searches a second of bare statements, ${name}`,
          asked / ran,
          LEAST_OF_BARE,
        );
        report.row(name, [asked.toFixed(0), ran.toFixed(0), asked / ran], held);
      } finally {
        await bare.end();
      }
    }
  } finally {
    for (const connection of connections) connection.close();
    await api.child.end();
  }
}
