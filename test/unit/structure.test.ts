import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../support/root.ts';

const FILES = globSync('{api,worker,core,shared,db,cli,web}/**/*.{ts,js,css,html,sql}', { cwd: ROOT });

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('product code', () => {
  test('no file has more than 500 lines', () => {
    const files = FILES.filter((file) => file !== 'db/schema.sql' && !file.startsWith('db/migrations/'));
    assert.deepEqual(
      files.filter((file) => read(file).split('\n').length - 1 > 500),
      [],
    );
  });

  test('only the command runner and searches insert audit events', () => {
    const writers = FILES.filter((file) => /\binsert(?:AuditEvents|SearchEvent)\(/.test(read(file)));
    assert.deepEqual(writers.sort(), [
      'core/access/run-command.ts',
      'core/search/queries.ts',
      'db/queries/audit.ts',
    ]);
  });
});
