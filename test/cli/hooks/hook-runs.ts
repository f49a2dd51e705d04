import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { column } from '../../support/columns.ts';
import { execFile } from '../../support/needs/command.ts';
import { runnerEnvironment } from '../../support/runner-environment.ts';
import type { Ended, Person } from '../cli.ts';

/** The agents whose input has fixtures. See fixtures/README.md. */
export const AGENTS = ['claude-code', 'codex'] as const;
export type Agent = (typeof AGENTS)[number];
export type HookEvent = 'session-start' | 'user-prompt-submit' | 'stop' | 'pre-compact' | 'session-end';

/** Where each agent reads the hooks of a user, and those of a project, by its public documents. */
export const FILES = {
  'claude-code': { user: '.claude/settings.json', project: '.claude/settings.local.json' },
  codex: { user: '.codex/hooks.json', project: '.codex/hooks.json' },
} as const;

/** The hooks of a user. */
export const userHooks = ({ home }: Person, agent: Agent) => readJson(join(home, FILES[agent].user));

/** Reads a fixture as text. */
export function readFixture(agent: Agent, file: string): Promise<string> {
  return readFile(join(import.meta.dirname, 'fixtures', agent, file), 'utf8');
}

/** What an agent sends to a hook, with some fields of the test. */
export async function hookInput(agent: Agent, event: HookEvent, changes: object = {}): Promise<string> {
  return JSON.stringify({ ...JSON.parse(await readFixture(agent, `${event}.json`)), ...changes });
}

/** Enough time on any machine, so that the result of a test does not depend on its speed. */
const ENOUGH_TIME = { MEMORY_HOOK_TIMEOUT_MS: '100000' };

/** Runs a hook, with enough time if the test sets no other. */
export function runHook(
  person: Person,
  args: readonly string[],
  input: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  return person.run(['hook', ...args], { input, env: { ...ENOUGH_TIME, ...env } });
}

/** A hook that had nothing to say, or failed: it never disturbs the agent. */
export function assertSilent(ended: Ended): void {
  assert.deepEqual(ended, { code: 0, stdout: '', stderr: '' });
}

/** What a hook printed for the agent. */
export function printedBy(ended: Ended): string {
  assert.deepEqual([ended.code, ended.stderr], [0, '']);
  return ended.stdout;
}

/** A file of an agent with hooks. */
export interface HooksFile {
  hooks: Record<string, { matcher?: string; hooks: { type: string; command: string; timeout: number }[] }[]>;
}

/** Reads a file of an agent. */
export const readJson = async <Data = HooksFile>(path: string) =>
  JSON.parse(await readFile(path, 'utf8')) as Data;

/** The only command of an event. */
export function commandOf({ hooks }: HooksFile, event: string): string {
  const all = (hooks[event] ?? []).flatMap((group) => group.hooks);
  assert.deepEqual(column(all, 'type'), ['command']);
  return all[0]?.command ?? '';
}

/** Runs a hook as an agent does: its command in a shell, with the JSON of the event on standard input. */
export function runAsAgent(
  { home }: Person,
  command: string,
  input: string,
  given: Record<string, string> = {},
): Promise<Ended> {
  const env = { HOME: home, PATH: '/usr/bin:/bin', ...ENOUGH_TIME, ...runnerEnvironment(), ...given };
  return new Promise((resolve) => {
    const child = execFile('sh', ['-c', command], { cwd: '/', env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}
