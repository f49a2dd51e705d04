import { ROOT } from '../../test/support/root.ts';
import { runBench } from '../support/bench.ts';
import { CASES, type Case } from './cases.ts';
import { type MeasuredService, type Stall, startMeasured } from './service.ts';

const MIB = 1024 * 1024;
/** The longest step of the event loop, on two quiet cores. */
const MAX_STEP_MS = 150;

/** The sizes of a case's bodies in bytes: at most the limit of its route, and each once. */
function sizesOf({ limit }: Case, sizes: readonly number[]): number[] {
  return [...new Set(sizes.map((size) => Math.min(size * MIB, limit)))];
}

const figures = ({ seconds, longestMs, longestCpuMs, longestWaitMs }: Stall) => [
  seconds.toFixed(1),
  ...[longestMs, longestCpuMs, longestWaitMs].map((ms) => ms.toFixed(0)),
];

await runBench(
  {
    name: 'bench:stalls',
    about: `What the worst bodies do to other requests: for the large fields of each route that takes large bodies, the longest step of the
event loop and the longest wait of GET /livez, which a thread of the bench asks all the time. At most ${MAX_STEP_MS} ms on two quiet
cores. The columns "step" and "cpu" are the longest time and the longest processor time between two turns of the event loop.
The service runs on the embedded database, or on the PostgreSQL of MEMORY_TEST_DATABASE_URL.`,
    options: {
      sizes: [[1, 8, 32], 'of the bodies in MiB, up to the limit of the route'],
      only: ['', 'only cases whose path or name contains one of these, separated by commas'],
      limit: [10, 'seconds after which a request without an answer is aborted'],
      before: ['', 'the folder of another checkout, to which each body is sent in turns with this one'],
      cpu: [false, 'the verdict is on the processor time of a step: for a machine that others use, too'],
    },
  },
  async ({ sizes, only, limit, before, cpu }, report) => {
    const services: MeasuredService[] = [];
    report.width = 66;
    try {
      const server = process.env['MEMORY_TEST_DATABASE_URL'] || undefined;
      services.push(await startMeasured('now', ROOT, server));
      if (before !== '') services.push(await startMeasured('before', before, server));
      report.row(
        server === undefined ? 'ms, embedded' : 'ms, PostgreSQL',
        services.flatMap(({ name }) => [`${name} s`, 'step', 'cpu', 'livez']),
      );
      for (const one of CASES) {
        if (!only.split(',').some((part) => `${one.path} ${one.name}`.includes(part))) continue;
        for (const bytes of sizesOf(one, sizes)) {
          const body = one.body(bytes);
          const stalls: Stall[] = [];
          for (const service of services) stalls.push(await service.send(one.path, body, limit));
          const name = `${one.path.replace('/v1/', '')} ${one.name}, ${(body.length / MIB).toFixed(1)} MiB`;
          const statuses = [...new Set(stalls.map(({ status }) => status))].join(' / ');
          report.row(name, stalls.flatMap(figures), statuses);
          const { longestCpuMs, longestMs, longestWaitMs } = stalls[0]!;
          report.hold(name, cpu ? longestCpuMs : Math.max(longestMs, longestWaitMs), MAX_STEP_MS);
        }
      }
    } finally {
      for (const service of services) await service.close();
    }
  },
);
