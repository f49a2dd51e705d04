import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SignedIn } from '../support/app.ts';
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
export async function captureStates(company: SignedIn): Promise<object> {
  assert.deepEqual(await openBatches(company), []);
  return (await readStatus(company)).captures;
}

/**
 * Saves an editor that runs this body on the text, which is also saved in the file seen.md.
 * @returns the variable that chooses it
 */
export async function editor({ home }: Person, body: string): Promise<{ EDITOR: string }> {
  const file = join(home, 'editor.mjs');
  await writeFile(
    file,
    `import { readFileSync, writeFileSync } from 'node:fs';
    const path = process.argv[2]; let text = readFileSync(path, 'utf8');
    const begin = text.match(/^=== \\w+ captures /m)?.[0];
    writeFileSync('seen.md', text); ${body}
    writeFileSync(path, text);`,
  );
  return { EDITOR: `'${process.execPath}' '${file}'` };
}

/** Reads the file that an error says was kept, and removes it. */
export async function keptText(shown: string): Promise<string> {
  const [, path = ''] = shown.split('what you wrote is kept in ');
  const file = path.slice(0, path.indexOf('.md') + 3);
  const text = await readFile(file, 'utf8');
  await rm(dirname(file), { recursive: true });
  return text;
}
