import { execFile } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { promisify } from 'node:util';
import type { Database } from '../../db/driver/database.ts';
import { percentile } from '../../test/support/generated-text.ts';
import { median, Report } from '../support/report.ts';

const run = promisify(execFile);

/** What a run prints, and which of its ratios are not held. */
export class SearchReport extends Report {
  /** A figure that must reach a bound, else the run fails. */
  holdAtLeast(name: string, value: number, bound: number): string {
    if (!(value >= bound)) {
      this.faults.push(`${name}: ${value.toFixed(3)}, where it must be at least ${bound}`);
    }
    return `held at ${bound} or more`;
  }

  /** A line of a table: a name, and figures to the right of it. */
  row(name: string, figures: readonly string[], remark = ''): void {
    const line = `${name.padEnd(30)}${figures.map((figure) => figure.padStart(12)).join('')}`;
    this.print(remark === '' ? line : `${line}   ${remark}`);
  }
}

/** The commit that is measured, or none where this is no checkout. */
async function commit(): Promise<string> {
  try {
    const { stdout } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname });
    return stdout.trim();
  } catch {
    return 'none';
  }
}

/** When, where and what is measured, so that two runs can be compared. */
export async function describeRun(): Promise<string> {
  const machine = `${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown'}`;
  return `${new Date().toISOString()}, ${machine}, Node ${process.versions.node}, commit ${await commit()}`;
}

/** The database's own name and version. */
export async function describeDatabase(database: Database): Promise<string> {
  const [row] = await database.query<{ version: string; vector: string }>(
    `select split_part(version(), ' on ', 1) as version,
            (select extversion from pg_extension where extname = 'vector') as vector`,
  );
  return `${database.backend}: ${row?.version ?? '?'}, pgvector ${row?.vector ?? '?'}`;
}

const ROUND_TRIPS = 200;

/** How long the least of all statements takes: what of two runs is the machine's. */
export async function describeRoundTrip(database: Database): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < ROUND_TRIPS; n += 1) {
    const began = performance.now();
    await database.query('select 1');
    times.push(performance.now() - began);
  }
  return `select 1: p50 ${median(times).toFixed(2)} ms, p95 ${percentile(times, 0.95).toFixed(2)} ms`;
}
