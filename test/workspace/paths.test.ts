import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient } from '../support/team.ts';
import { deletion, file, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const company = await service.company();
const clientId = await addClient(service, company);

/** An empty workspace. */
async function open() {
  const owner = await service.company();
  return {
    ...workspaceOf(service.app, owner.headers),
    teamId: owner.teamId,
    client: `clients/${await addClient(service, owner)}`,
  };
}

/** The rules themselves are tested beside `parseWorkspacePath`. */
const BAD_PATHS = ['', 'team/../a', 'team/\ud800', `clients/${clientId}/../../team/a`];

interface Problem {
  detail: string;
  errors: { path: string; message: string }[];
}

describe('an invalid path', () => {
  for (const route of ['push', 'pull'] as const) {
    const asked = (path: string) => (route === 'push' ? file(path, 'x') : { path });
    const send = (paths: readonly string[]) =>
      company.send('POST', `/v1/workspace/${route}`, { files: paths.map(asked) });

    test(`a ${route} returns 400 and names every invalid path with its fault`, async () => {
      const answer = await send(BAD_PATHS.flatMap((path) => ['team/good', path]));
      assert.equal(outcome(answer), '400 invalid_path');
      const { detail, errors } = answer.json<Problem>();
      assert.deepEqual(
        column(errors, 'path'),
        BAD_PATHS.map((_, index) => `/files/${2 * index + 1}/path`),
      );
      for (const [index, path] of BAD_PATHS.entries()) {
        const shown = JSON.stringify(path.slice(0, 200).toWellFormed());
        assert.ok(errors[index]?.message.startsWith(`${shown} must `), shown);
        assert.ok(detail.includes(shown), shown);
      }
    });

    test(`a ${route} shortens an invalid path of 100,000 characters in its 400`, async () => {
      const answer = await send([`team/${'\u0001a'.repeat(50_000)}`]);
      assert.equal(outcome(answer), '400 invalid_path');
      assert.ok(answer.body.length < 4_000, String(answer.body.length));
    });
  }
});

test('a file with a direction character in its path can be pulled and deleted, but not written', async () => {
  const team = await open();
  const path = 'team/invoice\u202efdp.exe';
  assert.equal((await team.push([file('team/plain', 'x')])).status, 200);
  await service.database.query(
    `update memory.workspace_version set path = 'invoice' || U&'\\202E' || 'fdp.exe' where team_id = $1`,
    [team.teamId],
  );
  assert.equal(await team.content(path), 'x');
  // One of each range of such characters.
  for (const control of '\u061c\u200e\u202a\u202e\u2066\u2069') {
    const refused = await team.push([file(path.replace('\u202e', control), 'y', 1)]);
    assert.equal(refused.code, 'invalid_path');
  }
  assert.equal((await team.push([deletion(path, 1)])).status, 200);
  assert.equal(await team.content(path), null);
});

test('a push with the same path more than once returns 400, also in another case of the client id', async () => {
  const inClient = (id: string) => file(`clients/${id}/a`, '1');
  for (const [first, again] of [
    [file('team/a', '1'), file('team/a', '2')],
    [file('team/a', '1'), deletion('team/a', 0)],
    [inClient(clientId), inClient(clientId.toUpperCase())],
  ]) {
    assertInvalid(
      await company.ask.pushFiles({ files: [first, file('team/b', '1'), again] }),
      '/files/2/path',
    );
  }
});

/** The index stores this many characters of a path; longer paths are compared as a whole. */
const INDEXED = 500;

/** A path with this many characters. Half of them take two bytes. */
function deep(length: number): string {
  const folders = Array.from({ length: Math.ceil(length / 100) }, () => 'éx'.repeat(50).slice(1)).join('/');
  return folders.slice(0, length).replace(/\/$/, 'x');
}

/** An existing path, and a path that conflicts with it. */
const BESIDE: [live: string, pushed: string][] = [
  ['a/Readme.md', 'a/README.md'],
  ['Notes/a', 'notes/a'],
  ['Ordnung/Straße ΟΔΟΣ', 'ordnung/STRASSE οδος'],
  // A file in place of a folder, and a folder in place of a file.
  ['a/b/c', 'a/b'],
  ['a/b/c/d/e/f', 'a'],
  ['Ärger/x', 'ärger'],
  ['a/b', 'a/b/c'],
  ['a', 'a/b/c/d/e'],
  ['файл', 'ФАЙЛ/а'],
];
/** Each pair is in a folder of its own, whose name takes two digits and a slash. */
const APART = 3;
const inFolders = (pair: (typeof BESIDE)[number], index: number) =>
  pair.map((path) => `${index + 10}/${path}`) as (typeof BESIDE)[number];
for (const length of [INDEXED - 2, INDEXED - 1, INDEXED, INDEXED + 1, 600]) {
  const folder = deep(length - APART);
  BESIDE.push(
    [folder, folder.replace(/.$/, (letter) => letter.toUpperCase())],
    [`${folder}/y`, folder],
    [folder, `${folder.toUpperCase()}/y/z`],
  );
}
const PAIRS = BESIDE.map(inFolders);

describe('a path that conflicts with an existing file', () => {
  test('a conflicting path returns 409 with both paths until the other file is deleted', async () => {
    const team = await open();
    const { client } = team;
    const pairs = ['team', client].flatMap((layer) =>
      PAIRS.map((pair) => pair.map((path) => `${layer}/${path}`) as [string, string]),
    );
    const live = pairs.map(([path]) => path);
    const other = pairs.map(([, path]) => path);
    assert.equal((await team.push(live.map((path) => file(path, '1')))).status, 200);
    const before = (await team.manifest()).body;
    const refused = await team.push([file('team/innocent', '1'), ...other.map((path) => file(path, '2'))]);
    assert.deepEqual([refused.status, refused.code], [409, 'workspace_conflict']);
    assert.deepEqual(
      refused.conflicts,
      pairs.map(([blockedBy, path]) => ({ path, currentVersion: 0, currentSha256: null, blockedBy })),
    );
    assert.deepEqual((await team.manifest()).body, before);
    // A rename in one push, and back.
    const renamed = await team.push([
      ...other.map((path) => file(path, '2')),
      ...live.map((path) => deletion(path, 1)),
    ]);
    assert.equal(renamed.status, 200);
    const back = await team.push([
      ...other.map((path) => deletion(path, 1)),
      ...live.map((path) => file(path, '3', 2)),
    ]);
    assert.deepEqual(back.body.files, [
      ...other.map((path) => ({ path, version: 2 })),
      ...live.map((path) => ({ path, version: 3 })),
    ]);
  });

  test('a push that contains both conflicting paths returns 409, in either order', async () => {
    const team = await open();
    for (const turned of [false, true]) {
      const pairs = PAIRS.map((pair) => pair.map((path) => `team/${path}`)).map((pair) =>
        turned ? pair.toReversed() : pair,
      );
      const refused = await team.push(pairs.flat().map((path) => file(path, '1')));
      assert.equal(refused.status, 409);
      assert.deepEqual(
        refused.conflicts.map(({ path, blockedBy }) => [path, blockedBy].sort()),
        pairs.map((pair) => pair.toSorted()),
      );
    }
    assert.deepEqual((await team.manifest()).body.items, []);
  });
});

describe('paths that only look alike', () => {
  test('paths with the wildcards of SQL match only themselves', async () => {
    const team = await open();
    await team.push([file('team/a_c%/x', '1')]);
    const others = ['team/abc%', 'team/a_cd', 'team/a_c'].map((path) => file(path, '2'));
    assert.equal((await team.push(others)).status, 200);
    assert.equal(await team.content('team/a_c%/x'), '1');
  });
});
