import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileVersion } from '../../shared/schemas/workspace.ts';
import { openTestApp } from '../support/app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';
import { deletion, file, sha256, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();

const URL = '/v1/workspace/versions';
const versionsOf = (caller: Caller, path: string, limit?: number) =>
  caller.readAll<FileVersion>(`${URL}?path=${encodeURIComponent(path)}`, limit);
const outcomeOf = async (caller: Caller, query: string) =>
  outcome(await caller.send('GET', `${URL}${query}`));

test('GET /v1/workspace/versions lists the versions of a file, newest first, also of a deleted one', async () => {
  const company = await service.company();
  const workspace = workspaceOf(service.app, company.headers);
  const path = 'team/notes/über uns.md';
  await workspace.push([file(path, 'one'), file('team/other.md', 'x')]);
  await workspace.push([file(path, 'second', 1)]);
  await workspace.push([deletion(path, 2)]);
  const versions = await versionsOf(company, path);
  assert.deepEqual(
    versions.map((version) => ({ ...version, updatedAt: '' })),
    [
      { path, version: 3, sha256: null, bytes: 0, deleted: true, updatedAt: '', updatedBy: company.ownerId },
      {
        path,
        version: 2,
        sha256: sha256('second'),
        bytes: 6,
        deleted: false,
        updatedAt: '',
        updatedBy: company.ownerId,
      },
      {
        path,
        version: 1,
        sha256: sha256('one'),
        bytes: 3,
        deleted: false,
        updatedAt: '',
        updatedBy: company.ownerId,
      },
    ],
  );
  assert.equal(await workspace.content(path, 1), 'one');
  // Pages of one version are the same list.
  assert.deepEqual(await versionsOf(company, path, 1), versions);
  await workspace.push([file(path, 'again')]);
  assert.deepEqual(
    (await versionsOf(company, path)).map(({ version }) => version),
    [4, 3, 2, 1],
  );
});

test('GET /v1/workspace/versions returns 404 for a path that the caller cannot read or that has no file', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const member = await addPerson(service, company, { teamRole: 'member' });
  const reader = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'read' } });
  const path = `clients/${clientId}/a.md`;
  await workspaceOf(service.app, company.headers).push([file(path, 'x'), file('team/a.md', 'x')]);
  assert.equal(
    (await versionsOf(reader, path.toUpperCase().replace('CLIENTS', 'clients').replace('A.MD', 'a.md')))
      .length,
    1,
  );
  assert.equal(await outcomeOf(member, `?path=${path}`), '404 not_found');
  for (const other of ['team/b.md', 'clients/nothing/a.md', `clients/${company.teamId}/a.md`]) {
    assert.equal(await outcomeOf(company, `?path=${other}`), '404 not_found', other);
  }
  for (const [query, expected] of [
    ['?path=a.md', '400 invalid_path'],
    ['?path=team/../a.md', '400 invalid_path'],
    ['?path=team/a%00.md', '400 invalid_path'],
    ['?path=team/a.md&path=%00', '400 invalid_request'],
    ['', '400 invalid_request'],
    ['?path=team/a.md&cursor=x', '400 invalid_request'],
  ] as const) {
    assert.equal(await outcomeOf(company, query), expected, query);
  }
});
