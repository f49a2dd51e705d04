import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { buildTestApp, type SignedIn } from '../../test/support/app.ts';
import type { Writer } from '../../test/support/generated-text.ts';
import { databaseUrl, openPrepared, prepareDatabase } from '../../test/support/needs/database.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { startCpuTimer } from '../support/cpu.ts';
import { median } from '../support/report.ts';

const MODES = ['off', 'flag', 'redact'] as const;
type Mode = (typeof MODES)[number];

const TURNS = 5;
const TEXTS_PER_TURN = 30;
const TEXT_BYTES = 40_000;
/** The most CPU of an ingest that the search for credentials can add, in percent. */
const TARGET_PERCENT = 8;

/** The CPU milliseconds of this process, which is the API, and of the database's processes that serve it. */
async function cpuOf(
  service: Awaited<ReturnType<typeof openService>>,
  work: () => Promise<void>,
): Promise<number> {
  const backends = databaseUrl === undefined ? [] : await service.backends();
  const ofDatabase = startCpuTimer(backends);
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 + ofDatabase();
}

async function openService() {
  const env = { MEMORY_REDACTION: 'off' };
  if (databaseUrl === undefined) {
    return { ...(await buildTestApp(await openPrepared(), undefined, env)), backends: async () => [] };
  }
  const own = await createEmptyDatabase(databaseUrl);
  const database = openPostgres(own.url, createLogger('fatal', 'bench'));
  await prepareDatabase(database);
  const service = await buildTestApp(database, own.url, env);
  const backends = async () => {
    const rows = await database.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database()',
    );
    return rows.map(({ pid }) => pid);
  };
  const close = async () => {
    await service.close();
    await own.drop();
  };
  return { ...service, backends, close };
}

/**
 * What the search for credentials adds to the CPU time of ingests: the same work in each mode, text by text, in one process.
 * @returns the lines to print, and whether each mode is within the target
 */
export async function compareRedaction(writer: Writer): Promise<{ lines: string[]; isWithin: boolean }> {
  const service = await openService();
  const companies = new Map<Mode, SignedIn>();
  for (const mode of MODES) {
    const company = await service.company();
    await company.ask.changeSelectedTeam({ redaction: mode });
    companies.set(mode, company);
  }
  const times: Record<Mode, number[]> = { off: [], flag: [], redact: [] };
  for (let turn = 0; turn <= TURNS; turn++) {
    const used: Record<Mode, number[]> = { off: [], flag: [], redact: [] };
    for (let n = 0; n < TEXTS_PER_TURN; n++) {
      // The same text for each mode: half of them are so long that a thread cuts them, which costs more.
      const body = { title: 'A text', text: writer.document(TEXT_BYTES) };
      const first = n % MODES.length;
      for (const mode of [...MODES.slice(first), ...MODES.slice(0, first)]) {
        const company = companies.get(mode) as SignedIn;
        const ms = await cpuOf(service, async () => {
          const answer = await company.ask.ingestSource(body);
          if (answer.statusCode !== 201) throw new Error(answer.body);
        });
        used[mode].push(ms);
      }
    }
    // The first turn warms up.
    if (turn > 0)
      for (const mode of MODES)
        times[mode].push(used[mode].reduce((sum, ms) => sum + ms, 0) / TEXTS_PER_TURN);
  }
  await service.close();
  const rows = MODES.map((mode) => ({
    mode,
    ms: median(times[mode]),
    percent: (median(times[mode].map((ms, turn) => ms / (times.off[turn] ?? Number.NaN))) - 1) * 100,
  }));
  const lines = rows.map(
    ({ mode, ms, percent }) =>
      `${mode.padEnd(10)}${ms.toFixed(1).padStart(10)} ms${(mode === 'off' ? '' : `${percent.toFixed(1)} %`).padStart(10)}`,
  );
  const where = databaseUrl === undefined ? 'the embedded database' : 'PostgreSQL';
  const what = `CPU of an ingest of ${TEXT_BYTES} bytes on ${where}, median of ${TURNS} turns of ${TEXTS_PER_TURN}, by mode of redaction (target: at most ${TARGET_PERCENT} %)`;
  return { lines: [what, ...lines], isWithin: rows.every(({ percent }) => percent <= TARGET_PERCENT) };
}
