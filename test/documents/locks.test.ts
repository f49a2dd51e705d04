import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/root.ts';
import { readPage } from './page.ts';

/** What waits for others. With `skip locked`, a statement takes only what is free. */
const LOCK =
  /\bfor (?:no key |key )?(?:update|share)\b(?!(?: of \w+(?:, \w+)*)? skip locked)|ROW_LOCKS\[|pg_(?:try_)?advisory/g;
const DEFINED =
  /^(?:(?:export )?(?:async )?(?:function|const)|create (?:or replace )?function \w+\.) ?(\w+)/gm;

/** What a file of `db` defines: its functions and statements, each with where it begins. */
function definitions(text: string): { name: string; at: number }[] {
  return [...text.matchAll(DEFINED)].map(({ 1: name = '', index: at }) => ({ name, at }));
}

test('the page on locks names everything in the database code that waits for a lock', () => {
  const files = globSync(['db/**/*.ts', 'db/functions/**/*.sql'], { cwd: ROOT });
  const defined = new Set<string>();
  const locking = new Set<string>();
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const inFile = definitions(text);
    for (const { name } of inFile) defined.add(name);
    for (const { index } of text.matchAll(LOCK)) {
      const owner = inFile.findLast(({ at }) => at < index)?.name ?? file;
      if (owner !== 'ROW_LOCKS') locking.add(owner);
    }
  }
  const rows = readPage('docs/contributing/locks.md').lines.filter((line) => line.startsWith('| `'));
  const named = new Set(
    rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(({ 1: name = '' }) => name)),
  );
  // The two strengths have rows of their own.
  for (const strength of ['share', 'update']) named.delete(strength);
  assert.deepEqual(
    [...locking].filter((name) => !named.has(name)),
    [],
  );
  assert.deepEqual(
    [...named].filter((name) => !defined.has(name)),
    [],
  );
});
