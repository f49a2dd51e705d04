import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SignedIn, TestApp } from '../support/app.ts';
import { openBatches } from '../support/consolidation.ts';
import { readStatus } from '../support/team.ts';
import type { Person } from './cli.ts';

/** Saves a program, and returns the command that runs it. `input` is what it received on standard input. */
export async function program({ home }: Person, body: string): Promise<string> {
  const file = join(home, 'program.mjs');
  const read = `let input = ''; process.stdin.setEncoding('utf8'); for await (const part of process.stdin) input += part;`;
  await writeFile(file, `${read}\n${body}`);
  return `'${process.execPath}' '${file}'`;
}

/** How many captures are in each state, and that no batch is left open. */
export async function captureStates(service: Pick<TestApp, 'app'>, company: SignedIn): Promise<object> {
  assert.deepEqual(await openBatches(service, company), []);
  return (await readStatus(service, company)).captures;
}
