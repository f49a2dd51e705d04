import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../support/root.ts';

const FILES = globSync('{api,worker,core,shared,db,cli,web}/**/*.{ts,tsx,js,css,html,sql}', {
  cwd: ROOT,
  exclude: ['web/dist/**'],
});

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The packages that a module loads before it runs, also through other files. */
function packagesOf(main: string): string[] {
  const [files, packages] = [new Set([main]), new Set<string>()];
  for (const file of files) {
    for (const [, name = ''] of read(file).matchAll(/^(?:import|export)(?! type\b)[^;']*'([^']+)';$/gm)) {
      if (name.startsWith('.')) files.add(normalize(join(dirname(file), name)));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  }
  return [...packages].sort();
}

/** What threads and child processes load. Each starts often, and its memory is beside that of the process. */
const THREADS: Record<string, string[]> = {
  'api/http/bodies/body-thread.ts': ['@secretlint/secretlint-rule-preset-recommend', 'piscina', 'uuid'],
  'db/driver/engine/thread.ts': [
    '@electric-sql/pglite',
    '@electric-sql/pglite-pgvector',
    '@electric-sql/pglite/nodefs',
  ],
  'shared/text/threads/prepare-batch-thread.ts': [],
  'shared/text/threads/word-changes-thread.ts': ['diff', 'piscina'],
};

describe('product code', () => {
  test('no file has more than 500 lines', () => {
    const files = FILES.filter((file) => file !== 'db/schema.sql' && !file.startsWith('db/migrations/'));
    assert.deepEqual(
      files.filter((file) => read(file).split('\n').length - 1 > 500),
      [],
    );
  });

  test('a thread loads only what it uses', () => {
    const threads = globSync('{api,core,db,shared,worker}/**/*thread.ts', { cwd: ROOT });
    const loaded = threads.sort().map((file) => [file, packagesOf(file)]);
    assert.deepEqual(Object.fromEntries(loaded), THREADS);
  });

  test('only the command runner and searches insert audit events', () => {
    const writers = FILES.filter((file) => /\binsert(?:AuditEvents|SearchEvent)\(/.test(read(file)));
    const known = ['core/access/run-command.ts', 'core/search/queries.ts', 'db/queries/audit.ts'];
    assert.deepEqual(writers.sort(), known);
  });
});
