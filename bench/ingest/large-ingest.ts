import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, type SignedIn } from '../../test/support/app.ts';
import { Writer } from '../../test/support/generated-text.ts';
import {
  API_TOKEN,
  logLines,
  printedUrl,
  startMain,
  temporaryFolder,
} from '../../test/support/needs/process.ts';
import { askingAt, jsonOf, succeeded } from '../support/asking.ts';
import { runBench } from '../support/bench.ts';
import { backendsOf, memoryOf, startCpuTimer } from '../support/cpu.ts';
import { places, withDatabase } from '../support/databases.ts';
import { median, type Report, spread } from '../support/report.ts';
import { inTurns, timed } from '../support/rounds.ts';
import { CLAIM } from '../support/searches.ts';

const BEFORE_MS = 4000;
const MODES = ['off', 'flag', 'redact'] as const;
const TEXT_BYTES = 40_000;
/** The most CPU of an ingest that the search for credentials can add. */
const MAX_OF_OFF = 1.08;

const writer = new Writer(1);

/** Asks again and again, one request after the other, until told to stop; gives the times in ms. */
function askRepeatedly(ask: () => Promise<unknown>): () => Promise<number[]> {
  const times: number[] = [];
  let on = true;
  const asked = (async () => {
    while (on) {
      times.push(await timed(ask));
      await sleep(10);
    }
  })();
  return async () => {
    on = false;
    await asked;
    return times;
  };
}

/** What one ingest does to other requests and to memory. */
async function measureLarge(bytes: number, report: Report): Promise<void> {
  const databaseUrl = process.env['MEMORY_DATABASE_URL'] ?? '';
  const service = startMain('start.ts', {
    cwd: await temporaryFolder(),
    env: {
      MEMORY_DATABASE_URL: databaseUrl,
      MEMORY_API_PORT: '0',
      MEMORY_API_HOST: '127.0.0.1',
      MEMORY_RATE_LIMITS: 'off',
    },
  });
  const headers = { authorization: `Bearer ${API_TOKEN}` };
  const asking = askingAt(await printedUrl(service), { headers, sockets: 3 });
  const ingest = async (title: string, text: string) =>
    jsonOf<{ chunks: number }>(await asking.ask('POST', '/v1/memory/ingest', { title, text }));
  await ingest('Already there', writer.document(200_000));
  const query = {
    query: writer.words(0, 6).join(' '),
    queryEmbedding: [...writer.unitVector()],
    ...CLAIM,
    scope: {},
  };
  const others: [string, () => Promise<unknown>][] = [
    ['health', async () => succeeded(await asking.ask('GET', '/v1/health'))],
    ['search', async () => succeeded(await asking.ask('POST', '/v1/memory/search', query))],
  ];
  const during = async (work: () => Promise<unknown>) => {
    const stops = others.map(([, ask]) => askRepeatedly(ask));
    await work();
    return Promise.all(stops.map((stop) => stop()));
  };
  const text = writer.document(bytes);
  const quiet = await during(() => sleep(BEFORE_MS));
  let chunks = 0;
  let ms = 0;
  const busy = await during(async () => {
    ms = await timed(async () => ({ chunks } = await ingest('Large', text)));
  });
  const where = databaseUrl === '' ? 'the embedded database' : 'PostgreSQL';
  const seconds = (ms / 1000).toFixed(1);
  report.print(`${Buffer.byteLength(text)} bytes, ${chunks} passages in ${seconds} s on ${where}`);
  report.row('', ['requests', 'p50 ms', 'p95 ms', 'max ms']);
  for (const [when, all] of [
    ['before', quiet],
    ['during ingest', busy],
  ] as const) {
    for (const [index, [name]] of others.entries()) {
      const times = all[index]!;
      report.row(`${name} ${when}`, [String(times.length), ...spread(times), Math.max(...times)], '', 1);
    }
  }
  const pids = new Map(logLines(service).map((line) => [Number(line['pid']), String(line['name'])]));
  for (const [pid, name] of pids)
    report.print(`peak memory of ${name}: ${memoryOf(pid).peak.toFixed(0)} MiB`);
  asking.close();
  service.child.kill('SIGTERM');
  await service.exited;
}

/** What the search for credentials adds to the CPU time of ingests: the same work in each mode, text by text, in one process. */
async function measureRedaction(turns: number, texts: number, report: Report): Promise<void> {
  await withDatabase(places(true)[0]!, async ({ database, url }) => {
    const service = await buildTestApp(database, url, { MEMORY_REDACTION: 'off' });
    const companies: SignedIn[] = [];
    for (const redaction of MODES) {
      const company = await service.company();
      await company.api.changeSelectedTeam({ redaction });
      companies.push(company);
    }
    // The same text for each mode: half of them are so long that a thread cuts them, which costs more.
    const bodies = new Map<number, object>();
    const measured = await inTurns(
      companies,
      { rounds: turns * texts, warmUp: texts },
      async (company, nth) => {
        if (!bodies.has(nth)) {
          bodies.clear();
          bodies.set(nth, { title: 'A text', text: writer.document(TEXT_BYTES) });
        }
        const cpu = startCpuTimer([process.pid, ...(await backendsOf(database))]);
        await company.api.ingestSource(bodies.get(nth) as { title: string; text: string });
        return cpu();
      },
    );
    const byTurn = measured.map((all) =>
      Array.from(
        { length: turns },
        (_, turn) => all.slice(turn * texts, (turn + 1) * texts).reduce((sum, ms) => sum + ms, 0) / texts,
      ),
    );
    const where = url === undefined ? 'the embedded database' : 'PostgreSQL';
    report.print(
      `CPU of an ingest of ${TEXT_BYTES} bytes on ${where}, median of ${turns} turns of ${texts}, by mode of redaction`,
    );
    report.row('', ['ms', 'of off']);
    for (const [index, mode] of MODES.entries()) {
      const ratio = median(byTurn[index]!.map((ms, turn) => ms / byTurn[0]![turn]!));
      const held = report.hold(`${mode}, of off`, ratio, mode === 'off' ? null : MAX_OF_OFF);
      report.row(mode, [median(byTurn[index]!), ratio], held, 3);
    }
    await service.app.close();
    await service.queue.stop();
  });
}

await runBench(
  {
    name: 'bench:ingest',
    about: `What one large ingest does to other requests and to memory. On the embedded database, or on the one that
MEMORY_DATABASE_URL names, into which it writes.`,
    options: {
      megabytes: [31, 'of the text'],
      redaction: [false, 'only what the search for credentials costs, in turns of 30 texts'],
      turns: [5, 'turns of --redaction'],
      texts: [30, 'texts of each'],
    },
    needs: ['linux'],
  },
  async ({ megabytes, redaction, turns, texts }, report) => {
    if (redaction) return measureRedaction(turns, texts, report);
    await measureLarge(megabytes * 2 ** 20, report);
  },
);
