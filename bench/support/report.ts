import { percentile } from '../../test/support/generated-text.ts';

/** What a run prints, line by line, and what it held too much. */
export class Report {
  readonly faults: string[] = [];

  print(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  /** A figure that must be below a bound, else the run fails. A bound of null is shown and not held. */
  hold(name: string, value: number, bound: number | null): string {
    if (bound === null) return 'not held';
    if (!(value < bound)) this.faults.push(`${name}: ${value.toFixed(2)}, where it must be below ${bound}`);
    return `held below ${bound}`;
  }

  /** The medians of two, in ms, and the first as a multiple of the second. */
  compare(name: string, times: readonly number[], others: readonly number[], bound: number | null): void {
    const [time, other] = [median(times), median(others)];
    const ratio = time / other;
    const figures = [time.toFixed(1), other.toFixed(1), `${ratio.toFixed(2)} x`];
    this.print(`${name.padEnd(40)}${figures.map(column).join('')}   ${this.hold(name, ratio, bound)}`);
  }
}

/** The middle one of some times. */
export function median(times: readonly number[]): number {
  return percentile(times, 0.5);
}

const column = (text: string) => text.padStart(12);

/** The head of a table whose rows `compare` prints. */
export function comparisonHead(title: string, one: string, other: string): string {
  return `${title.padEnd(40)}${[one, other, 'ratio'].map(column).join('')}`;
}
