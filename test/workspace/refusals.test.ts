import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_FILE_BYTES, MAX_FILES_PER_REQUEST } from '../../shared/schemas/workspace.ts';
import { openTestApp } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { faultyFields } from '../support/team.ts';
import { deletion, file, sha256, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const company = await service.company();
const shared = workspaceOf(service.app, company.headers);

/** An empty workspace, and its Company. */
async function open() {
  const owner = await service.company();
  return { owner, ...workspaceOf(service.app, owner.headers) };
}

const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const GOOD = file('team/a', 'content');
const without = (field: string) =>
  Object.fromEntries(Object.entries(GOOD).filter(([name]) => name !== field));

/** A push whose second file is invalid, and the field that the refusal names. */
const BAD_FILES: [what: string, file: object, field: string][] = [
  ['without a path', without('path'), '/path'],
  ['with a path that is not a string', { ...GOOD, path: 7 }, '/path'],
  ['with NUL in its sha256', { ...GOOD, sha256: `${GOOD.sha256}\u0000` }, '/sha256'],
  ['with NUL in an unknown field of the name path', { ...GOOD, path: { path: '\u0000' } }, '/path/path'],
  ['without a base version', without('baseVersion'), '/baseVersion'],
  ['with a negative base version', { ...GOOD, baseVersion: -1 }, '/baseVersion'],
  ['with a fractional base version', { ...GOOD, baseVersion: 0.5 }, '/baseVersion'],
  ['with a base version above the maximum', { ...GOOD, baseVersion: 2 ** 31 }, '/baseVersion'],
  ['with a base version that is a string', { ...GOOD, baseVersion: '0' }, '/baseVersion'],
  ['without content', without('contentBase64'), '/contentBase64'],
  ['with content that is not base64', { ...GOOD, contentBase64: 'a*b=' }, '/contentBase64'],
  ['with truncated base64 content', { ...GOOD, contentBase64: 'abcde' }, '/contentBase64'],
  ['without a sha256', without('sha256'), '/sha256'],
  ['with the sha256 of other content', { ...GOOD, sha256: sha256('another') }, '/sha256'],
  ['with a truncated sha256', { ...GOOD, sha256: GOOD.sha256?.slice(0, 32) }, '/sha256'],
  [
    'with a sha256 in base64',
    { ...GOOD, sha256: Buffer.from(GOOD.sha256 ?? '', 'hex').toString('base64') },
    '/sha256',
  ],
  ['marked as deleted with content', { ...GOOD, sha256: undefined, deleted: true }, '/contentBase64'],
  ['marked as deleted with a sha256', { ...GOOD, contentBase64: undefined, deleted: true }, '/sha256'],
  ['with deleted set to false', { ...GOOD, deleted: false }, '/deleted'],
  ['with an unknown field', { ...GOOD, mode: 0o755 }, '/mode'],
];

describe('an invalid push', () => {
  for (const [what, bad, field] of BAD_FILES) {
    test(`a push returns 400 for a file ${what}`, async () => {
      const answer = await company.ask.pushFiles({
        files: [file('team/b', 'b'), bad],
      });
      assertInvalid(answer, `/files/1${field}`);
    });
  }

  test('a push returns 400 without 1 to 200 files and for an unknown field', async () => {
    const tooMany = many(MAX_FILES_PER_REQUEST + 1, (n) => file(`team/${n}`, 'x'));
    for (const [body, path] of [
      [{}, '/files'],
      [{ files: [] }, '/files'],
      [{ files: tooMany }, '/files'],
      [{ files: { 0: GOOD } }, '/files'],
      [{ files: [GOOD], message: 'x' }, '/message'],
    ] as const) {
      assertInvalid(await company.ask.pushFiles(body), path);
    }
  });

  test('an invalid push leaves the Team without files and at revision 0', async () => {
    assert.deepEqual((await shared.manifest('?since=0')).body.items, []);
    assert.equal((await shared.manifest()).body.revision, 0);
  });
});

describe('an invalid pull', () => {
  for (const [what, body, field] of [
    ['no file', { files: [] }, '/files'],
    ['more than 200 files', { files: many(MAX_FILES_PER_REQUEST + 1, () => ({ path: 'team/a' })) }, '/files'],
    ['a path instead of files', { path: 'team/a' }, '/files'],
    ['version 0', { files: [{ path: 'team/a', version: 0 }] }, '/files/0/version'],
    ['a fractional version', { files: [{ path: 'team/a', version: 1.5 }] }, '/files/0/version'],
    ['a version above the maximum', { files: [{ path: 'team/a', version: 2 ** 31 }] }, '/files/0/version'],
    ['a sha256', { files: [{ path: 'team/a', sha256: sha256('a') }] }, '/files/0/sha256'],
    ['a string instead of a file', { files: ['team/a'] }, '/files/0'],
  ] as const) {
    test(`a pull returns 400 for ${what}`, async () => {
      const answer = await company.ask.pullFiles(body);
      assert.equal(outcome(answer), '400 invalid_request');
      assert.equal(faultyFields(answer)[0], field);
    });
  }
});

describe('GET /v1/workspace/manifest', () => {
  const base64url = (text: string) => Buffer.from(text).toString('base64url');
  const id = '01890a5d-ac96-774b-bcce-b302099a8057';
  const fresh = open();

  test('a manifest returns 400 for an invalid limit, cursor or since and for an unknown parameter', async () => {
    const cursor = base64url(`5 4 ${id}`);
    assert.equal((await shared.manifest(`?cursor=${cursor}`)).status, 200);
    const bad = {
      limit: ['', '0', '201', '-1', '1.5', 'x', '1e2', '%201'],
      since: ['', '-1', '1.5', 'x', '1e3', '9'.repeat(17), '9007199254740993', '%201', 'Infinity'],
      cursor: [
        ['', 'x', '%3D', id, base64url(id), base64url(`5 ${id}`), base64url('5 4 x'), base64url(`x 4 ${id}`)],
        [base64url(`-5 4 ${id}`), base64url(`5 4 ${id} `), `${cursor}A`, `${cursor}%3D`, `${cursor}!`],
        base64url(`${'9'.repeat(16)} 4 ${id}`),
      ].flat(),
    };
    for (const [field, values] of Object.entries(bad)) {
      for (const value of values) {
        assertInvalid(await company.send('GET', `/v1/workspace/manifest?${field}=${value}`), `/${field}`);
      }
    }
    for (const query of ['since=1&since=2', 'path=team', 'limit=5&%00=1', 'since=1%00']) {
      assert.equal((await shared.manifest(`?${query}`)).status, 400, query);
    }
  });

  test('a manifest in pages of one item has the same items as a single page', async () => {
    const team = await fresh;
    await team.push(many(4, (n) => file(`team/${n}`, 'x')));
    const { revision } = (await team.push([deletion('team/0', 1), file('team/1', 'y', 1)])).body;
    await team.push([file('team/new', 'x')]);
    const live = await team.wholeManifest();
    assert.deepEqual(live.map(({ path }) => path).sort(), ['team/1', 'team/2', 'team/3', 'team/new']);
    const all = await team.wholeManifest({ since: 0 });
    assert.deepEqual(all.map(({ path, deleted }) => [path, deleted]).sort(), [
      ['team/0', true],
      ...live.map(({ path }) => [path, false]).sort(),
    ]);
    assert.deepEqual(await team.wholeManifest({ limit: 1 }), live);
    assert.deepEqual(await team.wholeManifest({ limit: 1, since: 0 }), all);
    assert.deepEqual(column(await team.wholeManifest({ since: revision }), 'path'), ['team/new']);
    const last = (await team.manifest()).body.revision;
    assert.deepEqual((await team.manifest(`?since=${last}`)).body.items, []);
    assert.deepEqual((await team.manifest(`?since=${last + 10}`)).body.items, []);
  });

  test('a manifest shows one state from its first page to its last, whatever is pushed in between', async () => {
    const team = await open();
    await team.push([...many(3, (n) => file(`team/${n}`, 'x')), deletion('team/gone', 0)]);
    for (const since of ['', '&since=0']) {
      const before = await team.wholeManifest(since === '' ? {} : { since: 0 });
      const first = (await team.manifest(`?limit=1${since}`)).body;
      const items = [...first.items];
      for (let cursor = first.nextCursor, n = 0; cursor !== null; n += 1) {
        const known = new Map((await team.wholeManifest()).map(({ path, version }) => [path, version]));
        const version = known.get(`team/${n}`) ?? 0;
        await team.push([
          version === 0 ? file(`team/${n}`, 'new') : deletion(`team/${n}`, version),
          file(`team/a${since}${n}`, 'x'),
        ]);
        const next = (await team.manifest(`?limit=1${since}&cursor=${cursor}`)).body;
        assert.equal(next.revision, first.revision);
        items.push(...next.items);
        cursor = next.nextCursor;
      }
      assert.deepEqual(items, before);
    }
  });
});

describe('the deletion of a file', () => {
  test('deleting a file that never existed requires base version 0 and creates nothing', async () => {
    const team = await open();
    const refused = await team.push([deletion('team/a', 1)]);
    assert.deepEqual(refused.conflicts, [{ path: 'team/a', currentVersion: 0, currentSha256: null }]);
    assert.deepEqual((await team.push([deletion('team/a', 0)])).body.files, [{ path: 'team/a', version: 1 }]);
    assert.deepEqual((await team.manifest()).body.items, []);
    assert.equal(await team.content('team/a'), null);
  });

  test('deleting an existing file requires its current version', async () => {
    const team = await open();
    await team.push([file('team/a', '1')]);
    const refused = await team.push([deletion('team/a', 0)]);
    assert.deepEqual(refused.conflicts, [{ path: 'team/a', currentVersion: 1, currentSha256: sha256('1') }]);
    assert.equal(await team.content('team/a'), '1');
  });
});

describe('the versions of a file', () => {
  test('every version of a file can be pulled by number, except versions that are deletions', async () => {
    const team = await open();
    await team.push([file('team/a', 'one'), file('team/b', 'other')]);
    await team.push([file('team/a', 'two', 1)]);
    await team.push([deletion('team/a', 2)]);
    await team.push([file('team/a', 'four', 3)]);
    await team.push([deletion('team/a', 4)]);
    for (const [version, text] of [
      [1, 'one'],
      [2, 'two'],
      [3, null],
      [4, 'four'],
      [5, null],
      [6, null],
      [2 ** 31 - 1, null],
    ] as const) {
      assert.equal(await team.content('team/a', version), text, String(version));
    }
    const both = await team.pull([
      { path: 'team/a', version: 2 },
      { path: 'team/a' },
      { path: 'team/a', version: 1 },
    ]);
    assert.deepEqual(columns(both.body.files, 'path', 'version'), [
      ['team/a', 2],
      ['team/a', 1],
    ]);
    assert.deepEqual(both.body.missing, ['team/a']);
  });
});

describe('the contents of files', () => {
  test('contents can be empty or any bytes, with a sha256 in upper case and wrapped base64', async () => {
    const bytes = Buffer.from(many(256, (n) => n));
    const sent = { ...file('team/bytes', bytes), sha256: sha256(bytes).toUpperCase() };
    const wrapped = {
      ...file('team/wrapped', bytes),
      contentBase64: bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
    };
    assert.equal((await shared.push([file('team/empty', ''), sent, wrapped])).status, 200);
    const { files } = (
      await shared.pull(['empty', 'bytes', 'wrapped'].map((name) => ({ path: `team/${name}` })))
    ).body;
    assert.deepEqual(files, [
      { path: 'team/empty', version: 1, sha256: sha256(''), contentBase64: '' },
      { path: 'team/bytes', version: 1, sha256: sha256(bytes), contentBase64: bytes.toString('base64') },
      { path: 'team/wrapped', version: 1, sha256: sha256(bytes), contentBase64: bytes.toString('base64') },
    ]);
    assert.equal((await shared.wholeManifest()).find(({ path }) => path === 'team/empty')?.bytes, 0);
  });

  test('200 files can be pushed and pulled at a time', async () => {
    const team = await open();
    const files = many(MAX_FILES_PER_REQUEST, (n) => file(`team/${n}`, `content ${n}`));
    assert.equal((await team.push(files)).status, 200);
    const { body } = await team.pull(files.map(({ path }) => ({ path })));
    assert.deepEqual(
      body.files.map(({ path, contentBase64 }) => ({ path, contentBase64 })),
      files.map(({ path, contentBase64 }) => ({ path, contentBase64 })),
    );
    assert.deepEqual([body.missing, body.remaining], [[], []]);
  });

  test('contents are limited to 10 MiB, and a pull lists as remaining what one answer cannot hold', async () => {
    const team = await open();
    const largest = Buffer.alloc(MAX_FILE_BYTES, 'x');
    const refused = await team.push([
      file('team/small', '1'),
      file('team/large', Buffer.alloc(MAX_FILE_BYTES + 1)),
    ]);
    assert.deepEqual([refused.status, refused.code], [413, 'payload_too_large']);
    // This comes before errors in the form of the request.
    const alsoWrong = await team.push([
      { ...file('team/../x', '1'), sha256: 'none' },
      file('team/large', Buffer.alloc(MAX_FILE_BYTES + 1)),
    ]);
    assert.deepEqual([alsoWrong.status, alsoWrong.code], [413, 'payload_too_large']);
    // Line breaks, as mail adds them, are not part of the content.
    const lines = largest.toString('base64').replace(/.{76}/g, '$&\r\n');
    const first = await team.push([
      { ...file('team/0', largest), contentBase64: lines },
      file('team/1', largest),
    ]);
    assert.equal(first.status, 200);
    assert.equal((await team.push([file('team/2', largest), file('team/small', 'small')])).status, 200);
    const answers: string[][] = [];
    let wanted = ['team/0', 'team/nowhere', 'team/1', 'team/2', 'team/small'];
    while (wanted.length > 0) {
      const { body } = await team.pull(wanted.map((path) => ({ path })));
      answers.push(body.files.map(({ path }) => path));
      for (const { path, sha256: named, contentBase64 } of body.files) {
        assert.equal(sha256(Buffer.from(contentBase64, 'base64')), named, path);
      }
      assert.deepEqual(body.missing, answers.length === 1 ? ['team/nowhere'] : []);
      wanted = body.remaining;
    }
    assert.deepEqual(answers, [
      ['team/0', 'team/1'],
      ['team/2', 'team/small'],
    ]);
  });

  test('a push of more than 32 MiB returns 413', async () => {
    const body = JSON.stringify({ files: [GOOD] }).padEnd(32 * 1024 * 1024 + 1);
    assert.equal(outcome(await company.ask.pushFiles(body)), '413 payload_too_large');
  });
});
