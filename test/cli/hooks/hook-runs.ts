import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ended, Person } from '../cli.ts';

/** The agents whose input has fixtures. See fixtures/README.md. */
export const AGENTS = ['claude-code', 'codex'] as const;
export type Agent = (typeof AGENTS)[number];
export type HookEvent = 'session-start' | 'user-prompt-submit' | 'session-end';

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
