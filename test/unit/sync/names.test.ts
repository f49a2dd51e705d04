import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { conflictPath, foldersAbove, isLeftOut } from '../../../cli/sync/names.ts';
import { parseWorkspacePath } from '../../../shared/formats/workspace-path.ts';

const EDITED = Date.UTC(2026, 10, 21, 20, 45, 1, 999);

test('the name of a conflict copy contains the author and the time of the edit', () => {
  assert.equal(
    conflictPath('team/notes/plan.v2.md', 'Ada Lovelace', EDITED, () => false),
    'team/notes/plan.v2 (conflict Ada Lovelace 2026-11-21 204501).md',
  );
  assert.equal(
    conflictPath('team/Makefile', 'a/b: "c"', EDITED, (path) => !path.endsWith(' 3)')),
    'team/Makefile (conflict a b c 2026-11-21 204501 3)',
  );
});

test('the name of a conflict copy is a valid path in the same scope for any path and author', () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
    .map((text) => text.normalize('NFC').replaceAll(/[\p{Cc}/\\<>:"|?*]/gu, '-'));
  const path = fc
    .array(segment, { minLength: 1, maxLength: 8 })
    .map((segments) => `team/${segments.join('/')}`)
    .filter((text) => typeof parseWorkspacePath(text) !== 'string');
  fc.assert(
    fc.property(path, fc.string({ unit: 'binary', maxLength: 300 }), fc.double(), (of, author, time) => {
      let asked = 0;
      const found = conflictPath(of, author, Number.isNaN(time) ? 0 : time, () => (asked += 1) < 3);
      const read = parseWorkspacePath(found);
      assert.ok(typeof read !== 'string', found);
      assert.ok(read.path === found && found.startsWith('team/') && found !== of);
    }),
  );
});

test('hidden and installed paths are left out at any depth', () => {
  const hidden = 'team/.env team/.git/config team/.GIT/config'.split(' ');
  const installed =
    'clients/x/a/node_modules/b/c.js team/Node_Modules/a clients/x/NODE_MODULES/b team/node_moduleſ/a';
  const others = 'team/a.b team/modules/a team/node-modules/a team/Node_Module/a'.split(' ');
  const left = [...hidden, ...installed.split(' ')];
  assert.deepEqual([...left, ...others].filter(isLeftOut), left);
  assert.deepEqual(foldersAbove('a/b/c'), ['a/b', 'a']);
});
