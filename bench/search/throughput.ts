import type { Database } from '../../db/driver/database.ts';
import { startApi } from '../support/child.ts';
import { keepConnection } from '../support/connection.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import { median, type Report } from '../support/report.ts';
import { inTurns } from '../support/rounds.ts';
import { drawSearches, searchRequest, sessionHeaders } from '../support/searches.ts';

const CONNECTIONS = 4;
/** Searches that are asked again and again. */
const DIFFERENT = 200;
const TURNS = 7;

/**
 * Searches a second through the API, on some connections, each with one request after the other. `bench:requests` compares
 * a search with its bare statements.
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
  const api = await startApi(url);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => keepConnection(api.url)));
  try {
    const cases: { team: FilledTeam; requests: Buffer[] }[] = [];
    for (const team of teams) {
      const headers = await sessionHeaders(database, team.company);
      const requests = drawSearches(team, DIFFERENT).map((one) => searchRequest(api.url, headers, one));
      cases.push({ team, requests });
    }
    let next = 0;
    const rates = await inTurns(cases, { rounds: TURNS }, async ({ requests }) => {
      let done = 0;
      const began = performance.now();
      await Promise.all(
        connections.map(async (connection) => {
          for (; performance.now() - began < turnMs; done += 1)
            await connection.send(requests[next++ % requests.length]!);
        }),
      );
      return (done * 1000) / (performance.now() - began);
    });
    report.print(`\nhybrid searches a second, ${CONNECTIONS} at once`);
    for (const [index, { team }] of cases.entries())
      report.row(`a Team of ${team.size}`, [median(rates[index]!)], '', 0);
  } finally {
    for (const connection of connections) connection.close();
    await api.child.end();
  }
}
