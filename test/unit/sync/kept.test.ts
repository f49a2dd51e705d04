import assert from 'node:assert/strict';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { lockForSync } from '../../../cli/sync/disk.ts';
import { makeStateFolder, readState } from '../../../cli/sync/state.ts';
import { treeOf } from './sync-folders.ts';
import { openInStep, TEAM, told } from './sync-in-step.ts';
import { openMemoryWorkspace } from './sync-service.ts';

const { newFolder, inStep } = await openInStep();

describe('the scopes of a sync', () => {
  test('files of a lost scope stay and are not sent until access returns', async () => {
    const both = { scopes: ['team', 'clients/x'] };
    const { workspace, folder, publish } = await inStep(
      { 'team/a': 'a', 'clients/x/a': 'one', 'clients/x/b': 'b' },
      both,
    );
    await folder.write('clients/x/a', 'edited');
    const why = 'you do not have access to it: 2 files here are left unchanged, 1 of them not sent';
    assert.deepEqual(told(await folder.sync(workspace.as(TEAM))), [`not sent clients/x/: ${why}`]);
    await publish({ 'clients/x/b': null, 'clients/x/c': 'c' });
    assert.deepEqual(told(await folder.sync(workspace.as(both))), []);
    assert.deepEqual(await folder.tree(), { 'clients/x/a': 'edited', 'clients/x/c': 'c', 'team/a': 'a' });
    assert.equal(workspace.live()['clients/x/a'], 'edited');
  });

  test('a read-only scope receives changes of others and sends none', async () => {
    const rights = { scopes: ['team', 'clients/x'], readOnly: ['clients/x'] };
    const { workspace, folder, publish } = await inStep({ 'team/a': 'a', 'clients/x/a': 'one' }, rights);
    await folder.write('clients/x/new', 'new');
    await folder.write('clients/x/a', 'mine');
    await folder.write('team/new', 'new');
    await publish({ 'clients/x/a': 'theirs' });
    const outcome = await folder.sync(workspace.as(rights));
    assert.deepEqual(told(outcome), [
      'not sent clients/x/: you can only read clients/x/: 2 changes are not sent',
    ]);
    assert.equal((await folder.tree())['clients/x/a'], 'theirs');
    assert.ok(Object.values(await folder.tree()).includes('mine'));
    assert.deepEqual(Object.keys(workspace.live()).sort(), ['clients/x/a', 'team/a', 'team/new']);
  });

  test('a deletion is still sent after the scope with the latest change was lost', async () => {
    const both = { scopes: ['team', 'clients/x'] };
    const files = { 'team/a': 'a', 'team/b': 'b', 'clients/x/a': 'one' };
    const { workspace, folder, publish } = await inStep(files, both);
    await publish({ 'clients/x/a': 'two' });
    await folder.sync(workspace.as(both));
    await folder.remove('team/a');
    await folder.sync(workspace.as(TEAM));
    assert.deepEqual(await folder.tree(), { 'clients/x/a': 'two', 'team/b': 'b' });
    assert.deepEqual(workspace.live(), { 'clients/x/a': 'two', 'team/b': 'b' });
  });

  test('no file is deleted if the service was restored to an earlier state', async () => {
    const { workspace, folder } = await inStep({ 'team/a': 'a', 'team/b': 'b', 'team/c': 'c' });
    for (const name of ['d', 'e']) {
      await folder.write(`team/${name}`, name);
      await folder.sync(workspace.as(TEAM));
    }
    await folder.sync(workspace.as(TEAM));
    const early = openMemoryWorkspace();
    const author = await newFolder('Author');
    await author.write('team/a', 'a');
    await author.sync(early.as(TEAM));
    await folder.sync(early.as(TEAM));
    assert.deepEqual(Object.values(early.live()).sort(), ['a', 'b', 'c', 'd', 'e']);
  });
});

describe('the state of a sync', () => {
  test('a dry run reports the same plan and writes nothing', async () => {
    const { workspace, folder } = await inStep({ 'team/a': 'a' });
    await folder.write('team/new', 'new');
    await folder.remove('team/a');
    const before = [await folder.tree(), await readState(folder.folder)];
    const { changes } = await folder.sync(workspace.as(TEAM), true);
    assert.deepEqual([await folder.tree(), await readState(folder.folder)], before);
    assert.deepEqual((await folder.sync(workspace.as(TEAM))).changes, changes);
    const fresh = await newFolder('Fresh');
    await fresh.sync(workspace.as(TEAM), true);
    assert.deepEqual([await treeOf(fresh.folder), await readState(fresh.folder)], [{}, null]);
  });

  test('a journal is read up to an incomplete last line, and a damaged state is reported', async () => {
    const { workspace, folder } = await inStep({ 'team/a': 'a', 'team/b': 'b' });
    const place = join(folder.folder, '.team-memory');
    const entry = (path: string) =>
      JSON.stringify({ [path]: { version: 7, sha256: 'x', bytes: 1, modified: null } });
    await writeFile(
      join(place, 'journal.jsonl'),
      `{"team/a":null}\n${entry('team/c')}\n${entry('team/d').slice(0, 20)}`,
    );
    const state = await readState(folder.folder);
    assert.deepEqual([...(state?.files.keys() ?? [])].sort(), ['team/b', 'team/c']);
    const { changes, notDone } = await folder.sync(workspace.as(TEAM));
    assert.deepEqual([changes, notDone], [[], []]);
    await writeFile(join(place, 'state.json'), '{"format":2}');
    await assert.rejects(folder.sync(workspace.as(TEAM)), /state\.json is damaged.*remove \.team-memory/);
    await rm(place, { recursive: true });
    await folder.write('team/b', 'other');
    await folder.sync(workspace.as(TEAM));
    assert.deepEqual(Object.values(await folder.tree()).sort(), ['a', 'b', 'other']);
  });

  test('a folder allows one sync at a time, and the lock of an ended process is replaced', async () => {
    const { folder } = await newFolder('One');
    await makeStateFolder(folder);
    const lock = join(folder, '.team-memory', 'lock');
    const release = lockForSync(folder);
    assert.throws(() => lockForSync(folder), /another sync of this folder is running \(process \d+ on /);
    const held = JSON.parse(await readFile(lock, 'utf8')) as Record<string, unknown>;
    release();
    await assert.rejects(stat(lock), { code: 'ENOENT' });
    // No process has this id: it is beyond the largest of any system.
    await writeFile(lock, JSON.stringify({ ...held, pid: 2 ** 30 }));
    lockForSync(folder)();
    await writeFile(lock, JSON.stringify({ ...held, host: 'elsewhere', pid: 2 ** 30 }));
    assert.throws(() => lockForSync(folder), /on elsewhere\); if no sync is running, remove .*lock/);
  });
});
