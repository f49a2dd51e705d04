import { parseArgs } from 'node:util';
import pg from 'pg';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { API_TOKEN } from '../../test/support/needs/process.ts';
import { LANGUAGES, type Language, retrievalFolder } from '../../test/support/retrieval-set.ts';
import { ROOT } from '../../test/support/root.ts';
import { openStandInVectors, type StandInVectors } from '../../test/support/stand-in-vectors.ts';
import { describeRun, SearchReport } from '../search/report.ts';
import { type VectorForm, vectorFormOf, vectorIn } from '../support/checkout.ts';
import { type Child, startApiProcess } from '../support/child.ts';
import { type KeptConnection, keepConnection, requestBytes } from '../support/connection.ts';
import { type NaturalText, openNaturalText } from '../support/natural-text.ts';
import { median } from '../support/report.ts';
import { processSeconds } from './process-seconds.ts';
import { bytesByRelation } from './table-bytes.ts';

const HELP = `How many passages a second an ingest over HTTP stores, what that costs the CPU, and what a passage
takes on disk. With --beside, another checkout is measured in the same run, in turns, with the same requests. A checkout that takes no base64 is sent numbers.

Usage: npm run bench:rate -- [options]

  --beside FOLDER    the root of another checkout, with its packages installed
  --characters 800   of each passage
  --languages en,de  without it: all of ${LANGUAGES.join(', ')}
  --turns 5          turns that are measured; one more warms up
  --requests 12      of each turn, with --chunks passages each
  --chunks 250       of each request

MEMORY_TEST_XQUAD_R names the folder of the texts (XQuAD-R, <language>.json).
MEMORY_TEST_DATABASE_URL names a PostgreSQL server on this machine. Each checkout gets a database on it.`;

const CONNECTIONS = 4;
const SEED = 81;
const HEADERS = { authorization: `Bearer ${API_TOKEN}` };

interface Wanted {
  folders: string[];
  characters: number;
  languages: Language[];
  turns: number;
  requests: number;
  chunks: number;
}

/** A checkout that is measured, with an API process and a database of its own. */
interface Measured {
  folder: string;
  database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  client: pg.Client;
  api: { child: Child; url: URL };
  connections: KeptConnection[];
  form: VectorForm;
  /** Of each turn: chunks a second, and CPU milliseconds a chunk of the API and of the database. */
  rates: number[];
  apiMs: number[];
  databaseMs: number[];
}

function readCommandLine(): Wanted | null {
  const { values } = parseArgs({
    options: {
      beside: { type: 'string' },
      characters: { type: 'string', default: '800' },
      languages: { type: 'string', default: LANGUAGES.join(',') },
      turns: { type: 'string', default: '5' },
      requests: { type: 'string', default: '12' },
      chunks: { type: 'string', default: '250' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const languages = values.languages.split(',').map((name) => {
    const language = LANGUAGES.find((known) => known === name);
    if (language === undefined) throw new Error(`${JSON.stringify(name)} is not a language (see --help)`);
    return language;
  });
  return {
    folders: values.beside === undefined ? [ROOT] : [ROOT, values.beside],
    characters: Number(values.characters),
    languages,
    turns: Number(values.turns),
    requests: Number(values.requests),
    chunks: Number(values.chunks),
  };
}

async function start(serverUrl: string, folder: string): Promise<Measured> {
  const database = await createEmptyDatabase(serverUrl);
  const api = await startApiProcess(database.url, folder);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => keepConnection(api.url)));
  const form = await vectorFormOf(connections[0] as KeptConnection, api.url, HEADERS);
  return { folder, database, client, api, connections, form, rates: [], apiMs: [], databaseMs: [] };
}

async function stop({ client, api, connections, database }: Measured): Promise<void> {
  for (const connection of connections) connection.close();
  await api.child.end();
  await client.end();
  await database.drop();
}

/** A text of the given length, in one language. */
function textOf(text: NaturalText, language: Language, characters: number): string {
  let made = text.chunk(language);
  while (made.length < characters) made += ` ${text.chunk(language)}`;
  return made.slice(0, characters);
}

interface Body {
  title: string;
  chunks: { text: string; embedding: Float32Array }[];
}

/** The bodies of a turn. Every checkout gets the same, with vectors in the form that it takes. */
function turnBodies(wanted: Wanted, turn: number, text: NaturalText, vectors: StandInVectors): Body[] {
  let made = 0;
  const chunk = () => ({
    text: textOf(text, wanted.languages[made++ % wanted.languages.length] as Language, wanted.characters),
    embedding: vectors.vector(),
  });
  return Array.from({ length: wanted.requests }, (_, n) => ({
    title: `Text ${turn}.${n}`,
    chunks: Array.from({ length: wanted.chunks }, chunk),
  }));
}

/** The CPU seconds of the server's processes that serve this database. */
async function databaseSeconds({ client, database }: Measured): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
    [database.name],
  );
  return rows.reduce((sum, { pid }) => sum + processSeconds(pid), 0);
}

