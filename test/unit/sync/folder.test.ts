import assert from 'node:assert/strict';
import { readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ServiceClient } from '../../../cli/client/service-client.ts';
import type { PullResponse } from '../../../shared/schemas/workspace.ts';
import { treeOf } from './sync-folders.ts';
import { openInStep, TEAM, told } from './sync-in-step.ts';

const { newFolder, inStep } = await openInStep();

describe('files that a sync fetches', () => {
  test('a sync does not follow a symbolic link to a folder, and deletes no file behind it', async () => {
    const { workspace, folder, publish } = await inStep({ 'team/docs/a.txt': 'one', 'team/b.txt': 'b' });
    const elsewhere = `${folder.folder}-elsewhere`;
    await rename(join(folder.folder, 'team', 'docs'), elsewhere);
    await symlink(elsewhere, join(folder.folder, 'team', 'docs'));
    await publish({ 'team/docs/a.txt': 'two', 'team/docs/new.txt': 'new' });
    const outcome = await folder.sync(workspace.as(TEAM));
    const why = 'it changed in the service, but was not fetched because of the problem here';
    assert.deepEqual(
      told(outcome),
      ['a', 'new'].map((name) => `failed team/docs/${name}.txt: ${why}`),
    );
    assert.deepEqual(await treeOf(elsewhere), { 'a.txt': 'one' });
    assert.deepEqual(Object.keys(workspace.live()), ['team/b.txt', 'team/docs/a.txt', 'team/docs/new.txt']);
    // The next sync completes the changes after the link is removed.
    await rm(join(folder.folder, 'team', 'docs'));
    await rename(elsewhere, join(folder.folder, 'team', 'docs'));
    assert.deepEqual(told(await folder.sync(workspace.as(TEAM))), []);
    assert.equal((await folder.tree())['team/docs/new.txt'], 'new');
    await rm(elsewhere, { recursive: true, force: true });
  });

  test('a sync writes nothing if the root folder is a symbolic link', async () => {
    const { workspace, folder } = await inStep({ 'team/a.txt': 'one' });
    const other = await newFolder('Other');
    await symlink(join(folder.folder, 'team'), join(other.folder, 'team'));
    workspace.files.set('team/b.txt', { version: 1, revision: 1, content: Buffer.from('b') });
    assert.equal(told(await other.sync(workspace.as(TEAM))).length, 2);
    assert.deepEqual(Object.keys(await folder.tree()), ['team/a.txt']);
  });

  test('a path that the workspace does not allow is reported and never written', async () => {
    const { workspace, folder } = await inStep({ 'team/a.txt': 'one' });
    const paths = ['team/../../up.txt', '/etc/x', 'team/aux', 'team/.team-memory/state.json', 'clients/x/a'];
    for (const path of paths)
      workspace.files.set(path, { version: 1, revision: 9, content: Buffer.from('x') });
    const again = await newFolder('Again');
    const service = workspace.as({ scopes: ['team', '/etc'] });
    const outcome = await again.sync(service);
    assert.deepEqual(Object.keys(await again.tree()), ['team/a.txt']);
    assert.deepEqual(
      told(outcome)
        .map((line) => line.split(':', 1)[0])
        .sort(),
      ['failed /etc/x', 'failed team/../../up.txt', 'failed team/aux'],
    );
    assert.equal(outcome.figures.leftOutThere, 1);
    assert.ok((await stat(folder.folder)).isDirectory());
  });

  test('a content that was damaged on the way is reported and never written, and fetched by the next sync', async () => {
    const { workspace, folder, publish } = await inStep({ 'team/a': 'old' });
    await publish({ 'team/a': 'new' });
    const service = workspace.as(TEAM);
    const damaged: ServiceClient = {
      ...service,
      post: async (...asked) => {
        const answer = await service.post(...asked);
        const { files } = answer as PullResponse;
        for (const file of files) file.contentBase64 = Buffer.from('damaged').toString('base64');
        return answer;
      },
    };
    assert.deepEqual(told(await folder.sync(damaged)), [
      'failed team/a: the content that was received does not match its checksum',
    ]);
    assert.deepEqual(await folder.tree(), { 'team/a': 'old' });
    assert.deepEqual(told(await folder.sync(service)), []);
    assert.deepEqual(await folder.tree(), { 'team/a': 'new' });
  });

  test('a file never replaces a folder, or a folder a file, and no content is lost', async () => {
    const { workspace, folder, publish } = await inStep({ 'team/z.txt': 'z' });
    await folder.write('team/a', 'a file here');
    await folder.write('team/b/c', 'a folder here');
    await publish({ 'team/a/b': 'a folder there', 'team/b': 'a file there' });
    const outcome = await folder.sync(workspace.as(TEAM));
    assert.deepEqual(told(outcome).sort(), [
      'failed team/a/b: team/a is not a folder here',
      'failed team/b: its path here is not a file',
      'not sent team/a: team/a/b exists, and one of the two would be a folder above the other',
      'not sent team/b/c: team/b exists, and one of the two would be a folder above the other',
    ]);
    assert.equal((await folder.tree())['team/a'], 'a file here');
    await rename(join(folder.folder, 'team', 'a'), join(folder.folder, 'team', 'a.txt'));
    await rm(join(folder.folder, 'team', 'b'), { recursive: true });
    assert.deepEqual(told(await folder.sync(workspace.as(TEAM))), []);
    assert.deepEqual(Object.keys(await folder.tree()), ['team/a.txt', 'team/a/b', 'team/b', 'team/z.txt']);
    assert.deepEqual(await folder.tree(), workspace.live());
  });
});

