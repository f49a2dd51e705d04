import { execFile } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs, promisify } from 'node:util';
import { endProcesses } from '../../test/support/needs/process.ts';
import { retrievalFolder } from '../../test/support/retrieval-set.ts';
import { Report } from './report.ts';

type Value = string | number | boolean | readonly (string | number)[];
/** Each option of a command: what it is without being given, and what it means. */
type Options = Readonly<Record<string, readonly [Value, string]>>;
type Widened<V> = V extends string
  ? string
  : V extends number
    ? number
    : V extends boolean
      ? boolean
      : V extends readonly number[]
        ? number[]
        : string[];
type Given<O extends Options> = { readonly [K in keyof O]: Widened<O[K][0]> };

interface Command<O extends Options> {
  /** What `npm run` starts. */
  name: string;
  /** What is measured. */
  about: string;
  options: O;
  /** What can be named to measure only that. */
  choices?: readonly string[];
  /** What of the environment it reads. */
  needs?: readonly (keyof typeof NEEDS)[];
}

const NEEDS = {
  texts: 'MEMORY_TEST_XQUAD_R names the folder of the retrieval set (XQuAD-R, <language>.json).',
  server:
    'MEMORY_TEST_DATABASE_URL names a PostgreSQL server of this machine on which databases can be made.',
  both: 'It measures the embedded database and, where MEMORY_TEST_DATABASE_URL names a server, PostgreSQL.',
  linux: 'Linux only.',
  root: 'Needs root on Debian, as npm run test:cluster.',
};

/** The folder of the retrieval set, which the command needs. */
export function textsFolder(): string {
  const folder = retrievalFolder();
  if (folder === null) throw new Error(`${NEEDS.texts} See --help.`);
  return folder;
}

function helpOf({ name, about, options, choices = [], needs = [] }: Command<Options>): string {
  const shown = Object.entries(options).map(([option, [value, meaning]]) => {
    const example = typeof value === 'boolean' ? '' : ` ${String(value)}`;
    return `  --${option}${example}`.padEnd(27).concat(' ', meaning);
  });
  const usage = `Usage: npm run ${name} -- [options]${choices.length > 0 ? ' [name ...]' : ''}`;
  const names = choices.length > 0 ? [`\nNames, without one all: ${choices.join(' ')}`] : [];
  return [about, '', usage, '', ...shown, ...names, '', ...needs.map((need) => NEEDS[need])].join('\n');
}

function valueOf(name: string, like: Value, text: string | boolean | undefined): Value {
  if (text === undefined) return like;
  if (typeof text === 'boolean' || typeof like === 'string') return text;
  const number = (part: string) => {
    if (!/^\d+(\.\d+)?$/.test(part)) throw new Error(`--${name}: expected a number (see --help)`);
    return Number(part);
  };
  if (typeof like === 'number') return number(text);
  const parts = text.split(',');
  return (like as readonly Value[]).every((part) => typeof part === 'number') ? parts.map(number) : parts;
}

/** The commit that is measured, or none where this is no checkout. */
const commit = () =>
  promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname }).then(
    ({ stdout }) => stdout.trim(),
    () => 'none',
  );

/** When, where and what is measured, so that two runs can be compared. */
async function describeRun(): Promise<string> {
  const machine = `${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown'}`;
  return `${new Date().toISOString()}, ${machine}, Node ${process.versions.node}, commit ${await commit()}`;
}

/**
 * Runs a benchmark as a command. Exits with 1 if it fails, or if a figure that its report holds misses its bound.
 * @param measure gets the options, where to report, and the names that were chosen: all, if none was given
 */
export async function runBench<const O extends Options>(
  command: Command<O>,
  measure: (given: Given<O>, report: Report, chosen: readonly string[]) => Promise<void>,
): Promise<void> {
  const { name, options, choices = [] } = command;
  const report = new Report();
  // The processes that are measured have groups of their own, which a signal to this one does not reach.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void endProcesses().finally(() => process.exit(1)));
  }
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: choices.length > 0,
      options: {
        ...Object.fromEntries(
          Object.entries(options).map(([option, [value]]) => [
            option,
            { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) },
          ]),
        ),
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return report.print(helpOf(command));
    const unknown = positionals.filter((one) => !choices.includes(one));
    if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: unknown (see --help)`);
    const given = Object.fromEntries(
      Object.entries(options).map(([option, [value]]) => [
        option,
        valueOf(option, value, (values as Record<string, string | boolean | undefined>)[option]),
      ]),
    ) as Given<O>;
    report.print(`${name}, ${await describeRun()}`);
    await measure(given, report, positionals.length === 0 ? choices : positionals);
    for (const fault of report.faults) process.stderr.write(`not held: ${fault}\n`);
    if (report.faults.length > 0) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`${name}: ${(error as Error).message}\n`);
    process.exitCode = 1;
  } finally {
    await endProcesses();
  }
}
