import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AUDIT_KINDS } from '../../shared/schemas/audit.ts';
import { ROOT } from '../support/root.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('the kinds of audit events', () => {
  it('are all written by an operation, a job or the first start', () => {
    const files = globSync('{core,db,worker}/**/*.ts', { cwd: ROOT });
    const code = files.map(read).join('\n');
    const unused = Object.keys(AUDIT_KINDS).filter((kind) => !code.includes(`'${kind}'`));
    assert.deepEqual(unused, []);
  });

  it('are written only in code that the compiler checks', () => {
    const files = [...globSync('{api,core,db,shared,worker}/**/*.{ts,sql}', { cwd: ROOT }), 'start.ts'];
    const writers = files.filter((file) => /insert\s+into\s+(?:memory\.)?audit_event\b/i.test(read(file)));
    assert.deepEqual(writers, ['db/queries/audit.ts']);
  });
});
