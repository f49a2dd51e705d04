import { buildTestApp } from '../test/support/app.ts';
import { askingAt, succeeded } from './support/asking.ts';
import { runBench } from './support/bench.ts';
import { places, withDatabase } from './support/databases.ts';
import { spread } from './support/report.ts';
import { inTurns } from './support/rounds.ts';

/** The most that a call may take in addition to the plain route, at the median. */
const TARGET_MS = 3;

const WORDS = 'harbour crane walrus lighthouse tide anchor ferry signal rope keel mast gull'.split(' ');
const wordAt = (n: number) => WORDS[n % WORDS.length]!;
const paragraph = (n: number) =>
  Array.from(
    { length: 120 },
    (_, at) => `${wordAt(n * 7 + at * (1 + (n % 5)))}${at % 9 === 0 ? n : ''}`,
  ).join(' ');

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};
const call = (query: string, meta: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search', arguments: { query }, ...meta },
});

/** The ways to search. */
const WAYS = [
  {
    name: 'plain route',
    path: '/v1/memory/search',
    headers: {},
    body: (query: string) => ({ query, scope: {}, embeddingMode: 'keyword', topK: 10, group: 'source' }),
  },
  { name: 'MCP, 2025', path: '/v1/mcp', headers: {}, body: (query: string) => call(query, {}) },
  {
    name: 'MCP, 2026-07-28',
    path: '/v1/mcp',
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'search' },
    body: (query: string) => call(query, { _meta: META }),
  },
];

await runBench(
  {
    name: 'bench:mcp',
    about: `How long the MCP tool search takes next to the plain route with the same search, in both kinds of revisions of the
protocol. The requests alternate, over one connection.`,
    options: { sources: [500, 'sources of the Team'], rounds: [400, 'searches of each kind'] },
    needs: ['both'],
  },
  async ({ sources, rounds }, report) => {
    for (const place of places()) {
      await withDatabase(place, async ({ database, url }) => {
        const service = await buildTestApp(database, url);
        const company = await service.company();
        for (let n = 0; n < sources; n += 1) {
          const chunks = [paragraph(n), paragraph(n + sources)].map((text) => ({ text }));
          await company.api.ingestSource({ title: `Source ${n}`, chunks });
        }
        const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
        const accept = 'application/json, text/event-stream';
        const asking = askingAt(base, { headers: { ...company.headers, accept } });
        const times = await inTurns(WAYS, { rounds, warmUp: 50 }, async (way, round) => {
          const query = `${wordAt(round + 50)} ${wordAt(round * 3 + 1 + 150)}`;
          const { ms, body } = succeeded(await asking.ask('POST', way.path, way.body(query), way.headers));
          if (!body.includes('"score"')) throw new Error(body.toString().slice(0, 500));
          return ms;
        });
        asking.close();
        report.row(`${database.backend}, ${sources} sources`, ['p50 ms', 'p95 ms', 'more']);
        const [plain] = spread(times[0]!);
        for (const [index, { name }] of WAYS.entries()) {
          const [p50, p95] = spread(times[index]!);
          const held = report.hold(`${name}: ms more`, p50 - plain, index === 0 ? null : TARGET_MS);
          report.row(name, [p50, p95, p50 - plain], held);
        }
        await service.app.close();
        await service.queue.stop();
      });
    }
  },
);
