import { endServers } from '../../test/cluster/servers/debian.ts';
import { endProcesses } from '../../test/support/needs/process.ts';
import { runBench } from '../support/bench.ts';
import type { Fault, Measured } from './measure.ts';
import { poolerFaults } from './pooler-faults.ts';
import { primaryFaults } from './primary-faults.ts';
import { processFaults } from './process-faults.ts';

const FAULTS: readonly Fault[] = [...poolerFaults, ...processFaults, ...primaryFaults];
const FAILOVER_MS = 5000;

const isSame = (figures: readonly (number | string)[]) => new Set(figures).size === 1;

/** The lowest and the highest of some figures. */
function range(figures: readonly number[], digits = 0): string {
  const texts = figures.toSorted((a, b) => a - b).map((figure) => figure.toFixed(digits));
  return isSame(texts) ? `${texts[0]}` : `${texts[0]}–${texts.at(-1)}`;
}

const seconds = (times: readonly number[]) =>
  times.length === 0
    ? '–'
    : `${range(
        times.map((ms) => ms / 1000),
        1,
      )} s`;

/** How many requests failed, by status. */
function failures(rounds: readonly Measured[]): string {
  const sums = rounds.map(({ failed }) => [...failed.values()].reduce((sum, count) => sum + count, 0));
  const outcomes = [...new Set(rounds.flatMap(({ failed }) => [...failed.keys()]))].sort();
  const counts = outcomes.map(
    (outcome) => `${range(rounds.map(({ failed }) => failed.get(outcome) ?? 0))} × ${outcome}`,
  );
  const of = `${range(sums)} of ${range(rounds.map(({ requests }) => requests))}`;
  return counts.length === 0 ? of : `${of}: ${counts.join(', ')}`;
}

function rowOf({ title }: Fault, rounds: readonly Measured[]): string {
  const late = rounds.flatMap(({ lastFailureMs }) => lastFailureMs ?? []);
  const slow = rounds.flatMap(({ slowestFailureMs }) => (slowestFailureMs > 0 ? [slowestFailureMs] : []));
  const cells = [
    title,
    seconds(rounds.map(({ faultMs }) => faultMs)),
    failures(rounds),
    seconds(slow),
    seconds(rounds.map(({ firstWriteMs }) => firstWriteMs)),
    seconds(late),
    `${range(rounds.map(({ lost }) => lost))} / ${range(rounds.map(({ doubled }) => doubled))} of ${range(rounds.map(({ acknowledged }) => acknowledged))}`,
    [...new Set(rounds.map(({ note }) => note))].join('; '),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** What a round shows that must not be. */
function brokenPromises({ canLose, isFailover }: Fault, measured: Measured): string[] {
  const { lost, doubled, firstWriteMs } = measured;
  const broken: string[] = [];
  if (lost > 0 && canLose !== true) broken.push(`${lost} acknowledged writes were lost`);
  if (doubled > 0) broken.push(`${doubled} writes took effect more than once`);
  if (isFailover === true && firstWriteMs > FAILOVER_MS) broken.push('no write within 5 s of the promotion');
  return broken;
}

await runBench(
  {
    name: 'bench:cluster',
    about: `What do faults of a deployment of several machines cost? For each fault, it starts PostgreSQL, PgBouncer, HAProxy and
the service, sends searches, writes and lists by six clients at once, causes the fault, and looks for every acknowledged
write. It prints a table in Markdown, and the operations that failed on standard error. It exits with code 1 if a write
was lost that must not be, if one is there twice, or if no write was acknowledged within 5 seconds of a promotion.`,
    options: {
      rounds: [1, 'how often each fault is measured; the table shows the lowest and the highest figures'],
      list: [false, 'explains the faults'],
    },
    choices: FAULTS.map(({ name }) => name),
    needs: ['root'],
  },
  async ({ rounds: count, list }, report, chosen) => {
    if (list) {
      for (const { name, title } of FAULTS) report.print(`${name.padEnd(24)}${title}`);
      return;
    }
    report.print(
      '| Fault | It lasted | Failed requests | Slowest of them | First write after it | Last failure after it | Lost / doubled writes | |',
    );
    report.print('| --- | --- | --- | --- | --- | --- | --- | --- |');
    for (const fault of FAULTS.filter(({ name }) => chosen.includes(name))) {
      const rounds: Measured[] = [];
      for (let round = 0; round < count; round += 1) {
        try {
          const measured = await fault.measure();
          rounds.push(measured);
          for (const detail of measured.details) process.stderr.write(`${fault.name}: ${detail}\n`);
          report.faults.push(...brokenPromises(fault, measured).map((text) => `${fault.name}: ${text}`));
        } catch (error) {
          report.faults.push(`${fault.name}: ${String(error)}`);
        } finally {
          await endProcesses();
          await endServers();
        }
      }
      if (rounds.length > 0) report.print(rowOf(fault, rounds));
    }
  },
);
// Servers that could not be ended must not keep it.
process.exit();
