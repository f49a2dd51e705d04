import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../support/generated-text.ts';
import { API_TOKEN } from '../../support/needs/process.ts';
import { quantile, type Reply, send, tally } from '../load/client.ts';
import { searchRequest } from '../load/mixed-load.ts';
import { startSystem } from '../load/system.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';

/** Every slow connection must be closed by then: 120 s for a request, and the 30 s between two checks of Node.js. */
const CUT_SECONDS = 160;

/** A kind of slow client: what it sends at once, and then one character each second. */
interface SlowClient {
  name: string;
  count: number;
  begin: string;
  perSecond: string;
}

const AUTHORIZED = `Host: localhost\r\nAuthorization: Bearer ${API_TOKEN}\r\n`;
const CLIENTS: readonly SlowClient[] = [
  {
    name: 'slow headers',
    count: 30,
    begin: 'GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
    perSecond: 'x',
  },
  {
    name: 'slow bodies',
    count: 30,
    begin: `POST /v1/memory/ingest HTTP/1.1\r\n${AUTHORIZED}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
    perSecond: ' ',
  },
  { name: 'silent', count: 60, begin: '', perSecond: '' },
  { name: 'kept alive', count: 20, begin: 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n', perSecond: '' },
];

/** Opens the connections of one kind. Resolves to the second at which each was closed by the service. */
function openSlow({ count, begin, perSecond }: SlowClient, port: number, context: ScenarioContext) {
  const began = performance.now();
  return Array.from({ length: count }, () => {
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(begin));
    context.defer(() => socket.destroy());
    const trickle = setInterval(() => {
      if (perSecond !== '') socket.write(perSecond);
    }, 1000);
    socket.on('error', () => undefined);
    // What the service responds is read, so that its closing is noticed.
    socket.resume();
    return new Promise<number>((resolve) => {
      socket.on('close', () => {
        clearInterval(trickle);
        resolve((performance.now() - began) / 1000);
      });
    });
  });
}

export const slow: Scenario = {
  name: 'slow',
  summary: 'opens slow and silent connections; each is closed by the service, and other requests are served',
  limitSeconds: CUT_SECONDS + 60,
  run: async (context, findings) => {
    const system = await startSystem(context, { workers: 0 });
    const random = seededRandom(context.seed);
    const searches: Reply[] = [];
    const port = Number(new URL(system.url).port);
    let over = false;
    const searching = (async () => {
      while (!over) {
        searches.push(await send(system.url, searchRequest(random)));
        await sleep(500);
      }
    })();
    await Promise.all(
      CLIENTS.map(async (client) => {
        const closed: number[] = [];
        const all = openSlow(client, port, context).map(async (seconds) => closed.push(await seconds));
        await Promise.race([Promise.all(all), sleep(CUT_SECONDS * 1000, undefined, { ref: false })]);
        findings.figure(
          `${client.count} ${client.name} closed after ${Math.min(...closed).toFixed(0)} to ${Math.max(...closed).toFixed(0)} s`,
        );
        findings.expect(
          closed.length === client.count,
          `${client.count - closed.length} connections (${client.name}) were still open after ${CUT_SECONDS} s`,
        );
      }),
    );
    over = true;
    await searching;
    const p95 = quantile(
      searches.map(({ ms }) => ms),
      0.95,
    );
    findings.figure(`searches of others: ${tally(searches)}, p95 ${p95.toFixed(0)} ms`);
    findings.expect(
      searches.every(({ status }) => status === 200),
      `other requests failed: ${tally(searches)}`,
    );
    await system.stop(findings);
  },
};
