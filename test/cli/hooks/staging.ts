import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Capture } from '../../../shared/schemas/captures.ts';
import { type Caller } from '../../support/team.ts';
import type { Person } from '../cli.ts';
import { type Agent, hookInput, printedBy, runHook } from './hook-runs.ts';

/** All staged captures of a Company, in the order of the session. They are released again. */
export async function stagedCaptures(company: Caller): Promise<Capture[]> {
  const claimed = await company.ask.claimCaptures({ limit: 20 });
  const { batch } = claimed.json<{ batch: { id: string; captures: Capture[] } | null }>();
  if (batch === null) return [];
  await company.ask.releaseBatch({ batchId: batch.id });
  return batch.captures.sort((a, b) => Number(a.sequence) - Number(b.sequence));
}

/** The staged captures, when a process that no hook waits for has staged the first one. */
export async function capturesStagedLater(company: Caller): Promise<Capture[]> {
  let captures: Capture[] = [];
  for (let tries = 0; captures.length === 0 && tries < 600; tries += 1) {
    await pause(100);
    captures = await stagedCaptures(company);
  }
  return captures;
}

/** Writes a transcript, and returns what the agent sends to a hook that stages it. */
export async function transcriptInput(
  person: Person,
  agent: Agent,
  transcript: string,
  changes: object = {},
): Promise<string> {
  const path = join(person.home, 'transcript.jsonl');
  await writeFile(path, transcript);
  return hookInput(agent, 'session-end', { transcript_path: path, ...changes });
}

/** Stages a transcript with a hook that waits, and returns what it prints. */
export async function stage(
  person: Person,
  hook: 'turn-end' | 'session-end',
  agent: Agent,
  transcript: string,
  ...more: string[]
): Promise<string> {
  const input = await transcriptInput(person, agent, transcript);
  return printedBy(await runHook(person, [hook, '--wait', '--agent', agent, ...more], input));
}

/** A record of Claude Code, as a line. */
export const record = (type: 'user' | 'assistant', content: string) =>
  `${JSON.stringify({ type, message: { role: type, content } })}\n`;
