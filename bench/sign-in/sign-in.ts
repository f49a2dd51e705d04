import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { percentile, seededRandom, Writer } from '../../test/support/generated-text.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import {
  type Announcement,
  KINDS,
  type Kind,
  type LoadOrder,
  type LoadReport,
  loginRequest,
  PASSWORD,
} from './shapes.ts';

/**
 * `npm run bench:login`: whether refused sign-ins can be told apart by their time, and what 200 sign-ins at once
 * do to a search. On the embedded database and, where MEMORY_TEST_DATABASE_URL names a server, in a database of
 * its own on PostgreSQL. Ends with exit code 1 when either is more than is allowed.
 */
const TRIES_A_KIND = 200;
/** By how much the median of one kind may be above that of another. */
const ALLOWED_DIFFERENCE = 0.05;
const LOGINS_AT_ONCE = 200;
const SEARCHES = 200;
/** By how much a search may take longer while others sign in: as many times, this is too much. */
const TOO_SLOW = 3;

const faults: string[] = [];
const random = seededRandom(Date.now());

function start(file: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const { PATH, HOME } = process.env;
  return fork(join(import.meta.dirname, file), { env: { PATH, HOME, ...env } });
}

/** What a child says next. */
async function said<T>(child: ChildProcess): Promise<T> {
  const exit = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of the bench ended with ${String(code)}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), exit])) as [T];
  exit.catch(() => undefined);
  return message;
}

async function hangUp(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  if (child.connected) child.disconnect();
  await gone;
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

async function timed(expected: number, ask: () => Promise<Response>): Promise<number> {
  const began = performance.now();
  const answer = await ask();
  const body = await answer.text();
  const took = performance.now() - began;
  if (answer.status !== expected) throw new Error(`${answer.status} instead of ${expected}: ${body}`);
  return took;
}

const ms = (value: number) => value.toFixed(2).padStart(10);

/** Refused sign-ins of every kind, one after the other in random order. */
async function compareRefusals({ url, emails }: Announcement): Promise<string[]> {
  const times = Object.fromEntries(KINDS.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;
  const tries = KINDS.flatMap((kind, family) =>
    Array.from({ length: TRIES_A_KIND }, (_, index) => {
      const place = index % emails[kind].length;
      return { kind, email: emails[kind][place] ?? '', from: `172.16.${family}.${place}` };
    }),
  );
  for (const { kind, email, from } of shuffled(tries)) {
    const { url: to, ...rest } = loginRequest(
      url,
      from,
      email,
      kind === 'wrong password' ? 'not it' : PASSWORD,
    );
    times[kind].push(await timed(401, () => fetch(to, { method: 'POST', ...rest })));
  }
  const medians = KINDS.map((kind) => percentile(times[kind], 0.5));
  const ratio = Math.max(...medians) / Math.min(...medians);
  if (ratio > 1 + ALLOWED_DIFFERENCE) faults.push(`refused sign-ins differ by ${ratio.toFixed(3)}`);
  return [
    `${'refused sign-ins'.padEnd(24)}${'p50 ms'.padStart(10)}${'p95 ms'.padStart(10)}`,
    ...KINDS.map((kind, index) => {
      return `${kind.padEnd(24)}${ms(medians[index] ?? Number.NaN)}${ms(percentile(times[kind], 0.95))}`;
    }),
    `largest median over smallest: ${ratio.toFixed(3)}`,
  ];
}

/** Searches, one after the other, and how long each took. */
async function search({ url, headers }: Announcement, writer: Writer): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < SEARCHES; round += 1) {
    const body = JSON.stringify({
      query: `${writer.words(0, 9).join(' ')}?`,
      queryEmbedding: [...writer.unitVector()],
      embeddingModel: 'Xenova/bge-m3',
      embeddingDim: 1024,
      scope: {},
    });
    const ask = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    };
    times.push(await timed(200, () => fetch(`${url}/v1/memory/search`, ask)));
  }
  return times;
}

/** A search alone, and the same while 200 sign in at once, without a gap in which none does. */
async function searchDuringLogins(service: Announcement): Promise<string[]> {
  const writer = new Writer(11);
  await search(service, writer);
  const alone = await search(service, writer);
  const load = start('load.ts');
  try {
    const order: LoadOrder = {
      url: service.url,
      emails: service.emails['wrong password'],
      atOnce: LOGINS_AT_ONCE,
    };
    load.send(order);
    await said(load);
    const during = await search(service, writer);
    load.send('enough');
    const report = await said<LoadReport>(load);
    return describeSearch(alone, during, report);
  } finally {
    await hangUp(load);
  }
}

function describeSearch(
  alone: number[],
  during: number[],
  { rounds, statuses, times }: LoadReport,
): string[] {
  const lines = [`${'search'.padEnd(24)}${'alone ms'.padStart(10)}${'during ms'.padStart(10)}   times`];
  for (const [name, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const) {
    const [before, beside] = [percentile(alone, share), percentile(during, share)];
    const ratio = beside / before;
    if (ratio >= TOO_SLOW) faults.push(`a search takes ${ratio.toFixed(1)} times as long at ${name}`);
    lines.push(`${name.padEnd(24)}${ms(before)}${ms(beside)}${ratio.toFixed(2).padStart(8)}`);
  }
  const others = Object.keys(statuses).filter((status) => status !== '200' && status !== '503');
  if (others.length > 0) faults.push(`sign-ins were answered ${others.join(', ')}`);
  const answered = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`);
  lines.push(
    `sign-ins during the search, ${LOGINS_AT_ONCE} at once, ${rounds} times: ${answered.join(', ')}; let in after p50 ${ms(percentile(times, 0.5)).trim()} ms, p95 ${ms(percentile(times, 0.95)).trim()} ms`,
  );
  return lines;
}

async function measure(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  const service = start('service.ts', env);
  try {
    const announced = await said<Announcement>(service);
    const lines = [...(await compareRefusals(announced)), ...(await searchDuringLogins(announced))];
    process.stdout.write(`${[name, ...lines].join('\n')}\n\n`);
  } finally {
    await hangUp(service);
  }
}

await measure('the embedded database', {});
const server = process.env['MEMORY_TEST_DATABASE_URL'];
if (server === undefined || server === '') {
  process.stdout.write('MEMORY_TEST_DATABASE_URL is not set: PostgreSQL was not measured\n');
} else {
  const own = await createEmptyDatabase(server);
  try {
    await measure('PostgreSQL', { MEMORY_DATABASE_URL: own.url });
  } finally {
    await own.drop();
  }
}
for (const fault of faults) process.stderr.write(`too much: ${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
