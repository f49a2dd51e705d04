import { API_TOKEN } from '../../test/support/needs/process.ts';
import { LANGUAGES, type Language } from '../../test/support/retrieval-set.ts';
import { openStandInVectors } from '../../test/support/stand-in-vectors.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import { type Checkout, withCheckouts } from '../support/checkout.ts';
import { keepConnection, requestBytes } from '../support/connection.ts';
import { backendsOf, startCpuTimer } from '../support/cpu.ts';
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

/** The bytes of the tables of chunks after a vacuum, by table, with its toast table and each of its indexes. */
async function bytesByRelation(checkout: Checkout): Promise<Map<string, number>> {
  for (const table of TABLES) await checkout.maintain(`vacuum analyze memory.${table}`);
  const rows = await checkout.database.query<{ name: string; bytes: string }>(
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

async function reportBytes(all: readonly Checkout[], chunks: number, report: Report): Promise<void> {
  const sizes: Map<string, number>[] = [];
  for (const checkout of all) sizes.push(await bytesByRelation(checkout));
  report.print();
  report.row(
    'bytes a passage',
    all.map(({ name }) => name),
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
    const folder = textsFolder();
    const text = await openNaturalText(folder, SEED);
    const vectors = openStandInVectors(SEED);
    const measure = async (all: readonly Checkout[]) => {
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
        all.map(async (checkout) => {
          const searcher = await openSearcher(await checkout.startApi(), HEADERS);
          const connect = () => keepConnection(searcher.api.url);
          const connections = await Promise.all(Array.from({ length: CONNECTIONS }, connect));
          return { searcher, database: checkout.database, connections };
        }),
      );
      const measured = await inTurns(opened, { rounds: turns }, async (one, turn) => {
        const pids = await backendsOf(one.database);
        const sent = bodies.at(turn)!.map((some, n) =>
          requestBytes(one.searcher.api.url, '/v1/memory/ingest', HEADERS, {
            title: `Text ${turn}.${n}`,
            chunks: some.map(({ text: of, embedding }) => ({
              text: of,
              embedding: vectorIn(one.searcher.form, embedding),
            })),
            ...CLAIM,
          }),
        );
        const timers = [[one.searcher.api.child.pid], pids].map(startCpuTimer);
        const ms = await sendAll(one.connections, sent, (connection, request) => connection.send(request));
        const stored = requests * chunks;
        return [(stored * 1000) / ms, ...timers.map((timer) => timer() / stored)];
      });
      report.row('', ['chunks/s', 'API ms', 'database ms', 'CPU ms'], 'ms of the CPU a chunk');
      for (const [index, { name }] of all.entries()) {
        const [rate = 0, api = 0, database = 0] = [0, 1, 2].map((figure) =>
          median(measured[index]!.map((figures) => figures[figure]!)),
        );
        report.row(name, [rate.toFixed(0), api, database, api + database]);
      }
      const [now, before] = measured.toReversed();
      const ratios = before?.map((figures, turn) => now![turn]![0]! / figures[0]!);
      if (ratios !== undefined) report.row('chunks/s, now of before', [median(ratios)]);
      await reportBytes(all, requests * chunks * (turns + 1), report);
      for (const { connections, searcher } of opened) {
        for (const connection of connections) connection.close();
        await searcher.close();
      }
    };
    await withCheckouts(beside, folder, (use) => withServerDatabase((url) => use({ url })), measure);
  },
);
