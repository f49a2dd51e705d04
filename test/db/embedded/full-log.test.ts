import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { execFile } from '../../support/needs/command.ts';
import { openEmbedded } from '../../support/needs/own-database.ts';

test('an embedded database that cannot write its log ends the process with a message and keeps every acknowledged write', {
  skip: platform() !== 'linux' && 'the process tells its files apart by /proc',
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'team-memory-full-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const here = import.meta.dirname;
  const args = ['--import', join(here, 'no-space.ts'), join(here, 'full-log.ts'), folder];
  const env = { ...process.env, NO_SPACE_IF: join(folder, 'no-space') };
  const ended = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { env, timeout: 240_000, killSignal: 'SIGKILL' } as const;
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? error?.signal ?? 0, stdout, stderr }),
    );
  });
  assert.equal(ended.code, 1, ended.stderr);
  assert.match(
    ended.stderr,
    /^MEMORY_DATA_DIR: the disk of .* is full and the database cannot write its log/m,
  );
  assert.match(ended.stderr, /^The embedded database failed .*: its thread ended with the exit code 1$/m);
  assert.deepEqual(
    ended.stdout.trim().split('\n'),
    [1, 2, 3].map((n) => `acknowledged ${n}`),
  );
  const database = await openEmbedded({ dataDir: folder });
  t.after(() => database.close());
  const rows = await database.query<{ n: number }>('select n from note order by n');
  assert.deepEqual(
    rows.map(({ n }) => n),
    [1, 2, 3],
  );
});
