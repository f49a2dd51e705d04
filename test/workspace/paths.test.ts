import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
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

/** One path for each rule; the rules themselves are tested beside `parseWorkspacePath`. */
const BAD_PATHS = [
  [
    '',
    'a',
    'team',
    'team/',
    '/team/a',
    'team//a',
    'team/../a',
    'team/./a',
    'team/a/..',
    `clients/${clientId}`,
  ],
  [
    'C:/team/a',
    'team\\a',
    '\\\\host\\share',
    'team/a:b',
    'team/a\u0000',
    'team/a\u0001',
    'team/\ud800',
    'team/a\u0085',
    'team/con',
    'team/a.',
  ],
  ['team/a /b', 'team/.GIT/config', 'team/.g\u200cit', 'team/e\u0301', `team/${'é'.repeat(128)}`],
  [`team/${'a/'.repeat(509)}aa`, `clients/${clientId}/../../team/a`, '../team/a', 'Team/a'],
].flat();

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

describe('a path with a character that changes the direction of text', () => {
  const CONTROLS = [...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'];

  test('a push returns 400 for new content with a direction character anywhere in its path', async () => {
    const paths = CONTROLS.flatMap((control) => [`team/invoice${control}fdp.exe`, `team/${control}/a`]);
    const answer = await company.ask.pushFiles({
      files: paths.flatMap((path) => [file('team/good', 'x'), file(path, 'x')]).slice(0, 48),
    });
    assert.equal(outcome(answer), '400 invalid_path');
    const { errors } = answer.json<Problem>();
    assert.equal(errors.length, 24);
    for (const { message } of errors)
      assert.match(message, /must not contain a character that changes the direction/);
  });

  test('a file with a direction character in its path can be pulled and deleted, but not written', async () => {
    const team = await open();
    const path = 'team/invoice\u202efdp.exe';
    const [sent] = (await team.push([file('team/plain', 'x')])).body.files;
    assert.equal(sent?.version, 1);
    await service.database.query(
      `update memory.workspace_version set path = 'invoice' || U&'\\202E' || 'fdp.exe' where team_id = $1`,
      [team.teamId],
    );
    assert.equal(await team.content(path), 'x');
    assert.equal((await team.push([file(path, 'y', 1)])).code, 'invalid_path');
    const gone = await team.push([deletion(path, 1)]);
    assert.equal(gone.status, 200);
    assert.equal(await team.content(path), null);
  });
});

describe('a path that occurs more than once in a push', () => {
  test('a push with the same path more than once returns 400, also in another case of the client id', async () => {
    const twice = [
      [file('team/a', '1'), file('team/b', '1'), file('team/a', '2')],
      [file('team/a', '1'), file('team/b', '1'), deletion('team/a', 0)],
      [
        file(`clients/${clientId}/a`, '1'),
        file('team/b', '1'),
        file(`clients/${clientId.toUpperCase()}/a`, '1'),
      ],
    ];
    for (const files of twice) {
      assertInvalid(await company.ask.pushFiles({ files }), '/files/2/path');
    }
  });

  test('equal paths in different layers are accepted', async () => {
    const team = await open();
    const { client } = team;
    assert.equal((await team.push([file('team/a', '1'), file(`${client}/a`, '1')])).status, 200);
  });
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

  test('a push with a file and a folder of the same name at the top of a layer returns 409', async () => {
    const team = await open();
    for (const layer of ['team', team.client]) {
      const [above, below] = [`${layer}/Notes`, `${layer}/notes/a`];
      const { status, conflicts } = await team.push([file(above, '1'), file(below, '1')]);
      assert.equal(status, 409);
      assert.deepEqual(
        conflicts.map(({ path, blockedBy }) => [path, blockedBy]),
        [[below, above]],
      );
    }
    assert.deepEqual((await team.manifest()).body.items, []);
  });

  test('a path can be pushed after the conflicting file is deleted, and then blocks that path', async () => {
    const team = await open();
    await team.push([file('team/a/b', '1')]);
    await team.push([deletion('team/a/b', 1)]);
    assert.equal((await team.push([file('team/A', '1')])).status, 200);
    const refused = await team.push([file('team/a/b', '2')]);
    assert.deepEqual(columns(refused.conflicts, 'currentVersion', 'blockedBy'), [[2, 'team/A']]);
  });

  test('a conflicting path can be pushed to another layer or another Team', async () => {
    const [team, other] = [await open(), await open()];
    assert.equal((await team.push([file('team/a', '1'), file(`${team.client}/A`, '1')])).status, 200);
    assert.equal((await other.push([file('team/A/b', '1')])).status, 200);
  });

  test('a conflict with a folder is reported once, however many files the folder has', async () => {
    const team = await open();
    await team.push(Array.from({ length: 30 }, (_, n) => file(`team/a/${n}`, 'x')));
    const { conflicts } = await team.push([file('team/a', '1')]);
    assert.equal(conflicts.length, 1);
    assert.match(conflicts[0]?.blockedBy ?? '', /^team\/a\/\d+$/);
  });
});

describe('paths that only look alike', () => {
  test('paths that only look alike are separate files with separate contents', async () => {
    const team = await open();
    const names = [
      'paper',
      'рарег',
      'pаper',
      'ρaper',
      'ｐaper',
      'pa\u200bper',
      'p\u0430per'.replace('p', 'р'),
    ];
    const turkish = ['i', 'ı', 'İ'];
    const nearby = ['a', 'a b', 'a-b/c', 'a.b/c', 'a0/c', 'ab/c', `${deep(600)}`, `${deep(600)}x/y`];
    const paths = [...names, ...turkish].map((name) => `team/${name}`);
    const all = [...paths, ...nearby.map((name) => `team/n/${name}`)];
    const pushed = await team.push(all.map((path, index) => file(path, String(index))));
    assert.deepEqual(
      pushed.body.files,
      all.map((path) => ({ path, version: 1 })),
    );
    for (const [index, path] of all.entries()) assert.equal(await team.content(path), String(index), path);
    assert.deepEqual((await team.wholeManifest()).map(({ path }) => path).sort(), all.toSorted());
  });

  test('paths with the wildcards of SQL match only themselves', async () => {
    const team = await open();
    await team.push([file('team/a_c%/x', '1')]);
    assert.equal(
      (await team.push([file('team/abc%', '2'), file('team/a_cd', '3'), file('team/a_c', '4')])).status,
      200,
    );
    assert.equal(await team.content('team/a_c%/x'), '1');
  });
});

test('a path is returned with its client id in lower case', async () => {
  const team = await open();
  const { client } = team;
  const path = `${client}/Ab`;
  const shouted = path.replace(/(?<=\/).*(?=\/)/, (id) => id.toUpperCase());
  assert.notEqual(shouted, path);
  assert.deepEqual((await team.push([file(shouted, '1')])).body.files, [{ path, version: 1 }]);
  assert.equal((await team.pull([{ path: shouted }])).body.files[0]?.path, path);
  assert.equal((await team.manifest()).body.items[0]?.path, path);
});
