import { parseArgs } from 'node:util';
import { endProcesses } from '../../test/support/needs/process.ts';
import { ROOT } from '../../test/support/root.ts';
import { describeRun } from '../search/report.ts';
import { CASES, type Case } from './cases.ts';
import { type MeasuredService, type Stall, startMeasured } from './service.ts';

const MIB = 1024 * 1024;
const MAX_STEP_MS = 150;
const SIZES = [1, 8, 32];
const HELP = `What the worst bodies do to other requests: for each field of each route that takes large bodies, the
longest step of the event loop and the longest wait of GET /livez, which a thread of the bench asks all the time.
At most ${MAX_STEP_MS} ms on two quiet cores; the exit code is 1 if a step takes longer.

Usage: npm run bench:stalls -- [options]

  --sizes 1,8,32       sizes of the bodies in MiB, up to the limit of the route; without it: ${SIZES.join(', ')}
  --only TEXT          only cases whose path or name contains this; can be repeated
  --limit 10           seconds after which a request without an answer is aborted; without it: 10
  --before FOLDER      another checkout, to which each body is sent in turns with this one
  --cpu                the verdict is on the processor time of a step: for a machine that others use, too

The columns "step" and "cpu" are the longest time and the longest processor time between two turns of the event loop.
The service runs on the embedded database, or on the PostgreSQL of MEMORY_TEST_DATABASE_URL.`;

function row(name: string, figures: readonly string[]): string {
  return `${name.padEnd(66)}${figures.map((figure) => figure.padStart(9)).join('')}`;
}

function figures({ seconds, longestMs, longestCpuMs, longestWaitMs }: Stall): string[] {
  return [seconds.toFixed(1), ...[longestMs, longestCpuMs, longestWaitMs].map((ms) => ms.toFixed(0))];
}

/** The sizes of a case's bodies in bytes: at most the limit of its route, and each once. */
function sizesOf({ limit }: Case, sizes: readonly number[]): number[] {
  return [...new Set(sizes.map((size) => Math.min(size * MIB, limit)))];
}

interface Options {
  sizes: readonly number[];
  only: readonly string[];
  limit: number;
  isCpu: boolean;
}

/** Sends each body to each service. Returns the cases in which the first service does not hold the bound. */
async function measure(
  services: readonly MeasuredService[],
  { sizes, only, limit, isCpu }: Options,
): Promise<string[]> {
  const exceeded: string[] = [];
  const heads = services.flatMap(({ name }) => [`${name} s`, 'step', 'cpu', 'livez']);
  process.stdout.write(`${row('ms', heads)}\n`);
  const chosen = CASES.filter(
    ({ path, name }) => only.length === 0 || only.some((part) => `${path} ${name}`.includes(part)),
  );
  for (const one of chosen) {
    for (const bytes of sizesOf(one, sizes)) {
      const body = one.body(bytes);
      const stalls: Stall[] = [];
      for (const service of services) stalls.push(await service.send(one.path, body, limit));
      const name = `${one.path.replace('/v1/', '')} ${one.name}, ${(body.length / MIB).toFixed(1)} MiB`;
      const statuses = [...new Set(stalls.map(({ status }) => status))].join(' / ');
      process.stdout.write(`${row(name, stalls.flatMap(figures))}  ${statuses}\n`);
      const [now] = stalls;
      const longest = isCpu
        ? (now?.longestCpuMs ?? 0)
        : Math.max(now?.longestMs ?? 0, now?.longestWaitMs ?? 0);
      if (longest > MAX_STEP_MS) exceeded.push(`${name}: ${longest.toFixed(0)} ms`);
    }
  }
  return exceeded;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: SIZES.join(',') },
      only: { type: 'string', multiple: true, default: [] },
      limit: { type: 'string', default: '10' },
      before: { type: 'string' },
      cpu: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const sizes = values.sizes.split(',').map(Number);
  const limit = Number(values.limit);
  if (![...sizes, limit].every((number) => number > 0)) throw new Error('expected numbers (see --help)');
  const server = process.env['MEMORY_TEST_DATABASE_URL'] || undefined;
  process.stdout.write(`${await describeRun()}, ${server === undefined ? 'embedded' : 'PostgreSQL'}\n`);
  const services: MeasuredService[] = [];
  try {
    services.push(await startMeasured('now', ROOT, server));
    if (values.before !== undefined) services.push(await startMeasured('before', values.before, server));
    const exceeded = await measure(services, { sizes, only: values.only, limit, isCpu: values.cpu });
    process.stdout.write(
      `${exceeded.length} above ${MAX_STEP_MS} ms${exceeded.map((one) => `\n  ${one}`).join('')}\n`,
    );
    if (exceeded.length > 0) process.exitCode = 1;
  } finally {
    for (const service of services) await service.close();
    await endProcesses();
  }
}

// The services have process groups of their own, which a signal to this process does not reach.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void endProcesses().finally(() => process.exit(1)));
}
try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
