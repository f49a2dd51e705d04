import { readFileSync } from 'node:fs';
import { percentile } from '../../test/support/generated-text.ts';

const MIB = 1024 * 1024;

/** What a process holds at a moment, in MiB. */
export interface Sample {
  seconds: number;
  rss: number;
  anonymous: number;
}

/** Memory of a process by the kernel's count. Linux only. */
export function readMemory(pid: number): Omit<Sample, 'seconds'> & { peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { rss: of('VmRSS'), anonymous: of('RssAnon'), peak: of('VmHWM') };
}

/** Processor time that a process has used, in seconds. Linux counts it in hundredths. */
export function readProcessorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The figures of /metrics that say what V8 holds, in MiB. */
export function readHeap(metrics: string): { used: number; total: number; external: number } {
  const of = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]) / MIB;
  return {
    used: of('nodejs_heap_size_used_bytes'),
    total: of('nodejs_heap_size_total_bytes'),
    external: of('nodejs_external_memory_bytes'),
  };
}

/** Median of the resident memory between two moments, in MiB. */
export function medianBetween(samples: readonly Sample[], from: number, to: number): number {
  const within = samples.filter(({ seconds }) => seconds >= from && seconds <= to);
  return percentile(
    within.map(({ rss }) => rss),
    0.5,
  );
}
