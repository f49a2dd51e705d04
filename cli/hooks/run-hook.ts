import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord, readPrivateFile, removeFile, writePrivateFile } from '../client/private-file.ts';
import { setting } from '../client/settings.ts';
import { rejectable } from '../program/older-node.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError, messageOf, printNote } from '../terminal/command-error.ts';
import { printLines, type Result } from '../terminal/output.ts';
import { day } from '../terminal/times.ts';
import { type Agent, isAgent, ownCommand } from './hook-options.ts';
import { withNotice } from './recall.ts';
import { stateFolder } from './state.ts';

/** The name of a hook: the second word of its command. */
export type HookName = 'session-start' | 'prompt' | 'turn-end' | 'session-end';

/** A hook, and the agent that called it. Calls without a known agent are not recorded. */
interface HookCall {
  agent: string | undefined;
  hook: HookName;
}

/** A hook that fails, from its first failure until it works again. */
export interface FailingHook {
  hook: string;
  /** The first failure, in ISO 8601. */
  since: string;
  /** The last failure. */
  at: string;
  /** Why it failed last. */
  message: string;
  /** Whether the agent was told. */
  isTold: boolean;
}

/** A hook that has failed for so long is mentioned at the start of a session. */
const MENTION_AFTER_MS = 24 * 60 * 60 * 1000;
/** The longest message that is kept. */
const MAX_MESSAGE = 200;
const WHAT = 'the state of the hooks';
const ENDING = '.failing.json';

/** Each hook has a file of its own, so that hooks that run at the same time do not replace what the others wrote. */
const pathOf = (agent: Agent, hook: string) => join(stateFolder(), `${agent}.${hook}${ENDING}`);

async function read(agent: Agent, hook: string): Promise<FailingHook | null> {
  const { since, at, message, isTold } =
    parseRecord((await readPrivateFile(pathOf(agent, hook), WHAT)) ?? '') ?? {};
  if (typeof since !== 'string' || typeof at !== 'string' || typeof message !== 'string') return null;
  return { hook, since, at, message, isTold: isTold === true };
}

/**
 * The hooks of an agent that fail.
 * @throws CommandError if a file of them cannot be read
 */
export async function readFailingHooks(agent: Agent): Promise<FailingHook[]> {
  const files = await readdir(stateFolder()).catch((): string[] => []);
  const hooks = files
    .filter((file) => file.startsWith(`${agent}.`) && file.endsWith(ENDING))
    .map((file) => file.slice(agent.length + 1, -ENDING.length));
  return (await Promise.all(hooks.sort().map((hook) => read(agent, hook)))).filter((found) => found !== null);
}

/** Stores that a hook has failed. A state that cannot be written does not disturb the hook. */
async function recordFailure({ agent, hook }: HookCall, message: string): Promise<void> {
  if (!isAgent(agent)) return;
  const at = new Date().toISOString();
  const before = await read(agent, hook).catch(() => null);
  const failing = {
    since: before?.since ?? at,
    at,
    message: oneLine(message).slice(0, MAX_MESSAGE),
    isTold: before?.isTold ?? false,
  };
  await writePrivateFile(pathOf(agent, hook), failing, WHAT).catch(() => {});
}

/** Stores that a hook has worked. */
export async function recordSuccess({ agent, hook }: HookCall): Promise<void> {
  if (isAgent(agent)) await removeFile(pathOf(agent, hook)).catch(() => {});
}

/** Runs the work of a hook, and stores whether it failed. */
export async function recorded<Value>(call: HookCall, work: () => Promise<Value>): Promise<Value> {
  try {
    const value = await work();
    await recordSuccess(call);
    return value;
  } catch (error) {
    await recordFailure(call, messageOf(error));
    throw error;
  }
}

/**
 * A line for the agent about a hook that has not worked for a day; '' without one, or if it was mentioned before.
 * Each failure is mentioned once, until the hook has worked again.
 */
async function failureNotice(agent: string | undefined): Promise<string> {
  if (!isAgent(agent)) return '';
  const now = Date.now();
  const failing = await readFailingHooks(agent).catch(() => []);
  const due = failing.filter(({ since, isTold }) => !isTold && now - Date.parse(since) >= MENTION_AFTER_MS);
  const [first] = due;
  if (first === undefined) return '';
  for (const { hook, ...record } of due)
    await writePrivateFile(pathOf(agent, hook), { ...record, isTold: true }, WHAT).catch(() => {});
  const hooks = due.map(({ hook }) => hook).join(', ');
  return `Tell the person: the hooks of the team memory (${hooks}) have not worked since ${day(first.since)}, because ${first.message}. To see what is wrong: ${ownCommand('doctor')}`;
}

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
