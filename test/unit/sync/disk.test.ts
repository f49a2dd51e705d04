import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDisk, sha256Of } from '../../../cli/sync/disk.ts';
import { makeStateFolder, STATE_FOLDER } from '../../../cli/sync/state.ts';
import { openFolders } from './sync-folders.ts';

/** Of Linux: most often a file system of its own. */
const MEMORY = '/dev/shm';

const newFolder = await openFolders();

/** Why a test that needs two file systems cannot run here; false where it can. */
async function noSecond(): Promise<string | false> {
  const second = await stat(MEMORY).catch(() => null);
  const first = await stat(tmpdir());
  return second === null || second.dev === first.dev ? `${MEMORY} is no other file system` : false;
}

test('a folder on another file system than .team-memory is reported, and no file changes', {
  skip: await noSecond(),
}, async (t) => {
  const { folder, write, tree } = await newFolder('One');
  await write('team/a.txt', 'a');
  const elsewhere = await mkdtemp(join(MEMORY, 'sync-test-'));
  t.after(() => rm(elsewhere, { recursive: true }));
  // No test can mount anything: from the place of incoming files the two are as far apart this way round.
  await symlink(elsewhere, join(folder, STATE_FOLDER));
  const disk = await openDisk(folder);
  const why = 'its folder and .team-memory are on different file systems: keep the whole folder on one';
  const content = Buffer.from('new');
  const over = sha256Of(Buffer.from('a'));
  const at = (name: string) => join(folder, 'team', name);
  assert.deepEqual(await disk.write(at('b.txt'), null, content, new Date()), { why });
  assert.deepEqual(await disk.write(at('a.txt'), over, content, new Date()), { why });
  assert.deepEqual(await disk.saveCopy(at('a.txt'), at('c.txt'), over), { why });
  assert.deepEqual(await tree(), { 'team/a.txt': 'a' });
});

test('a file keeps its mode when its content is replaced', async () => {
  const { folder, write, tree } = await newFolder('Two');
  await write('team/run.sh', 'old');
  const at = join(folder, 'team', 'run.sh');
  await chmod(at, 0o750);
  await makeStateFolder(folder);
  const disk = await openDisk(folder);
  const replaced = await disk.write(at, sha256Of(Buffer.from('old')), Buffer.from('new'), new Date());
  assert.equal(replaced, 'done');
  assert.deepEqual(await tree(), { 'team/run.sh': 'new' });
  assert.equal(((await stat(at)).mode & 0o777).toString(8), '750');
});
