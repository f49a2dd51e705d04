import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkpointIfDue } from '../../../db/driver/engine/checkpoints.ts';

/** Calls `checkpointIfDue` after 10 bytes of the log, and returns what it ran. */
async function statementsRun(
  { due, status }: { due: number; status: string | null },
  fails?: string,
): Promise<{ statements: string[]; logBytes: number }> {
  const statements: string[] = [];
  const engine = {
    exec: async (text: string) => {
      statements.push(text);
      if (text === fails) throw new Error('the disk is broken');
      return [];
    },
  };
  const files = { logBytes: 10 };
  await checkpointIfDue(engine, files, status, due);
  return { statements, logBytes: files.logBytes };
}

describe('a checkpoint of the embedded database', () => {
  const plain = 'checkpoint';
  const within = [
    'savepoint due; set local role none; checkpoint',
    'rollback to savepoint due; release savepoint due',
  ];

  test('that fails does not fail the transaction, and is made again later', async () => {
    assert.deepEqual(await statementsRun({ due: 10, status: 'I' }, plain), {
      statements: [plain],
      logBytes: 0,
    });
    assert.deepEqual(await statementsRun({ due: 10, status: 'T' }, within[0]), {
      statements: within,
      logBytes: 0,
    });
  });
});
