import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson } from '../support/team.ts';
import { deletion, file, sha256, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();

/** The workspace of a new Team, as its Owner sees it. */
async function open() {
  const company = await service.company();
  const clientId = await addClient(service, company);
  return { company, clientId, owner: workspaceOf(service.app, company.headers) };
}

test('a pushed file is in the manifest and can be pulled', async () => {
  const { owner, clientId, company } = await open();
  const path = 'team/notes/a.md';
  const pushed = await owner.push([file(path, 'one'), file(`clients/${clientId}/b.md`, 'two')]);
  assert.equal(pushed.status, 200);
  assert.deepEqual(columns(pushed.body.files, 'path', 'version'), [
    [path, 1],
    [`clients/${clientId}/b.md`, 1],
  ]);
  const { items, ...page } = (await owner.manifest()).body;
  const { revision } = pushed.body;
  assert.deepEqual(page, { revision, scopes: ['team', `clients/${clientId}`], nextCursor: null });
  const { updatedAt, ...note } = items.find((item) => item.path === path)!;
  assert.match(updatedAt, /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  const stored = { path, version: 1, sha256: sha256('one') };
  const { ownerId: updatedBy } = company;
  assert.deepEqual(note, { ...stored, bytes: 3, deleted: false, indexed: 'pending', updatedBy });
  const pulled = await owner.pull([{ path }, { path: 'team/nowhere' }]);
  assert.deepEqual(pulled.body, {
    files: [{ ...stored, contentBase64: Buffer.from('one').toString('base64') }],
    missing: ['team/nowhere'],
    remaining: [],
  });
});

test('the versions of a file are listed newest first, also of a deleted one', async () => {
  const { company, owner } = await open();
  const path = 'team/notes/über uns.md';
  await owner.push([file(path, 'one'), file('team/other.md', 'x')]);
  await owner.push([file(path, 'second', 1)]);
  await owner.push([deletion(path, 2)]);
  const versions = await company.all.listFileVersions({ path });
  const common = { path, updatedAt: '', updatedBy: company.ownerId };
  assert.deepEqual(
    versions.map((version) => ({ ...version, updatedAt: '' })),
    [
      { ...common, version: 3, sha256: null, bytes: 0, deleted: true },
      { ...common, version: 2, sha256: sha256('second'), bytes: 6, deleted: false },
      { ...common, version: 1, sha256: sha256('one'), bytes: 3, deleted: false },
    ],
  );
  const inPages = await company.readAll(`/v1/workspace/versions?path=${encodeURIComponent(path)}`, 1);
  assert.deepEqual(inPages, versions);
});

test('the versions of a path that the caller cannot read, or that has no file, are not found', async () => {
  const { company, clientId, owner } = await open();
  const reader = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'read' } });
  await owner.push([file(`clients/${clientId}/a.md`, 'x')]);
  const path = `clients/${clientId.toUpperCase()}/a.md`;
  assert.equal((await reader.api.listFileVersions({ path })).items.length, 1);
  for (const [query, expected] of [
    ['?path=team/b.md', '404 not_found'],
    ['?path=clients/nothing/a.md', '404 not_found'],
    ['?path=a.md', '400 invalid_path'],
    ['?path=team/../a.md', '400 invalid_path'],
    ['?path=team/a%00.md', '400 invalid_path'],
    ['?path=team/a.md&cursor=x', '400 invalid_request'],
  ] as const) {
    assert.equal(outcome(await company.send('GET', `/v1/workspace/versions${query}`)), expected, query);
  }
});
