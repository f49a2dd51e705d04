import assert from 'node:assert/strict';
import { countReads } from './count-reads.ts';

type Exec = (this: RegExp, text: string) => RegExpExecArray | null;
const EXEC = Reflect.get(RegExp.prototype, 'exec') as Exec;
type CodeAt = (this: string, index: number) => number;
const CODE_AT = Reflect.get(String.prototype, 'charCodeAt') as CodeAt;
/** Stands for all code that reads single characters. */
const CODES = 'charCodeAt';

const names = new WeakMap<RegExp, string>();

/** The expression as a text. */
function nameOf(expression: RegExp): string {
  const known = names.get(expression);
  if (known !== undefined) return known;
  const name = String(expression);
  names.set(expression, name);
  return name;
}

/** What expressions read while a function runs. */
export interface Reads {
  /** Calls it when other work can run. */
  endStep: () => void;
  /** By expression, in all steps. */
  totals: Map<string, number>;
  /** By expression, in the step in which it read most. */
  steps: Map<string, number>;
  /** The expressions themselves. */
  expressions: Map<string, RegExp>;
}

/**
 * Counts the characters that each regular expression reads while a function runs, in whatever way it is called, and those
 * that are read with `charCodeAt`.
 */
export function watchReads<T>(run: (reads: Reads) => T): { reads: Reads; result: T } {
  const reads: Reads = {
    totals: new Map(),
    steps: new Map(),
    expressions: new Map(),
    endStep: () => {
      for (const [expression, count] of step) {
        reads.steps.set(expression, Math.max(count, reads.steps.get(expression) ?? 0));
        reads.totals.set(expression, count + (reads.totals.get(expression) ?? 0));
      }
      step.clear();
    },
  };
  const step = new Map<string, number>();
  let isCounting = false;
  // The methods of texts that take an expression call this method too.
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = EXEC.call(this, text);
    if (isCounting) return found;
    isCounting = true;
    const { reads: count, end } = countReads(this, text, from);
    isCounting = false;
    const expression = nameOf(this);
    if (end !== (found === null ? -1 : found.index + found[0].length))
      assert.fail(`${expression} is run right`);
    reads.expressions.set(expression, this);
    step.set(expression, count + (step.get(expression) ?? 0));
    return found;
  };
  String.prototype.charCodeAt = function (this: string, index: number) {
    if (!isCounting) step.set(CODES, 1 + (step.get(CODES) ?? 0));
    return CODE_AT.call(this, index);
  };
  try {
    const result = run(reads);
    reads.endStep();
    return { reads, result };
  } finally {
    RegExp.prototype.exec = EXEC;
    String.prototype.charCodeAt = CODE_AT;
  }
}
