import assert from 'node:assert/strict';
import { chmod, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CLIENT_ID, openInStep, TEAM, told } from './sync-in-step.ts';

const { inStep } = await openInStep();
const CAPITALS = `clients/${CLIENT_ID.toUpperCase()}`;
const CLIENT = `clients/${CLIENT_ID}`;
const BOTH = { scopes: ['team', CLIENT] };
/** No folder can be closed to root. */
const MAY_READ_ALL = process.getuid?.() === 0;
const LARGE = 'x'.repeat(10 * 1024 * 1024 + 1);

describe('a file or link in the place of a root folder', () => {
  test('a file beside the folders of clients is counted as outside and blocks nothing', async () => {
    const { workspace, folder, publish } = await inStep({ [`${CLIENT}/a`]: 'a', 'team/a': 'a' }, BOTH);
    await folder.write('clients/Thumbs.db', 'x');
    await folder.write(`${CLIENT}/mine`, 'mine');
    await publish({ [`${CLIENT}/theirs`]: 'theirs' });
    const outcome = await folder.sync(workspace.as(BOTH));
    assert.deepEqual(outcome.changes.map(({ what, path }) => `${what} ${path}`).sort(), [
      `fetched ${CLIENT}/theirs`,
      `sent ${CLIENT}/mine`,
    ]);
    assert.deepEqual([told(outcome), outcome.figures.outside], [[], 1]);
  });

  test('a root whose name differs only in case is reported once, and no file is deleted', async () => {
    const { workspace, folder } = await inStep({ 'team/a': 'a', 'team/b': 'b' });
    await rename(join(folder.folder, 'team'), join(folder.folder, 'Team'));
    const why = 'uses this name, or one that differs only in case: rename it';
    assert.deepEqual(told(await folder.sync(workspace.as(TEAM))), [`not sent team: Team/a ${why}`]);
    await rename(join(folder.folder, 'Team'), join(folder.folder, 'elsewhere'));
    await symlink('elsewhere', join(folder.folder, 'TEAM'));
    assert.deepEqual(told(await folder.sync(workspace.as(TEAM))), [`not sent team: TEAM ${why}`]);
    assert.deepEqual(workspace.live(), { 'team/a': 'a', 'team/b': 'b' });
  });

  test('a file in the place of a root or of a client folder is reported, and no file is deleted', async () => {
    const files = { [`${CLIENT}/a`]: 'a', 'team/a': 'a' };
    const { workspace, folder } = await inStep(files, BOTH);
    await rm(join(folder.folder, 'team'), { recursive: true });
    await rm(join(folder.folder, CLIENT), { recursive: true });
    await folder.write('team', 'x');
    await folder.write(CAPITALS, 'x');
    assert.deepEqual(told(await folder.sync(workspace.as(BOTH))), [
      `not sent ${CAPITALS}: it is a file, but its name is that of a client’s folder: rename it`,
      'not sent team: team uses this name, or one that differs only in case: rename it',
    ]);
    assert.deepEqual(workspace.live(), files);
  });
});

describe('a client folder whose id is in capitals', () => {
  /** Syncs the files, then renames the client's folder to capitals. */
  const inCapitals = async (files: Record<string, string>) => {
    const made = await inStep(files, BOTH);
    await rename(join(made.folder.folder, CLIENT), join(made.folder.folder, CAPITALS));
    return made;
  };

  test('files that are too large, behind a link or closed are not deleted in the service', async () => {
    const names = ['big', 'linked/a', 'closed/a'];
    const files = Object.fromEntries(names.map((name) => [`${CLIENT}/${name}`, 'a']));
    const { workspace, folder } = await inCapitals(files);
    await folder.write(`${CAPITALS}/big`, LARGE);
    await rename(join(folder.folder, CAPITALS, 'linked'), join(folder.folder, 'elsewhere'));
    await symlink(join(folder.folder, 'elsewhere'), join(folder.folder, CAPITALS, 'linked'));
    const closed = join(folder.folder, CAPITALS, 'closed');
    await chmod(closed, 0o000);
    const outcome = await folder.sync(workspace.as(BOTH)).finally(() => chmod(closed, 0o700));
    assert.deepEqual(outcome.changes, []);
    assert.deepEqual(told(outcome), [
      `not sent ${CAPITALS}/big: it is larger than 10 MiB`,
      ...(MAY_READ_ALL ? [] : [`not sent ${CAPITALS}/closed: it cannot be read (EACCES)`]),
    ]);
    assert.deepEqual(workspace.live(), files);
  });

  test('a client folder that is a symbolic link is not synced', async () => {
    const files = { [`${CLIENT}/a`]: 'a', 'team/a': 'a' };
    const { workspace, folder, publish } = await inCapitals(files);
    await rename(join(folder.folder, CAPITALS), join(folder.folder, 'elsewhere'));
    await symlink(join(folder.folder, 'elsewhere'), join(folder.folder, CAPITALS));
    await publish({ [`${CLIENT}/a`]: 'theirs' });
    assert.deepEqual((await folder.sync(workspace.as(BOTH))).changes, []);
    assert.equal(workspace.live()[`${CLIENT}/a`], 'theirs');
    assert.equal(await readFile(join(folder.folder, 'elsewhere', 'a'), 'utf8'), 'a');
  });

  test('a folder in capitals receives new and deleted files without a second folder', async () => {
    const names = ['a', 'b', 'c', 'deep/d'];
    const files = Object.fromEntries(names.map((name) => [`${CLIENT}/${name}`, name]));
    const { workspace, folder, publish } = await inCapitals(files);
    await publish({ [`${CLIENT}/b`]: 'bb', [`${CLIENT}/c`]: 'theirs', [`${CLIENT}/deep/d`]: null });
    await publish({ [`${CLIENT}/new/e`]: 'e' });
    await folder.write(`${CAPITALS}/c`, 'mine');
    await folder.remove(`${CAPITALS}/a`);
    const outcome = await folder.sync(workspace.as(BOTH));
    assert.deepEqual(told(outcome), []);
    const tree = await folder.tree();
    assert.ok(Object.keys(tree).every((path) => path.startsWith(`${CAPITALS}/`)));
    assert.deepEqual(Object.values(tree).sort(), ['bb', 'e', 'mine', 'theirs']);
    const there = Object.entries(workspace.live()).map(([path, text]) => [
      path.replace(CLIENT, CAPITALS),
      text,
    ]);
    assert.deepEqual(Object.fromEntries(there), tree);
    assert.deepEqual((await folder.sync(workspace.as(BOTH))).changes, []);
  });

  test('a folder with a second spelling is reported, and neither folder changes', async () => {
    const files = { [`${CLIENT}/a`]: 'a', [`${CLIENT}/b`]: 'b', 'team/a': 'a' };
    const { workspace, folder, publish } = await inStep(files, BOTH);
    await folder.write(`${CAPITALS}/a`, 'other');
    await folder.remove(`${CLIENT}/b`);
    await publish({ [`${CLIENT}/a`]: 'theirs' });
    const before = await folder.tree();
    const outcome = await folder.sync(workspace.as(BOTH));
    assert.deepEqual(outcome.changes, []);
    const lines = told(outcome).join('\n');
    const same = 'clients/\\S+ and clients/\\S+ belong to the same client: merge them';
    assert.match(lines, new RegExp(`^not sent clients/\\S+: ${same}`, 'm'));
    assert.match(lines, /^failed clients\/\S+\/a: it changed in the service/m);
    assert.deepEqual(await folder.tree(), before);
    assert.deepEqual(workspace.live(), { ...files, [`${CLIENT}/a`]: 'theirs' });
  });
});
