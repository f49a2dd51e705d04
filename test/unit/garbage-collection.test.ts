import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GARBAGE_COLLECTION_FLAGS } from '../../api/server.ts';
import { execFileSync } from '../support/needs/command.ts';

test('V8 has each flag that sets how the API collects garbage', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' }).split(/\s+/);
  for (const flag of GARBAGE_COLLECTION_FLAGS) assert.ok(known.includes(flag.replace(/=.*/, '')), flag);
});
