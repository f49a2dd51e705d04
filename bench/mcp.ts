import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Database } from '../db/driver/database.ts';
import { openEmbedded } from '../db/driver/embedded.ts';
import { openPostgres } from '../db/driver/postgres.ts';
import { createLogger } from '../shared/logger.ts';
import { buildTestApp } from '../test/support/app.ts';
import { percentile } from '../test/support/generated-text.ts';
import { prepareDatabase } from '../test/support/needs/database.ts';
import { createEmptyDatabase } from '../test/support/needs/own-database.ts';

/**
 * `npm run bench:mcp`: how long the MCP tool `search` takes next to the plain route with the same search, in both kinds
 * of revisions of the protocol. The requests alternate, over one connection. On the embedded database and, where
 * MEMORY_TEST_DATABASE_URL names a server, on PostgreSQL.
 */
const SOURCES = 500;
const ROUNDS = 400;
const WARM_UP = 50;
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

/** One way to search. */
interface Way {
  name: string;
  path: string;
  headers: Record<string, string>;
  body: (query: string) => object;
}

const call = (query: string, meta: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search', arguments: { query }, ...meta },
});
const WAYS: readonly Way[] = [
  {
    name: 'plain route',
    path: '/v1/memory/search',
    headers: {},
    body: (query) => ({ query, scope: {}, embeddingMode: 'keyword', topK: 10, group: 'source' }),
  },
  { name: 'MCP, 2025', path: '/v1/mcp', headers: {}, body: (query) => call(query, {}) },
  {
    name: 'MCP, 2026-07-28',
    path: '/v1/mcp',
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'search' },
    body: (query) => call(query, { _meta: META }),
  },
];

async function measure(name: string, database: Database, url: string | undefined): Promise<boolean> {
  const service = await buildTestApp(database, url);
  const company = await service.company();
  for (let n = 0; n < SOURCES; n += 1) {
    const chunks = [paragraph(n), paragraph(n + SOURCES)].map((chunk) => ({ text: chunk }));
    const stored = await company.ask.ingestSource({ title: `Source ${n}`, chunks });
    if (stored.statusCode !== 201) throw new Error(stored.body);
  }
  const base = new URL(await service.app.listen({ host: '127.0.0.1', port: 0 }));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (way: Way, query: string): Promise<number> => {
    const payload = JSON.stringify(way.body(query));
    const began = performance.now();
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = {
        ...company.headers,
        ...way.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': Buffer.byteLength(payload),
      };
      const asked = request(new URL(way.path, base), { method: 'POST', agent, headers }, (response) => {
        text(response).then(resolve, reject);
      });
      asked.on('error', reject);
      asked.end(payload);
    });
    const ms = performance.now() - began;
    if (!answer.includes('"score"')) throw new Error(answer.slice(0, 500));
    return ms;
  };
  const times = WAYS.map((): number[] => []);
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const query = `${wordAt(round)} ${wordAt(round * 3 + 1)}`;
    for (const [index, way] of WAYS.entries()) {
      const ms = await ask(way, query);
      if (round >= WARM_UP) times[index]!.push(ms);
    }
  }
  const medians = times.map((own) => percentile(own, 0.5));
  console.log(`${name}, ${SOURCES} sources, ${ROUNDS} searches of each kind, which alternate:`);
  for (const [index, way] of WAYS.entries()) {
    const own = times[index]!;
    const [p50, p95] = [medians[index]!, percentile(own, 0.95)];
    const extra = p50 - medians[0]!;
    console.log(
      `  ${way.name.padEnd(16)} p50 ${p50.toFixed(2)} ms  p95 ${p95.toFixed(2)} ms  +${extra.toFixed(2)} ms`,
    );
  }
  agent.destroy();
  await service.close();
  return medians.every((median) => median - medians[0]! <= TARGET_MS);
}

const logger = createLogger('fatal', 'bench');
const embedded = await openEmbedded({ dataDir: null });
await prepareDatabase(embedded);
let isWithin = await measure('embedded', embedded, undefined);
const server = process.env['MEMORY_TEST_DATABASE_URL'];
if (server !== undefined && server !== '') {
  const own = await createEmptyDatabase(server);
  const database = openPostgres(own.url, logger);
  await prepareDatabase(database);
  isWithin = (await measure('PostgreSQL', database, own.url)) && isWithin;
  await own.drop();
}
if (!isWithin) {
  console.error(`A call takes more than ${TARGET_MS} ms longer than the plain route`);
  process.exitCode = 1;
}
