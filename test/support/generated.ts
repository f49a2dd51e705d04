import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './root.ts';

/** Fails if a generated file, named by its path in the repository, does not have the text that its sources make. */
export async function assertGenerated(file: string, text: string): Promise<void> {
  const committed = await readFile(join(ROOT, file), 'utf8');
  const isCurrent = committed.replaceAll('\r\n', '\n') === text;
  assert.ok(isCurrent, `${file} is not what its sources make: run npm run generate, and commit what changes`);
}
