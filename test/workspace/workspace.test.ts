import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { addClient } from '../support/scopes.ts';
import { deletion, file, sha256, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();

/** The workspace of a new Team, as its Owner sees it. */
async function open() {
  const company = await service.company();
  const clientId = await addClient(service.database, company);
  return { company, clientId, owner: workspaceOf(service.app, company.headers) };
}

describe('workspace files', () => {
  test('a pushed file is in the manifest and can be pulled', async () => {
    const { owner, clientId, company } = await open();
    const pushed = await owner.push([
      file('team/notes/a.md', 'one'),
      file(`clients/${clientId}/b.md`, 'two'),
    ]);
    assert.equal(pushed.status, 200);
    assert.deepEqual(pushed.body.files, [
      { path: 'team/notes/a.md', version: 1 },
      { path: `clients/${clientId}/b.md`, version: 1 },
    ]);
    const { body } = await owner.manifest();
    assert.equal(body.revision, pushed.body.revision);
    assert.deepEqual(body.scopes, ['team', `clients/${clientId}`]);
    assert.equal(body.nextCursor, null);
    const note = body.items.find(({ path }) => path === 'team/notes/a.md');
    assert.match(note?.updatedAt ?? '', /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
    assert.deepEqual(
      { ...note, updatedAt: '' },
      {
        path: 'team/notes/a.md',
        sha256: sha256('one'),
        bytes: 3,
        version: 1,
        deleted: false,
        indexed: 'pending',
        updatedAt: '',
        updatedBy: company.ownerId,
      },
    );
    const pulled = await owner.pull([{ path: 'team/notes/a.md' }, { path: 'team/nowhere' }]);
    assert.deepEqual(pulled.body, {
      files: [
        {
          path: 'team/notes/a.md',
          version: 1,
          sha256: sha256('one'),
          contentBase64: Buffer.from('one').toString('base64'),
        },
      ],
      missing: ['team/nowhere'],
      remaining: [],
    });
  });

  test('a push with another base than the current version returns 409 and writes nothing', async () => {
    const { owner } = await open();
    await owner.push([file('team/a', '1'), file('team/b', '1')]);
    await owner.push([file('team/a', '2', 1)]);
    const before = await owner.manifest();
    const refused = await owner.push([
      file('team/a', 'mine', 1),
      file('team/b', 'mine', 1),
      file('team/c', 'mine', 4),
    ]);
    assert.equal(refused.status, 409);
    assert.equal(refused.code, 'workspace_conflict');
    assert.deepEqual(refused.conflicts, [
      { path: 'team/a', currentVersion: 2, currentSha256: sha256('2') },
      { path: 'team/c', currentVersion: 0, currentSha256: null },
    ]);
    assert.deepEqual((await owner.manifest()).body, before.body);
  });

  test('a deletion counts as a version, and base version 0 creates the file again', async () => {
    const { owner } = await open();
    const first = await owner.push([file('team/a', '1')]);
    const gone = await owner.push([deletion('team/a', 1)]);
    assert.deepEqual(gone.body.files, [{ path: 'team/a', version: 2 }]);
    assert.deepEqual((await owner.manifest()).body.items, []);
    const [change] = (await owner.manifest(`?since=${first.body.revision}`)).body.items;
    assert.deepEqual([change?.deleted, change?.version, change?.sha256], [true, 2, null]);
    assert.equal(await owner.content('team/a'), null);
    assert.equal(await owner.content('team/a', 1), '1');
    const again = await owner.push([file('team/a', '3')]);
    assert.deepEqual(again.body.files, [{ path: 'team/a', version: 3 }]);
  });

  test('paths conflict if they differ only in case, or if one of them is a folder of the other', async () => {
    const { owner, clientId } = await open();
    await owner.push([file('team/Docs/Straße.md', '1'), file(`clients/${clientId}/docs`, '1')]);
    const blocked = async (path: string) => {
      const refused = await owner.push([file(path, '2')]);
      assert.equal(refused.status, 409, path);
      return refused.conflicts.map(({ blockedBy }) => blockedBy);
    };
    assert.deepEqual(await blocked('team/docs/STRASSE.md'), ['team/Docs/Straße.md']);
    assert.deepEqual(await blocked('team/docs'), ['team/Docs/Straße.md']);
    assert.deepEqual(await blocked('team/Docs/straße.md/x/y'), ['team/Docs/Straße.md']);
    const twins = await owner.push([file('team/x/y', '1'), file('team/X/Y', '1'), file('team/X', '1')]);
    assert.deepEqual(column(twins.conflicts, 'path'), ['team/x/y', 'team/X/Y']);
    const renamed = await owner.push([deletion('team/Docs/Straße.md', 1), file('team/docs', '1')]);
    assert.equal(renamed.status, 200);
  });
});