describe('files in the synced folder', () => {
  test('a file that is missing only for a moment is not deleted in the service', async () => {
    const { workspace, folder } = await inStep({ 'team/a': 'a', 'team/b': 'b', 'team/c': 'c' });
    await folder.remove('team/a');
    let asked = 0;
    const saving = async ({ path }: { path: string }) => {
      if (path.endsWith('/manifest') && asked++ === 0) await folder.write('team/a', 'saved');
    };
    await folder.sync(workspace.as(TEAM, undefined, saving));
    assert.equal(workspace.live()['team/a'], 'saved');
    assert.equal(workspace.files.get('team/a')?.version, 2);
  });

  test('a file whose name changes the direction of text is fetched and deleted but never sent', async () => {
    const name = 'team/invoice\u202efdp.exe';
    const why =
      'its path must not contain a character that changes the direction of text (U+061C, U+200E, U+200F, U+202A–E, U+2066–9)';
    const { workspace, folder } = await inStep({ 'team/a.txt': 'one' });
    // Stored before such names were refused.
    workspace.files.set(name, { version: 1, revision: 2, content: Buffer.from('old') });
    assert.deepEqual(told(await folder.sync(workspace.as(TEAM))), []);
    assert.equal((await folder.tree())[name], 'old');
    await folder.write(name, 'new');
    await folder.write('team/\u2066b.txt', 'x');
    await folder.write('team/c.txt', 'sent');
    const refused = told(await folder.sync(workspace.as(TEAM)));
    assert.deepEqual(refused.sort(), [`not sent ${name}: ${why}`, `not sent team/\u2066b.txt: ${why}`]);
    assert.deepEqual(workspace.live(), { 'team/a.txt': 'one', [name]: 'old', 'team/c.txt': 'sent' });
    for (const path of [name, 'team/\u2066b.txt']) await folder.remove(path);
    assert.deepEqual(told(await folder.sync(workspace.as(TEAM))), []);
    assert.deepEqual(workspace.live(), { 'team/a.txt': 'one', 'team/c.txt': 'sent' });
  });

  test('a file that the service cannot accept is reported and left unchanged', async () => {
    const { workspace, folder, publish } = await inStep({ 'team/a.txt': 'one', 'team/big.bin': 'small' });
    await folder.write('team/con.txt', 'x');
    await folder.write('team/big.bin', 'x'.repeat(10 * 1024 * 1024 + 1));
    await folder.write('team/e\u0301.txt', 'one form');
    await folder.write('team/\u00e9.txt', 'the other');
    await folder.write('README.md', 'beside');
    await folder.write('team/node_modules/x/index.js', 'x');
    const outcome = await folder.sync(workspace.as(TEAM));
    assert.deepEqual(told(outcome).sort(), [
      'not sent team/big.bin: it is larger than 10 MiB',
      'not sent team/con.txt: its path must not have a segment that Windows reserves',
      'not sent team/\u00e9.txt: two files here have names that count as the same: rename one of them',
    ]);
    assert.equal(outcome.figures.outside, 1);
    assert.deepEqual(outcome.figures.leftOut, { hidden: 0, installed: 1, links: 0, special: 0 });
    assert.deepEqual(workspace.live(), { 'team/a.txt': 'one', 'team/big.bin': 'small' });
    await publish({ 'team/\u00e9.txt': 'from there' });
    assert.match(told(await folder.sync(workspace.as(TEAM))).join('\n'), /^failed team\/\u00e9/m);
    assert.equal(await readFile(join(folder.folder, 'team', '\u00e9.txt'), 'utf8'), 'the other');
  });

  test('a file keeps its name if the service has another Unicode form of it', async () => {
    const { workspace, folder, publish } = await inStep({ 'team/a.txt': 'one' });
    await folder.write('team/e\u0301te\u0301.txt', 'here');
    await folder.sync(workspace.as(TEAM));
    assert.equal(workspace.live()['team/\u00e9t\u00e9.txt'], 'here');
    await publish({});
    await publish({ 'team/\u00e9t\u00e9.txt': 'there' });
    await folder.sync(workspace.as(TEAM));
    assert.deepEqual(await folder.tree(), { 'team/a.txt': 'one', 'team/e\u0301te\u0301.txt': 'there' });
  });

  test('names that differ only in case are reported, and a change of case is one request', async () => {
    const { workspace, folder } = await inStep({ 'team/a.txt': 'one', 'team/b/c.txt': 'c' });
    await folder.write('team/A.txt', 'two');
    assert.deepEqual(told(await folder.sync(workspace.as(TEAM))), [
      'not sent team/A.txt: team/a.txt exists, and its name differs only in case',
    ]);
    await folder.remove('team/a.txt');
    await rename(join(folder.folder, 'team', 'b'), join(folder.folder, 'team', 'B'));
    let pushes = 0;
    const counting = workspace.as(TEAM, ({ path }) => {
      if (path.endsWith('/push')) pushes += 1;
      return Promise.resolve();
    });
    assert.deepEqual(told(await folder.sync(counting)), []);
    assert.deepEqual([pushes, Object.keys(workspace.live()).sort()], [1, ['team/A.txt', 'team/B/c.txt']]);
  });
});
