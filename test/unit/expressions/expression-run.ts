import { createContext, runInContext } from 'node:vm';
import { textOf, type WorstCase, worstCasesOf } from './worst-cases.ts';

/** An expression to run, and on what. */
export interface ExpressionRun {
  expression: RegExp;
  /** The longest text that it runs on, in UTF-16 code units. */
  length: number;
  /** Texts that are known to be bad for it, besides those that are made from its form. */
  known?: readonly WorstCase[] | undefined;
}

/** All cases are tried at this length first. What takes more than linear time stands out by far already. */
const TRIED_LENGTH = 1_500;
/** So many of the slowest are then run at full length. */
const SLOWEST = 4;

/** Searches all of a text as product code does. */
function runOn(expression: RegExp, text: string): void {
  if (expression.global) text.replace(expression, '');
  else if (expression.sticky) {
    // From each place where the last match ended, or the next where there was none.
    for (let at = 0; at < text.length; at = Math.max(at + 1, expression.lastIndex)) {
      expression.lastIndex = at;
      expression.test(text);
    }
  } else expression.test(text);
}

function milliseconds(expression: RegExp, text: string): number {
  const began = performance.now();
  runOn(expression, text);
  return performance.now() - began;
}

function slowestOf(expression: RegExp, length: number): WorstCase[] {
  const tried = Math.min(TRIED_LENGTH, length);
  return worstCasesOf(expression)
    .map((each) => ({ each, took: milliseconds(expression, textOf(each, tried)) }))
    .sort((a, b) => b.took - a.took)
    .slice(0, SLOWEST)
    .map(({ each }) => each);
}

const context = createContext({});

/** Runs work, stops it after so many seconds, and returns whether it finished. Only in a context can it be stopped. */
function finishes(work: () => void, seconds: number): boolean {
  try {
    runInContext('work()', Object.assign(context, { work }), { timeout: seconds * 1000 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}

/**
 * Runs each expression on its worst cases, and gives those that did not finish one of them in the time, with the text.
 * Linear ones need milliseconds for 1 MiB, others many minutes or more: the time tells them apart on any machine.
 */
export function slowOf(runs: readonly ExpressionRun[], seconds: number): string[] {
  return runs.flatMap(({ expression, length, known = [] }) => {
    const cases = [...known];
    if (!finishes(() => cases.push(...slowestOf(expression, length)), seconds))
      return [`${expression} on a short text`];
    const worst = cases.find((each) => !finishes(() => runOn(expression, textOf(each, length)), seconds));
    return worst === undefined ? [] : [`${expression} on ${length} of ${JSON.stringify(worst)}`];
  });
}
