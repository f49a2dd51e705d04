import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTERNAL_MEMORY_FLAG } from '../../api/external-memory.ts';
import { execFileSync } from '../support/needs/command.ts';

test('V8 has the flag that counts external memory with the heap', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  assert.ok(known.split(/\s+/).includes(EXTERNAL_MEMORY_FLAG));
});
