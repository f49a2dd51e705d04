import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_TOKEN } from '../../support/needs/process.ts';
import { Ledger } from '../load/ledger.ts';
import { loadFigures, startLoad } from '../load/mixed-load.ts';
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
    const port = Number(new URL(system.url).port);
    const load = startLoad({ urls: system.urls, ledger: new Ledger(), seed: context.seed, loops: 1 });
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
    await load.stop();
    findings.figure(`requests of others: ${loadFigures(load.replies)}`);
    const failed = load.replies.filter(({ status }) => status < 200 || status >= 300);
    findings.expect(failed.length === 0, `${failed.length} other requests failed: ${failed[0]?.problem}`);
    await system.stop(findings);
  },
};
