import { percentile } from '../../test/support/generated-text.ts';

/** The middle one of some figures. */
export const median = (figures: readonly number[]): number => percentile(figures, 0.5);

const fixed = (figure: number | string, digits: number) =>
  typeof figure === 'string' ? figure : figure.toFixed(digits);

/** What a run prints, line by line, and the bounds that its figures miss. */
export class Report {
  readonly faults: string[] = [];
  /** How wide the names of rows are. */
  width = 34;

  print(line = ''): void {
    process.stdout.write(`${line}\n`);
  }

  /** A figure that must be below a bound, else the run fails. Without a bound it is only shown. */
  hold(name: string, value: number, bound: number | null | undefined): string {
    if (bound === null || bound === undefined) return '';
    if (!(value < bound)) this.faults.push(`${name}: ${value.toFixed(3)}, where it must be below ${bound}`);
    return `held below ${bound}`;
  }

  /** A figure that must reach a bound, else the run fails. */
  holdAtLeast(name: string, value: number, bound: number): string {
    if (!(value >= bound)) {
      this.faults.push(`${name}: ${value.toFixed(3)}, where it must be at least ${bound}`);
    }
    return `held at ${bound} or more`;
  }

  /** A line of a table: a name, and figures to the right of it. */
  row(name: string, figures: readonly (string | number)[], remark = '', digits = 2): void {
    const cells = figures.map((figure) => fixed(figure, digits).padStart(12)).join('');
    this.print(`${name.padEnd(this.width)}${cells}${remark === '' ? '' : `   ${remark}`}`);
  }

  /** The medians of two, in ms, and the first as a multiple of the second, which must be below a bound. */
  compare(name: string, times: readonly number[], others: readonly number[], bound: number | null): void {
    const [time, other] = [median(times), median(others)];
    const held = this.hold(name, time / other, bound);
    this.row(name, [time.toFixed(1), other.toFixed(1), `${(time / other).toFixed(2)} x`], held);
  }
}

/** The median and the 95th percentile. */
export const spread = (times: readonly number[]): [p50: number, p95: number] => [
  median(times),
  percentile(times, 0.95),
];
