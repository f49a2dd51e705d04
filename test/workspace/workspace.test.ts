import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_FILE_BYTES } from '../../shared/schemas/workspace.ts';
import { openTestApp } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';
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

test('a push on another version than the current one is a conflict, also where a file never was or is deleted', async () => {
  const { owner } = await open();
  await owner.push([file('team/kept', 'one'), file('team/gone', 'one')]);
  await owner.push([deletion('team/gone', 1)]);
  for (const [path, currentVersion, wrong, right] of [
    ['team/never', 0, [1, 2], 0],
    ['team/kept', 1, [0, 2], 1],
    ['team/gone', 2, [1, 3], 0],
  ] as const) {
    for (const version of wrong) {
      const { status, conflicts } = await owner.push([file(path, 'two', version)]);
      assert.deepEqual(
        [status, conflicts[0]?.currentVersion],
        [409, currentVersion],
        `${path} on ${version}`,
      );
    }
    assert.equal((await owner.push([file(path, 'two', right)])).status, 200, path);
  }
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

const asSeenBy = ({ headers }: Caller) => workspaceOf(service.app, headers);

/** A Team with so many clients, and a member who can read the first ones. */
async function openWithClients(count: number, readable: number) {
  const company = await service.company();
  const clients: string[] = [];
  for (let n = 0; n < count; n += 1) clients.push(await addClient(service, company));
  const grants = clients.slice(0, readable).map((id) => [id, 'read'] as const);
  const member = await addPerson(service, company, {
    teamRole: 'member',
    clients: Object.fromEntries(grants),
  });
  return { clients, owner: asSeenBy(company), member: asSeenBy(member) };
}

test('no cursor and no known sha256 reveals an inaccessible client', async () => {
  const { owner, member, clients } = await openWithClients(1, 0);
  const [path, secret] = [`clients/${clients[0]}/secret`, 'what the client says'];
  await owner.push([file('team/a', 'x'), file(path, secret)]);
  const { body: page } = await owner.manifest('?limit=1&since=0');
  const { body: mine } = await member.manifest(`?limit=200&since=0&cursor=${page.nextCursor}`);
  assert.ok(!JSON.stringify([mine.scopes, mine.items]).includes(clients[0]!));
  // Knowing the sha256 of a content neither gives the content nor proves that it exists.
  const claimed = { path: 'team/claim', baseVersion: 0, sha256: sha256(secret) };
  for (const file of [claimed, { ...claimed, contentBase64: '' }]) {
    assert.equal((await member.push([file])).code, 'invalid_request');
  }
  const guessed = await member.push([file('team/guess', secret), file('team/other', `not ${secret}`)]);
  assert.deepEqual(column(guessed.body.files, 'version'), [1, 1]);
  assert.equal(await member.content(path), null);
});

// The layers of a few are read one by one, those of many together.
for (const [count, readable] of [
  [3, 2],
  [20, 18],
] as const) {
  test(`a manifest of ${count} clients shows the readable ones as they were at its first page`, async () => {
    const { owner, member, clients } = await openWithClients(count, readable);
    const inLayers = (ids: readonly string[], name: string) =>
      ['team', ...ids.map((id) => `clients/${id}`)].map((layer) => `${layer}/${name}`);
    const all = (name: string) => inLayers(clients, name);
    const lines = (name: string, told: string) =>
      inLayers(clients.slice(0, readable), name).map((path) => `${path} ${told}`);
    const write = (name: string, text: string, base = 0) => all(name).map((path) => file(path, text, base));
    const first = await owner.push(write('a', '1'));
    await owner.push([...write('b', '1'), ...write('d', '1')]);
    const page = (await member.manifest('?limit=4')).body;
    const gone = all('a').map((path) => deletion(path, 1));
    await owner.push([...gone, ...write('c', '1'), ...write('d', '2', 1)]);
    const rest = (await member.manifest(`?limit=200&cursor=${page.nextCursor}`)).body;
    const shown = [...page.items, ...rest.items].map(({ path, version }) => `${path} ${version}`);
    const expected = ['a', 'b', 'd'].flatMap((name) => lines(name, '1'));
    assert.deepEqual([rest.revision, shown.sort()], [page.revision, expected.sort()]);
    const since = await member.wholeManifest({ since: first.body.revision, limit: 7 });
    const changed = [
      lines('a', '2 true'),
      lines('b', '1 false'),
      lines('c', '1 false'),
      lines('d', '2 false'),
    ];
    assert.deepEqual(
      since.map(({ path, version, deleted }) => `${path} ${version} ${deleted}`).sort(),
      changed.flat().sort(),
    );
  });
}
