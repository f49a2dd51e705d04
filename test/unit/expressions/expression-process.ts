import type { ExpressionRun, RunProgress } from './expression-run.ts';
import { textOf, type WorstCase, worstCasesOf } from './worst-cases.ts';

/*
 * The process that runs regular expressions on their worst cases. Its parent kills it when one does not come to an end.
 */

/** All cases are tried at this length first. What takes more than linear time stands out by far already. */
const TRIED_LENGTH = 1_500;
/** So many of the slowest are then run at full length. */
const SLOWEST = 4;

/** Waits until it is told: what comes next may leave no time for it. */
const tell = (progress: RunProgress) =>
  new Promise<void>((resolve) => void process.send?.(progress, () => resolve()));

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

async function runAll(runs: readonly ExpressionRun[], first: number): Promise<void> {
  await tell({ ready: true });
  for (const [index, { source, flags, length, known }] of runs.entries()) {
    if (index < first) continue;
    const expression = new RegExp(source, flags);
    for (const worst of [...known, ...slowestOf(expression, length)]) {
      await tell({ begins: worst, length });
      runOn(expression, textOf(worst, length));
    }
    await tell({ done: index });
  }
}

process.on('message', ({ runs, first }: { runs: readonly ExpressionRun[]; first: number }) => {
  void runAll(runs, first);
});
process.on('disconnect', () => process.exit(0));
