import pg from 'pg';
import { API_TOKEN } from '../../test/support/needs/process.ts';
import { LANGUAGES, type Language } from '../../test/support/retrieval-set.ts';
import { ROOT } from '../../test/support/root.ts';
import { openStandInVectors } from '../../test/support/stand-in-vectors.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import { type Api, startApi } from '../support/child.ts';
import { keepConnection, requestBytes } from '../support/connection.ts';
import { startCpuTimer } from '../support/cpu.ts';
import { withServerDatabase } from '../support/databases.ts';
import { type NaturalText, openNaturalText } from '../support/natural-text.ts';
import { median, type Report } from '../support/report.ts';
import { inTurns, sendAll } from '../support/rounds.ts';
import { CLAIM, openSearcher, vectorIn } from '../support/searches.ts';

const CONNECTIONS = 4;
const SEED = 81;
const HEADERS = { authorization: `Bearer ${API_TOKEN}` };
/** The tables that have rows for each chunk. */
const TABLES = ['chunk', 'chunk_keyword', 'chunk_embedding'];

/** A checkout that is measured, with an API process and a database of its own. */
interface Measured {
  folder: string;
  api: Api;
  client: pg.Client;
}

/** The bytes of the tables of chunks after a vacuum, by table, with its toast table and each of its indexes. */
async function bytesByRelation(client: pg.Client): Promise<Map<string, number>> {
  for (const table of TABLES) await client.query(`vacuum analyze memory.${table}`);
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `with tables as (
       select c.oid, c.relname, c.reltoastrelid from pg_class c
        where c.relnamespace = 'memory'::regnamespace and c.relname = any ($1)
     ), relations as (
       select relname::text as name, oid, relname, 0 as part from tables
       union all
       select relname || ' toast', reltoastrelid, relname, 1 from tables where reltoastrelid <> 0
       union all
       select i.indexrelid::regclass::text, i.indexrelid, t.relname, 2
         from tables t join pg_index i on i.indrelid in (t.oid, t.reltoastrelid)
     )
     select name, pg_table_size(oid) as bytes from relations order by relname, part, name`,
    [TABLES],
  );
  return new Map(
    rows.map(({ name, bytes }) => [
      name.replace(/_\d+_index$/, ' index').replace(/^(memory|pg_toast)\./, '  '),
      Number(bytes),
    ]),
  );
}

/** A text of the given length, in one language. */
function textOf(text: NaturalText, language: Language, characters: number): string {
  let made = text.chunk(language);
  while (made.length < characters) made += ` ${text.chunk(language)}`;
  return made.slice(0, characters);
}

async function reportBytes(all: readonly Measured[], chunks: number, report: Report): Promise<void> {
  const sizes: Map<string, number>[] = [];
  for (const { client } of all) sizes.push(await bytesByRelation(client));
  report.print();
  report.row(
    'bytes a passage',
    all.map(({ folder }) => folder.slice(-11)),
  );
  const row = (name: string, bytesOf: (size: Map<string, number>) => number) =>
    report.row(
      name,
      sizes.map((size) => bytesOf(size) / chunks),
      '',
      0,
    );
  for (const name of new Set(sizes.flatMap((size) => [...size.keys()])))
    row(name, (size) => size.get(name) ?? 0);
  row('all', (size) => [...size.values()].reduce((sum, bytes) => sum + bytes, 0));
}

await runBench(
  {
    name: 'bench:rate',
    about: `How many passages a second an ingest over HTTP stores, what that costs the CPU, and what a passage takes on disk. With
--beside, another checkout is measured in the same run, in turns, with the same requests. A checkout that takes no base64 is
sent numbers.`,
    options: {
      beside: ['', 'the folder of another checkout, with its packages installed'],
      characters: [800, 'of each passage'],
      languages: [LANGUAGES, 'of the passages'],
      turns: [5, 'turns that are measured; one more warms up'],
      requests: [12, 'of each turn, with --chunks passages each'],
      chunks: [250, 'of each request'],
    },
    needs: ['texts', 'server', 'linux'],
  },
  async ({ beside, characters, languages, turns, requests, chunks }, report) => {
    const text = await openNaturalText(textsFolder(), SEED);
    const vectors = openStandInVectors(SEED);
    const measure = async (all: readonly Measured[]) => {
      let made = 0;
      const chunk = () => ({
        text: textOf(text, languages[made++ % languages.length] as Language, characters),
        embedding: vectors.vector(),
      });
      // Every checkout gets the same, with vectors in the form that it takes.
      const bodies = Array.from({ length: turns + 1 }, () =>
        Array.from({ length: requests }, () => Array.from({ length: chunks }, chunk)),
      );
      const opened = await Promise.all(
        all.map(async ({ api, client }) => ({
          client,
          ...(await openSearcher(api, HEADERS)),
          connections: await Promise.all(Array.from({ length: CONNECTIONS }, () => keepConnection(api.url))),
        })),
      );
      const measured = await inTurns(opened, { rounds: turns }, async (one, turn) => {
        const { rows } = await one.client.query<{ pid: number }>(
          'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
        const sent = bodies.at(turn)!.map((some, n) =>
          requestBytes(one.api.url, '/v1/memory/ingest', HEADERS, {
            title: `Text ${turn}.${n}`,
            chunks: some.map(({ text: of, embedding }) => ({
              text: of,
              embedding: vectorIn(one.form, embedding),
            })),
            ...CLAIM,
          }),
        );
        const timers = [[one.api.child.pid], rows.map(({ pid }) => pid)].map(startCpuTimer);
        const ms = await sendAll(one.connections, sent, (connection, request) => connection.send(request));
        const stored = requests * chunks;
        return [(stored * 1000) / ms, ...timers.map((timer) => timer() / stored)];
      });
      report.row('', ['chunks/s', 'API ms', 'database ms', 'CPU ms'], 'ms of the CPU a chunk');
      for (const [index, { folder }] of all.entries()) {
        const [rate = 0, api = 0, database = 0] = [0, 1, 2].map((figure) =>
          median(measured[index]!.map((figures) => figures[figure]!)),
        );
        report.row(folder.slice(-29), [rate.toFixed(0), api, database, api + database]);
      }
      const [one, other] = measured;
      const ratios = other?.map((figures, turn) => one![turn]![0]! / figures[0]!);
      if (ratios !== undefined) report.row('chunks/s, of the other', [median(ratios)]);
      await reportBytes(all, requests * chunks * (turns + 1), report);
      for (const { connections } of opened) for (const connection of connections) connection.close();
    };
    const open = async (folders: readonly string[], all: readonly Measured[]): Promise<void> => {
      const [folder, ...others] = folders;
      if (folder === undefined) return measure(all);
      await withServerDatabase(async (url) => {
        const api = await startApi(url, {}, folder);
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        try {
          await open(others, [...all, { folder, api, client }]);
        } finally {
          await api.child.end();
          await client.end();
        }
      });
    };
    await open([ROOT, ...(beside === '' ? [] : [beside])], []);
  },
);
