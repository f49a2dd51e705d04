import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_FILE_BYTES } from '../../shared/schemas/workspace.ts';
import { openTestApp } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { assertInvalid } from '../support/refusals.ts';
import { file, sha256, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const company = await service.company();
const shared = workspaceOf(service.app, company.headers);

const GOOD = file('team/a', 'content');
const inBase64 = Buffer.from(GOOD.sha256 ?? '', 'hex').toString('base64');

/** A push whose second file is invalid, and the field that the refusal names. */
const BAD_FILES: [change: object, field: string][] = [
  [{ contentBase64: undefined }, 'contentBase64'],
  [{ contentBase64: 'a*b=' }, 'contentBase64'],
  [{ contentBase64: 'abcde' }, 'contentBase64'],
  [{ sha256: undefined }, 'sha256'],
  [{ sha256: sha256('another') }, 'sha256'],
  [{ sha256: GOOD.sha256?.slice(0, 32) }, 'sha256'],
  [{ sha256: inBase64 }, 'sha256'],
  [{ sha256: undefined, deleted: true }, 'contentBase64'],
  [{ contentBase64: undefined, deleted: true }, 'sha256'],
];

test('an invalid push is refused with the field at fault, and writes nothing', async () => {
  for (const [change, field] of BAD_FILES) {
    const answer = await company.ask.pushFiles({ files: [file('team/b', 'b'), { ...GOOD, ...change }] });
    assertInvalid(answer, `/files/1/${field}`);
  }
  const { items, revision } = (await shared.manifest('?since=0')).body;
  assert.deepEqual([items, revision], [[], 0]);
});

test('a manifest accepts only revisions, and cursors that it gave', async () => {
  const base64url = (text: string) => Buffer.from(text).toString('base64url');
  const id = '01890a5d-ac96-774b-bcce-b302099a8057';
  const cursor = base64url(`5 4 ${id}`);
  assert.equal((await shared.manifest(`?cursor=${cursor}`)).status, 200);
  assert.deepEqual((await shared.manifest('?since=10')).body.items, [], 'a revision to come');
  const bad = {
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
});

describe('the contents of files', () => {
  test('contents can be empty or any bytes, with a sha256 in upper case and wrapped base64', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    const sent = file('team/bytes', bytes);
    const wrapped = sent.contentBase64?.replace(/.{76}/g, '$&\r\n');
    const files = [
      file('team/empty', ''),
      { ...sent, sha256: sent.sha256?.toUpperCase() },
      { ...sent, path: 'team/wrapped', contentBase64: wrapped },
    ];
    assert.equal((await shared.push(files)).status, 200);
    const stored = { version: 1, sha256: sent.sha256, contentBase64: sent.contentBase64 };
    assert.deepEqual((await shared.pull(files.map(({ path }) => ({ path: String(path) })))).body.files, [
      { path: 'team/empty', version: 1, sha256: sha256(''), contentBase64: '' },
      { path: 'team/bytes', ...stored },
      { path: 'team/wrapped', ...stored },
    ]);
  });

  test('contents are limited to 10 MiB, and a pull lists as remaining what one answer cannot hold', async () => {
    const team = workspaceOf(service.app, (await service.company()).headers);
    const tooLarge = file('team/large', Buffer.alloc(MAX_FILE_BYTES + 1));
    // This comes before errors in the form of the request.
    for (const other of [file('team/small', '1'), { ...file('team/../x', '1'), sha256: 'none' }]) {
      const refused = await team.push([other, tooLarge]);
      assert.deepEqual([refused.status, refused.code], [413, 'payload_too_large']);
    }
    const largest = file('team/0', Buffer.alloc(MAX_FILE_BYTES, 'x'));
    // Line breaks, as mail adds them, are not part of the content.
    const lines = { ...largest, contentBase64: largest.contentBase64?.replace(/.{76}/g, '$&\r\n') };
    for (const files of [
      [lines, { ...largest, path: 'team/1' }],
      [{ ...largest, path: 'team/2' }, file('team/small', 'small')],
    ]) {
      assert.equal((await team.push(files)).status, 200);
    }
    const answers: string[][] = [];
    let wanted = ['team/0', 'team/nowhere', 'team/1', 'team/2', 'team/small'];
    while (wanted.length > 0) {
      const { body } = await team.pull(wanted.map((path) => ({ path })));
      answers.push(column(body.files, 'path'));
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
});
