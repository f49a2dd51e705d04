import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord, readPrivateFile, removeFile, writePrivateFile } from '../client/private-file.ts';
import { oneLine } from '../terminal/columns.ts';
import { messageOf } from '../terminal/command-error.ts';
import { day } from '../terminal/times.ts';
import { type Agent, isAgent } from './agents.ts';
import { ownCommand } from './own-command.ts';
import { stateFolder } from './session/state.ts';

/** The name of a hook: the second word of its command. */
export type HookName = 'session-start' | 'prompt' | 'turn-end' | 'session-end';

/** A hook, and the agent that called it. Calls without a known agent are not recorded. */
export interface HookCall {
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
export async function recordFailure({ agent, hook }: HookCall, message: string): Promise<void> {
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
export async function failureNotice(agent: string | undefined): Promise<string> {
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
