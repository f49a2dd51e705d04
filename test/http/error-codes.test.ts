import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '../../shared/errors.ts';
import { ROOT } from '../support/root.ts';

/** The texts of all modules of these folders. */
function readModules(...folders: string[]): string {
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const modules = files.filter((file) => file.endsWith('.ts') && !file.endsWith('shared/errors.ts'));
  return modules.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
}

/** The codes that no text names: in quotes, or after the status. */
const unnamed = (text: string) =>
  Object.entries(ERRORS)
    .filter(([code, { status }]) => !text.includes(`'${code}'`) && !text.includes(`${status} ${code}`))
    .map(([code]) => code);

test('the service uses every error code, and a test names it', () => {
  assert.deepEqual(unnamed(readModules('api', 'core', 'db', 'shared', 'worker')), []);
  assert.deepEqual(unnamed(readModules('test')), []);
});
