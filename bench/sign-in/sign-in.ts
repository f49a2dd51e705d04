import { percentile, seededRandom, Writer } from '../../test/support/generated-text.ts';
import { askingAt, succeeded } from '../support/asking.ts';
import { runBench } from '../support/bench.ts';
import { startChild } from '../support/child.ts';
import { places, withServerDatabase } from '../support/databases.ts';
import { median, type Report, spread } from '../support/report.ts';
import { CLAIM } from '../support/searches.ts';
import { type Announcement, KINDS, PASSWORD } from './service.ts';

/** By how much the median of one kind may be above that of another. */
const ALLOWED_DIFFERENCE = 1.05;
const LOGINS_AT_ONCE = 200;
/** By how much a search may take longer while others sign in: as many times, this is too much. */
const TOO_SLOW = 3;
const random = seededRandom(Date.now());

let sent = 0;
/** Sign-ins come from addresses that do not repeat within a minute, so that no limit is reached. */
function nextAddress(): string {
  sent = (sent + 1) % 2 ** 24;
  return ['10', sent >> 16, (sent >> 8) & 255, sent & 255].join('.');
}

/** Refused sign-ins of every kind, one after the other in random order. */
async function compareRefusals({ url, emails }: Announcement, rounds: number, report: Report): Promise<void> {
  const asking = askingAt(url);
  const times = new Map(KINDS.map((kind) => [kind, [] as number[]]));
  const tries = KINDS.flatMap((kind, family) =>
    Array.from({ length: rounds }, (_, index) => {
      const place = index % emails[kind].length;
      return { kind, email: emails[kind][place], from: `172.16.${family}.${place}`, order: random() };
    }),
  );
  for (const { kind, email, from } of tries.toSorted((one, other) => one.order - other.order)) {
    const body = { email, password: kind.startsWith('wrong password') ? 'not it' : PASSWORD };
    const { status, ms } = await asking.ask('POST', '/v1/auth/login', body, { 'x-forwarded-for': from });
    if (status !== 401) throw new Error(`${status} instead of 401`);
    times.get(kind)?.push(ms);
  }
  asking.close();
  report.row('refused sign-ins', ['p50 ms', 'p95 ms']);
  for (const [kind, of] of times) report.row(kind, spread(of));
  const medians = [...times.values()].map(median);
  const ratio = Math.max(...medians) / Math.min(...medians);
  const held = report.hold('refused sign-ins, largest median of smallest', ratio, ALLOWED_DIFFERENCE);
  report.row('largest median of smallest', [ratio], held, 3);
}

/** A search alone, and the same while 200 sign in at once, without a gap in which none does. */
async function searchDuringLogins(
  { url, headers, emails }: Announcement,
  rounds: number,
  report: Report,
): Promise<void> {
  const writer = new Writer(11);
  const asking = askingAt(url, { headers });
  const search = async () => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const query = `${writer.words(0, 9).join(' ')}?`;
      const body = { query, queryEmbedding: [...writer.unitVector()], ...CLAIM, scope: {} };
      times.push(succeeded(await asking.ask('POST', '/v1/memory/search', body)).ms);
    }
    return times;
  };
  await search();
  const alone = await search();
  const load = startLoad(url, emails['wrong password']);
  await load.begun;
  const during = await search();
  const answers = await load.stop();
  asking.close();
  report.row('search', ['alone ms', 'during ms', 'times']);
  for (const [name, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const) {
    const [before, beside] = [percentile(alone, share), percentile(during, share)];
    const held = report.hold(`a search during sign-ins, ${name}`, beside / before, TOO_SLOW);
    report.row(name, [before, beside, beside / before], held);
  }
  const counts = Map.groupBy(answers, ({ status }) => status);
  const others = [...counts.keys()].filter((status) => status !== 200 && status !== 503);
  if (others.length > 0) report.faults.push(`sign-ins were answered ${others.join(', ')}`);
  const [p50, p95] = spread((counts.get(200) ?? []).map(({ ms }) => ms));
  const shown = [...counts].map(([status, all]) => `${all.length} x ${status}`).join(', ');
  report.print(
    `sign-ins during the search: ${shown}; let in after p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`,
  );
}

/** Signs in with the right password, all at once, and as many again when the last is answered. */
function startLoad(url: string, emails: readonly string[]) {
  const asking = askingAt(url, { sockets: LOGINS_AT_ONCE });
  const answers: { status: number; ms: number }[] = [];
  let on = true;
  const round = () =>
    Promise.all(
      Array.from({ length: LOGINS_AT_ONCE }, async (_, index) => {
        const body = { email: emails[index % emails.length], password: PASSWORD };
        const from = { 'x-forwarded-for': nextAddress() };
        answers.push(await asking.ask('POST', '/v1/auth/login', body, from));
      }),
    );
  const begun = round();
  const done = begun.then(async () => {
    while (on) await round();
  });
  return {
    begun,
    stop: async () => {
      on = false;
      await done;
      asking.close();
      return answers;
    },
  };
}

await runBench(
  {
    name: 'bench:login',
    about: `Whether refused sign-ins can be told apart by their time, and what ${LOGINS_AT_ONCE} sign-ins at once do to a search.`,
    options: { rounds: [200, 'refused sign-ins of each kind, and searches'] },
    needs: ['both'],
  },
  async ({ rounds }, report) => {
    const measure = async (name: string, env: Record<string, string>) => {
      const service = startChild('bench/sign-in/service.ts', env);
      const announced = await service.hear<Announcement>();
      report.print(`\n${name}`);
      await compareRefusals(announced, rounds, report);
      await searchDuringLogins(announced, rounds, report);
      await service.end();
    };
    for (const place of places()) {
      if (place === 'embedded') await measure('the embedded database', {});
      else await withServerDatabase((url) => measure('PostgreSQL', { MEMORY_DATABASE_URL: url }));
    }
  },
);
