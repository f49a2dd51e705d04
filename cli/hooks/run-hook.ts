import { setting } from '../client/settings.ts';
import { rejectable } from '../program/older-node.ts';
import { CommandError, messageOf, printNote } from '../terminal/command-error.ts';
import { printLines, type Result } from '../terminal/output.ts';
import { failureNotice, type HookCall, recorded, recordFailure } from './failures.ts';
import { withNotice } from './recall/recall-block.ts';

/** How long an agent waits for a hook at most, counted from the start of the process. */
const DEFAULT_MS = 1500;
/** The longest time that a setting can allow. */
const MAX_MS = 600_000;
/** What the process needs to end. */
const EXIT_MS = 100;

/** A call of a hook. */
interface Run extends HookCall {
  /** Whether another process does the work and stores whether it failed. */
  isDetached?: boolean;
  /** Whether it also prints which hooks of this agent have not worked for a day. */
  tellsFailures?: boolean;
}

/** Whether `doctor` runs the hook: nothing is staged or stored, and a failure does not count. */
export const isCheck = () => setting('MEMORY_HOOK_CHECK') !== null;

/** Reports why a hook printed nothing, if a person wants to know. */
function debug(reason: string): void {
  if (setting('MEMORY_HOOK_DEBUG') !== null) printNote(reason);
}

/** How long the whole hook can take, in milliseconds. */
function limitMs(): number {
  const given = Number(setting('MEMORY_HOOK_TIMEOUT_MS') ?? DEFAULT_MS);
  return (given >= 0 && given <= MAX_MS ? given : DEFAULT_MS) - EXIT_MS;
}

const LATE = new CommandError(
  'the hook has no answer in time (MEMORY_HOOK_TIMEOUT_MS, where the agent runs, allows more)',
);

/** What the work returns, unless it takes too long. */
async function inTime<Value>(work: (timeoutMs: number) => Promise<Value>): Promise<Value> {
  const left = Math.max(Math.round(limitMs() - process.uptime() * 1000), 1);
  const { promise: deadline, reject } = rejectable();
  const timer = setTimeout(reject, left, LATE);
  return Promise.race([work(left), deadline]).finally(() => clearTimeout(timer));
}

/** Does the work, and stores whether it failed. */
async function attempt(run: Run, work: () => Promise<string>): Promise<string> {
  if (isCheck()) return work();
  if (run.isDetached !== true) return recorded(run, work);
  return work().catch(async (error: unknown) => {
    await recordFailure(run, messageOf(error));
    throw error;
  });
}

/** Prints a text and ends the process, whatever it is still waiting for. */
async function endWith(text: string): Promise<never> {
  if (text !== '') printLines([text]);
  await new Promise((written) => process.stdout.write('', written));
  process.exit(0);
}

/**
 * Runs a hook that an agent waits for. At the deadline the process ends, whatever it is waiting for. After any failure
 * the result is empty, and the exit code is 0.
 * @param work receives how many milliseconds are left
 */
export async function runHook(run: Run, work: (timeoutMs: number) => Promise<string>): Promise<Result> {
  let [text, isLate] = ['', false];
  try {
    text = await attempt(run, () => inTime(work));
  } catch (error) {
    debug(messageOf(error));
    isLate = error === LATE;
  }
  if (run.tellsFailures === true && !isCheck()) text = withNotice(text, await failureNotice(run.agent));
  return isLate ? endWith(text) : { text, data: { text } };
}
