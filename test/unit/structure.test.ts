import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../support/root.ts';

const FILES = globSync('{api,worker,core,shared,db,cli,web}/**/*.{ts,js,css,html,sql}', { cwd: ROOT });
/** A dump of the catalog. */
const GENERATED = ['db/schema.sql'];

const countLines = (file: string) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1;

const longerThan = (files: readonly string[], lines: number) =>
  files.map((file) => [file, countLines(file)] as const).filter(([, length]) => length > lines);

describe('product code', () => {
  test('every folder has 3 to 15 files', () => {
    const folders = Map.groupBy(FILES, dirname);
    const wrong = [...folders]
      // A migration is never changed, so their folder grows.
      .filter(([folder]) => folder.includes('/') && folder !== 'db/migrations')
      .filter(([folder, files]) => {
        const hasFolders = FILES.some((file) => dirname(dirname(file)).startsWith(folder));
        return files.length > 15 || (files.length < 3 && !hasFolders);
      })
      .map(([folder, files]) => `${folder}: ${files.length}`);
    assert.deepEqual(wrong, []);
  });

  test('no file has more than 300 lines', () => {
    const files = FILES.filter((file) => !GENERATED.includes(file) && !file.startsWith('db/migrations/'));
    assert.deepEqual(longerThan(files, 300), []);
  });

  test('no route file has more than 80 lines', () => {
    assert.deepEqual(longerThan(globSync('api/routes/**/*.ts', { cwd: ROOT }), 80), []);
  });

  test('no file of a SQL function has more than 80 lines', () => {
    assert.deepEqual(longerThan(globSync('db/functions/**/*.sql', { cwd: ROOT }), 80), []);
  });

  test('only the command runner and searches insert audit events', () => {
    const writers = FILES.filter((file) =>
      /\binsert(?:AuditEvents|SearchEvent)\(/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    assert.deepEqual(writers.sort(), [
      'core/access/run-command.ts',
      'core/search/search-memory.ts',
      'db/queries/identity/audit.ts',
    ]);
  });
});
