import { fileURLToPath } from 'node:url';
import { fork } from '../../support/needs/command.ts';
import type { WorstCase } from './worst-cases.ts';

/** An expression to run, and on what. */
export interface ExpressionRun {
  source: string;
  flags: string;
  /** The longest text that it runs on, in UTF-16 code units. */
  length: number;
  /** Texts that are known to be bad for it, besides those that are made from its form. */
  known: readonly WorstCase[];
}

/** What the process that runs them tells: that it starts, the case that it begins, which expression is done. */
export type RunProgress = { ready: true } | { begins: WorstCase; length: number } | { done: number };

const MAIN = fileURLToPath(new URL('./expression-process.ts', import.meta.url));

/** Runs expressions from one on until one is killed. Gives its number and what it ran on; null if all finish. */
function runFrom(
  runs: readonly ExpressionRun[],
  first: number,
  seconds: number,
): Promise<{ killed: number; on: string } | null> {
  const child = fork(MAIN, [], { serialization: 'advanced' });
  let [current, on] = [first, 'a short text'];
  return new Promise((resolve, reject) => {
    const kill = () => {
      child.kill('SIGKILL');
      resolve({ killed: current, on });
    };
    // Its start-up does not count.
    let timer: NodeJS.Timeout | undefined;
    child.on('message', (progress: RunProgress) => {
      clearTimeout(timer);
      if ('begins' in progress) on = `${progress.length} of ${JSON.stringify(progress.begins)}`;
      if ('done' in progress) current = progress.done + 1;
      if (current < runs.length) timer = setTimeout(kill, seconds * 1000);
      else {
        child.kill();
        resolve(null);
      }
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      clearTimeout(timer);
      if (code !== null) reject(new Error(`the process that runs expressions ended with ${code}`));
    });
    child.send({ runs, first });
  });
}

/**
 * Runs each expression on its worst cases, and gives those that did not finish one of them in the time, with the text.
 * Linear ones need milliseconds for 1 MiB, others many minutes or more: the time tells them apart on any machine.
 */
export async function unfinished(
  runs: readonly ExpressionRun[],
  seconds: number,
): Promise<{ run: ExpressionRun; on: string }[]> {
  const slow: { run: ExpressionRun; on: string }[] = [];
  for (let first = 0; first < runs.length; ) {
    const result = await runFrom(runs, first, seconds);
    if (result === null) break;
    slow.push({ run: runs[result.killed]!, on: result.on });
    first = result.killed + 1;
  }
  return slow;
}