async function runTurn(measured: Measured, bodies: readonly Body[], chunks: number): Promise<void> {
  const { api, connections, form } = measured;
  const requests = bodies.map((body) =>
    requestBytes(api.url, '/v1/memory/ingest', HEADERS, {
      title: body.title,
      chunks: body.chunks.map(({ text, embedding }) => ({ text, embedding: vectorIn(form, embedding) })),
      embeddingModel: TEST_MODEL_NAME,
      embeddingDim: EMBEDDING_DIM,
    }),
  );
  const [apiBefore, databaseBefore] = [processSeconds(api.child.pid), await databaseSeconds(measured)];
  const began = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) await connection.send(next);
    }),
  );
  measured.rates.push((chunks * 1000) / (performance.now() - began));
  measured.apiMs.push(((processSeconds(api.child.pid) - apiBefore) * 1000) / chunks);
  measured.databaseMs.push((((await databaseSeconds(measured)) - databaseBefore) * 1000) / chunks);
}

async function reportRates(all: readonly Measured[], report: SearchReport): Promise<void> {
  report.print('');
  report.row('median of the turns', ['chunks/s', 'API ms', 'database ms', 'CPU ms']);
  for (const { folder, rates, apiMs, databaseMs } of all) {
    const cpu = apiMs.map((ms, turn) => ms + (databaseMs[turn] ?? 0));
    const figures = [median(apiMs), median(databaseMs), median(cpu)].map((ms) => ms.toFixed(3));
    report.row(folder.slice(-29), [median(rates).toFixed(0), ...figures]);
  }
  const [one, other] = all;
  if (one === undefined || other === undefined) return;
  const ratios = one.rates.map((rate, turn) => rate / (other.rates[turn] ?? Number.NaN));
  report.row('chunks/s, of the other', [median(ratios).toFixed(2)]);
}

async function reportBytes(all: readonly Measured[], chunks: number, report: SearchReport): Promise<void> {
  const sizes: Map<string, number>[] = [];
  for (const { client } of all) sizes.push(await bytesByRelation(client));
  const names = [...new Set(sizes.flatMap((size) => [...size.keys()]))];
  report.print('');
  report.row(
    'bytes a passage',
    all.map(({ folder }) => folder.slice(-11)),
  );
  const row = (name: string, figures: number[]) =>
    report.row(
      name,
      figures.map((bytes) => (bytes / chunks).toFixed(0)),
    );
  for (const name of names)
    row(
      name,
      sizes.map((size) => size.get(name) ?? 0),
    );
  row(
    'all',
    sizes.map((size) => [...size.values()].reduce((sum, bytes) => sum + bytes, 0)),
  );
}

async function measure(wanted: Wanted): Promise<void> {
  const report = new SearchReport();
  const folder = retrievalFolder();
  const serverUrl = process.env['MEMORY_TEST_DATABASE_URL'];
  if (folder === null || !serverUrl) {
    throw new Error('MEMORY_TEST_XQUAD_R and MEMORY_TEST_DATABASE_URL are required (see --help)');
  }
  report.print(await describeRun());
  const text = await openNaturalText(folder, SEED);
  const vectors = openStandInVectors(SEED);
  const all: Measured[] = [];
  try {
    for (const checkout of wanted.folders) all.push(await start(serverUrl, checkout));
    const chunksOfTurn = wanted.requests * wanted.chunks;
    for (let turn = 0; turn <= wanted.turns; turn += 1) {
      const bodies = turnBodies(wanted, turn, text, vectors);
      // Each is the first in half of the turns.
      const order = turn % 2 === 0 ? all : all.toReversed();
      for (const measured of order) {
        await runTurn(measured, bodies, chunksOfTurn);
        if (turn === 0) for (const list of [measured.rates, measured.apiMs, measured.databaseMs]) list.pop();
      }
    }
    await reportRates(all, report);
    await reportBytes(all, chunksOfTurn * (wanted.turns + 1), report);
  } finally {
    for (const measured of all) await stop(measured);
  }
}

try {
  const wanted = readCommandLine();
  if (wanted === null) process.stdout.write(`${HELP}\n`);
  else await measure(wanted);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
