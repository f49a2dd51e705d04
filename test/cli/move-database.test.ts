import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { assertRefused, CHECKOUT, openHomes } from './cli.ts';

// The package of the client cannot move databases.
const { home, run } = await (await openHomes(CHECKOUT))();

// Moves are tested in test/db/move, and by this command in test/faults/kill-move.test.ts.
describe('cli move --from', () => {
  test('requires two databases, and nothing else', async () => {
    assertRefused(await run(['move', '--from', 'a']), /--from and --to: name two databases/);
    assertRefused(await run(['move', '--from', '', '--to', 'b']), /--from and --to: name two databases/);
    assertRefused(await run(['move', 'id', '--from', 'a', '--to', 'b']), /cannot be combined with an id/);
    assertRefused(await run(['move', '--memory', '--from', 'a', '--to', 'b']), /cannot be combined with/);
  });

  test('names the folder from the working folder, and changes nothing if it has no database', async () => {
    const ended = await run(['move', '--from', 'data', '--to', 'other']);
    assertRefused(ended, /--from: \S+ has no embedded database/);
    assert.ok(ended.stderr.includes(join(home, 'data')), ended.stderr);
    assert.deepEqual(await readdir(home), []);
  });

  test('prints no password of an address', async () => {
    for (const address of [
      'postgres://user:secret@127.0.0.1:1/db',
      'postgres://user:secret@one,/db',
      'x://user:secret@host',
      'postgres:user:secret@host',
      'host=db user=u password=secret',
    ]) {
      const ended = await run(['move', '--from', address, '--to', 'data']);
      assertRefused(ended, /^memory: --from: /);
      assert.ok(!ended.stderr.includes('secret'), ended.stderr);
    }
  });
});
