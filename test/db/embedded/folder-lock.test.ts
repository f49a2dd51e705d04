import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { FolderLockedError, lockFolder } from '../../../db/startup/folder-lock.ts';
import { type ChildProcess, fork } from '../../support/needs/command.ts';
import { openEmbedded } from '../../support/needs/own-database.ts';

const HOLDER = join(import.meta.dirname, 'lock-holder.ts');

const folders: string[] = [];
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'team-memory-lock-'));
  folders.push(folder);
  return folder;
}

/** Another process that tries to lock the folder, and the first thing it says: `locked`, or why not. */
async function lockElsewhere(folder: string): Promise<{ child: ChildProcess; outcome: string }> {
  const child = fork(HOLDER, [folder], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  children.push(child);
  const [outcome] = (await once(child, 'message')) as [string];
  return { child, outcome };
}

async function killHard(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('a locked folder', { concurrency: true }, () => {
  test('is refused to another process and to a second caller in the same process', async () => {
    const folder = await emptyFolder();
    const lock = await lockFolder(folder);
    assert.equal((await lockElsewhere(folder)).outcome, 'FolderLockedError');
    await assert.rejects(lockFolder(folder), FolderLockedError);
    await lock.release();
  });

  test('can be locked again at once after its release, and a second release does nothing', async () => {
    const folder = await emptyFolder();
    const first = await lockFolder(folder);
    await first.release();
    assert.equal(existsSync(join(folder, 'lock')), false, 'nothing is left to wait for');
    const { child, outcome } = await lockElsewhere(folder);
    assert.equal(outcome, 'locked');
    await first.release();
    assert.equal(existsSync(join(folder, 'lock')), true, 'a late release leaves the lock of the next alone');
    await killHard(child);
  });

  test('is locked by exactly one of two callers that ask at once', async () => {
    const folder = await emptyFolder();
    const two = await Promise.allSettled([lockFolder(folder), lockFolder(folder)]);
    const refused = two.filter((one) => one.status === 'rejected');
    assert.deepEqual(
      refused.map((one) => (one.reason as Error).name),
      ['FolderLockedError'],
    );
    for (const one of two) if (one.status === 'fulfilled') await one.value.release();
  });

  test('is taken over by exactly one of two waiting callers when its process was killed', async () => {
    const folder = await emptyFolder();
    const { child, outcome } = await lockElsewhere(folder);
    assert.equal(outcome, 'locked');
    await killHard(child);
    assert.equal(existsSync(join(folder, 'lock')), true, 'a killed process leaves its lock behind');
    const two = await Promise.all([lockElsewhere(folder), lockElsewhere(folder)]);
    assert.deepEqual(two.map((one) => one.outcome).sort(), ['FolderLockedError', 'locked']);
  });

  test('is taken over if only the pid in the lock file matches a running process', async () => {
    const folder = await emptyFolder();
    for (const mark of ['', ' another-boot pid:[4026531836] 77']) {
      await writeFile(join(folder, 'lock'), `someone-else 12 pid ${process.pid}${mark}\n`);
      const lock = await lockFolder(folder);
      assert.doesNotMatch(await readFile(join(folder, 'lock'), 'utf8'), /someone-else/);
      await lock.release();
    }
  });

  test('is taken over from an earlier process with the same pid, but not from one that updates the lock', async () => {
    const folder = await emptyFolder();
    const lock = await lockFolder(folder);
    const own = await readFile(join(folder, 'lock'), 'utf8');
    await assert.rejects(lockFolder(folder), FolderLockedError);
    await lock.release();
    // The same, but started at another time.
    await writeFile(join(folder, 'lock'), own.replace(/\d+\n$/, '1\n'));
    await (await lockFolder(folder)).release();
  });

  test('is not taken over from a suspended process, which can continue later', {
    skip: process.platform !== 'linux' && 'only Linux tells that a process is there',
  }, async () => {
    const folder = await emptyFolder();
    const { child } = await lockElsewhere(folder);
    child.kill('SIGSTOP');
    await assert.rejects(lockFolder(folder), FolderLockedError);
    await killHard(child);
    await (await lockFolder(folder)).release();
  });

  test('stays locked while the main thread of its process computes without a pause', async () => {
    const folder = await emptyFolder();
    const { child } = await lockElsewhere(folder);
    const blocked = once(child, 'message');
    child.send('block');
    await blocked;
    await assert.rejects(lockFolder(folder), FolderLockedError);
    await killHard(child);
  });

  test('ends its process when the lock file belongs to another process, to prevent corruption', async () => {
    const folder = await emptyFolder();
    const { child } = await lockElsewhere(folder);
    const exited = once(child, 'exit');
    await writeFile(join(folder, 'lock'), 'another 0 pid 1\n');
    assert.deepEqual(await exited, [1, null]);
  });
});

describe('an embedded database in a locked folder', () => {
  test('refuses a second process, keeps its rows, and releases the folder when closed', async () => {
    const dataDir = await emptyFolder();
    const first = await openEmbedded({ dataDir });
    await first.query('create table kept (id int)');
    await first.query('insert into kept values (7)');
    await assert.rejects(openEmbedded({ dataDir }), FolderLockedError);
    await first.close();
    await first.close();
    assert.equal(existsSync(join(dataDir, 'lock')), false);
    const second = await openEmbedded({ dataDir });
    assert.deepEqual(await second.query('select id from kept'), [{ id: 7 }]);
    await second.close();
  });

  test('releases the folder when the database cannot be opened', async () => {
    const dataDir = await emptyFolder();
    await writeFile(join(dataDir, 'postgres'), 'no database');
    await assert.rejects(openEmbedded({ dataDir }), /the embedded database did not start/);
    assert.equal(existsSync(join(dataDir, 'lock')), false);
  });
});
