import assert from 'node:assert/strict';
import { lstat, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { stampOf } from '../../../cli/import/records.ts';
import type { PassOutcome } from '../../../cli/sync/pass.ts';
import { type BaseFile, readState } from '../../../cli/sync/state.ts';
import type { TestFolder } from './sync-folders.ts';
import { openInStep, TEAM, told } from './sync-in-step.ts';

const { inStep } = await openInStep();

const FILES = { 'team/a.txt': 'one', 'team/b.txt': 'two', 'team/c.txt': 'far' };

/** Files that are in step, with stamps that stand for their contents. */
async function settledFiles() {
  const all = await inStep(FILES);
  const { workspace, folder } = all;
  const at = (name: string) => join(folder.folder, 'team', name);
  const past = new Date('2026-03-01T02:00:00Z');
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await utimes(at(name), past, past);
  await folder.syncLater(workspace.as(TEAM));
  const stamps = [...((await readState(folder.folder))?.files.values() ?? [])];
  assert.ok(stamps.every(({ modified, inode }) => modified === past.getTime() && inode !== undefined));
  return { ...all, at, past };
}

/** Changes the entry of a file in the stored state. */
async function changeEntry({ folder }: TestFolder, path: string, change: (entry: BaseFile) => BaseFile) {
  const file = join(folder, '.team-memory', 'state.json');
  const state = JSON.parse(await readFile(file, 'utf8')) as { files: Record<string, BaseFile> };
  const entry = state.files[path];
  assert.ok(entry);
  state.files[path] = change(entry);
  await writeFile(file, JSON.stringify(state));
}

const lines = ({ changes }: PassOutcome) => changes.map(({ what, path }) => `${what} ${path}`);

describe('a change that keeps the size and the time of a file', () => {
  test('is sent if the file was edited', async () => {
    const { workspace, folder, at, past } = await settledFiles();
    await writeFile(at('a.txt'), 'ONE');
    await utimes(at('a.txt'), past, past);
    const outcome = await folder.syncLater(workspace.as(TEAM));
    assert.deepEqual([lines(outcome), told(outcome)], [['sent team/a.txt'], []]);
    assert.equal(workspace.live()['team/a.txt'], 'ONE');
    assert.deepEqual(lines(await folder.syncLater(workspace.as(TEAM))), []);
  });

  test('is sent if another file took its place, or two files changed their names', async () => {
    const { workspace, folder, at, past } = await settledFiles();
    const other = join(folder.folder, 'other.txt');
    await writeFile(other, 'six');
    await utimes(other, past, past);
    await rename(other, at('c.txt'));
    await rename(at('a.txt'), other);
    await rename(at('b.txt'), at('a.txt'));
    await rename(other, at('b.txt'));
    await folder.syncLater(workspace.as(TEAM));
    assert.deepEqual(workspace.live(), { 'team/a.txt': 'two', 'team/b.txt': 'one', 'team/c.txt': 'six' });
  });

  test('is sent if only the number of the file is another one', async () => {
    const { workspace, folder, at } = await settledFiles();
    await writeFile(at('a.txt'), 'ONE');
    const { inode: _, ...stamp } = stampOf(await lstat(at('a.txt'), { bigint: true }));
    await changeEntry(folder, 'team/a.txt', (entry) => ({ ...entry, ...stamp, inode: '7' }));
    assert.deepEqual(lines(await folder.syncLater(workspace.as(TEAM))), ['sent team/a.txt']);
  });

  test('is sent if the sync before it was within the same moment of the clock', async () => {
    const { workspace, folder, at, past } = await settledFiles();
    const edit = async (text: string) => {
      await writeFile(at('a.txt'), text);
      await utimes(at('a.txt'), past, past);
      await folder.sync(workspace.as(TEAM));
      const entry = (await readState(folder.folder))?.files.get('team/a.txt');
      assert.equal(entry?.modified, null, 'it is read again');
      assert.equal(workspace.live()['team/a.txt'], text);
    };
    await edit('ONE');
    await edit('1st');
  });

  test('is sent if the clock of the computer is ahead of that of its file system', async (t) => {
    const { workspace, folder, at } = await settledFiles();
    const now = Date.now() + 3_600_000;
    t.mock.method(Date, 'now', () => now);
    await writeFile(at('a.txt'), 'ONE');
    await folder.sync(workspace.as(TEAM));
    assert.equal((await readState(folder.folder))?.files.get('team/a.txt')?.modified, null);
  });

  test('is sent from a folder that an earlier version synced, and files that are unchanged are not sent', async () => {
    const { workspace, folder, at, past } = await settledFiles();
    for (const path of Object.keys(FILES)) {
      await changeEntry(folder, path, ({ changed: _c, inode: _i, ...earlier }) => earlier);
    }
    await writeFile(at('a.txt'), 'ONE');
    await utimes(at('a.txt'), past, past);
    assert.deepEqual(lines(await folder.syncLater(workspace.as(TEAM))), ['sent team/a.txt']);
    const { ino } = await stat(at('b.txt'));
    const entry = (await readState(folder.folder))?.files.get('team/b.txt');
    assert.deepEqual([entry?.inode, entry?.version], [String(ino), 1]);
  });
});

describe('a change that the file system does not show at all', () => {
  /** Edits a file that has the stamp that is stored for it, as on a file system without ctime. */
  async function editUnseen(text: string) {
    const all = await settledFiles();
    const { workspace, folder, at } = all;
    await writeFile(at('a.txt'), text);
    const stamp = stampOf(await lstat(at('a.txt'), { bigint: true }));
    await changeEntry(folder, 'team/a.txt', (entry) => ({ ...entry, ...stamp }));
    assert.deepEqual(lines(await folder.syncLater(workspace.as(TEAM))), [], 'the file is not read');
    return all;
  }

  test('is kept next to the change of someone else, in one run', async () => {
    const { workspace, folder, publish } = await editUnseen('ONE');
    await publish({ 'team/a.txt': 'theirs' });
    const outcome = await folder.syncLater(workspace.as(TEAM));
    assert.deepEqual(told(outcome), []);
    assert.deepEqual(Object.values(workspace.live()).sort(), ['ONE', 'far', 'theirs', 'two']);
    assert.deepEqual(await folder.tree(), workspace.live());
  });

  test('is sent if someone else deleted the file, in one run', async () => {
    const { workspace, folder, publish } = await editUnseen('ONE');
    await publish({ 'team/a.txt': null });
    const outcome = await folder.syncLater(workspace.as(TEAM));
    assert.deepEqual([lines(outcome), told(outcome)], [['sent team/a.txt'], []]);
    assert.equal(workspace.live()['team/a.txt'], 'ONE');
  });
});

test('a file with the stamp of the last sync is not read, and one with another stamp and the same content is not sent', async () => {
  const { workspace, folder, at } = await settledFiles();
  const before = await readState(folder.folder);
  await folder.syncLater(workspace.as(TEAM));
  assert.deepEqual(await readState(folder.folder), before);
  await utimes(at('b.txt'), new Date(), new Date());
  assert.deepEqual(lines(await folder.syncLater(workspace.as(TEAM))), []);
  const { mtimeMs } = await stat(at('b.txt'));
  assert.equal((await readState(folder.folder))?.files.get('team/b.txt')?.modified, mtimeMs);
});
