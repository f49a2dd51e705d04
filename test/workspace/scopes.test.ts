import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { recordsNothing } from '../support/company.ts';
import { addClient, addPerson, archiveTeam, type Caller, withoutRequestId } from '../support/team.ts';
import { deletion, file, sha256, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const asSeenBy = ({ headers }: Caller) => workspaceOf(service.app, headers);

/** A Team with three clients, and a member who can write to the first, read the second and knows the third. */
async function open() {
  const company = await service.company();
  const [writes, reads, hidden] = [
    await addClient(service, company),
    await addClient(service, company),
    await addClient(service, company),
  ];
  const member = await addPerson(service, company, {
    teamRole: 'member',
    clients: { [writes]: 'write', [reads]: 'read' },
  });
  return { company, writes, reads, hidden, member, owner: asSeenBy(company) };
}

/** A Team with a file in each layer. */
async function openFilled() {
  const scene = await open();
  const paths = ['team', ...[scene.writes, scene.reads, scene.hidden].map((id) => `clients/${id}`)].map(
    (layer) => `${layer}/a`,
  );
  const pushed = await scene.owner.push(paths.map((path) => file(path, `of ${path}`)));
  assert.equal(pushed.status, 200);
  return { ...scene, paths };
}

describe('the files that a caller can read', () => {
  const filled = openFilled();
  for (const [who, ties, reached] of [
    ['a member', { teamRole: 'member' }, 'team'],
    ['a member with grants', null, 'team writes reads'],
    ['a Team Admin', { teamRole: 'admin' }, 'team writes reads hidden'],
    [
      'a Company Admin with a read grant',
      { companyRole: 'admin', companyGrant: 'read' },
      'team writes reads hidden',
    ],
    [
      'a Company Admin with a full grant',
      { companyRole: 'admin', companyGrant: 'full' },
      'team writes reads hidden',
    ],
  ] as const) {
    test(`${who} reads the files of these layers only: ${reached}`, async () => {
      const { company, member, paths, writes, reads, hidden } = await filled;
      const person = ties === null ? member : await addPerson(service, company, ties);
      const layers = ['team', 'writes', 'reads', 'hidden'];
      const mine = paths.filter((_, index) => reached.split(' ').includes(layers[index] ?? ''));
      const { body: shown } = await asSeenBy(person).manifest();
      assert.deepEqual(shown.items.map(({ path }) => path).sort(), mine.toSorted());
      const scopes = {
        team: 'team',
        writes: `clients/${writes}`,
        reads: `clients/${reads}`,
        hidden: `clients/${hidden}`,
      };
      const own = reached.split(' ').map((name) => scopes[name as keyof typeof scopes]);
      assert.deepEqual(shown.scopes.toSorted(), own.toSorted());
      const pulled = await asSeenBy(person).pull([
        ...paths.map((path) => ({ path })),
        ...paths.map((path) => ({ path, version: 1 })),
      ]);
      const others = paths.filter((path) => !mine.includes(path));
      assert.deepEqual(column(pulled.body.files, 'path'), [...mine, ...mine]);
      assert.deepEqual(pulled.body.missing, [...others, ...others]);
    });
  }

  test('a push with one file in a layer without write access returns 403 and writes nothing', async () => {
    const { company, member, paths, writes, reads, hidden } = await filled;
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    await recordsNothing(service, company, async () => {
      for (const [person, client] of [
        [member, reads],
        [member, hidden],
        [reader, writes],
      ] as const) {
        const team = asSeenBy(person);
        for (const forbidden of [file(`clients/${client}/c`, 'x'), deletion(`clients/${client}/a`, 1)]) {
          for (const files of [
            [forbidden],
            [file(`team/b`, 'x'), file(`clients/${writes}/b`, 'x'), forbidden],
          ]) {
            const refused = await team.push(files);
            assert.deepEqual([refused.status, refused.code], [403, 'scope_forbidden']);
          }
        }
      }
      assert.equal((await asSeenBy(reader).push([file('team/b', 'x')])).code, 'scope_forbidden');
    });
    const { items } = (await asSeenBy(company).manifest('?since=0')).body;
    assert.deepEqual(columns(items, 'path', 'version').sort(), paths.map((path) => [path, 1]).sort());
  });
});

describe('an inaccessible, archived, foreign, unknown or invalid client', () => {
  test('every route answers identically for clients that the caller cannot see', async () => {
    const { company, member, hidden, owner } = await openFilled();
    const elsewhere = await openFilled();
    const archived = await addClient(service, company);
    await owner.push([file(`clients/${archived}/a`, 'x')]);
    assert.equal((await company.ask.archiveClient(archived)).statusCode, 204);
    const clients = [hidden, elsewhere.hidden, elsewhere.writes, archived, newId(), 'nonsense', "' or 1=1"];
    const answers = { push: new Set<string>(), pull: new Set<string>(), manifest: new Set<string>() };
    for (const client of clients) {
      const path = `clients/${client}/a`;
      // A pull repeats the paths of its request.
      const alike = (answer: { body: string; statusCode: number }) =>
        `${answer.statusCode} ${withoutRequestId(answer.body).replaceAll(client, '?')}`;
      const send = (route: string, asked: object) =>
        member.send('POST', `/v1/workspace/${route}`, { files: [asked] });
      answers.push.add(alike(await send('push', file(path, 'x'))));
      answers.push.add(alike(await send('push', file(path, 'y', 1))));
      answers.push.add(alike(await send('push', deletion(path, 1))));
      for (const version of [{}, { version: 1 }, { version: 2 }]) {
        answers.pull.add(alike(await send('pull', { path, ...version })));
      }
      for (const query of ['', '&since=0']) {
        const url = `/v1/workspace/manifest?clientId=${encodeURIComponent(client)}${query}`;
        answers.manifest.add(alike(await member.send('GET', url)));
      }
    }
    assert.deepEqual(column(Object.values(answers), 'size'), [1, 1, 1]);
    assert.match([...answers.push][0] ?? '', /^403 .*"code":"scope_forbidden"/);
    assert.match([...answers.manifest][0] ?? '', /^403 .*"code":"scope_forbidden"/);
    assert.equal([...answers.pull][0], '200 {"files":[],"missing":["clients/?/a"],"remaining":[]}');
  });

  test('no cursor, revision, version or known sha256 reveals an inaccessible client', async () => {
    const { member, owner, hidden, paths } = await openFilled();
    const secret = `secret of ${hidden}`;
    const path = `clients/${hidden}/secret`;
    await owner.push([file(path, secret)]);
    const all = await owner.wholeManifest({ since: 0 });
    const { body: page } = await owner.manifest('?limit=1&since=0');
    const seen = asSeenBy(member);
    // The member sends the cursor of the Owner.
    const { body: mine } = await seen.manifest(`?limit=200&since=0&cursor=${page.nextCursor}`);
    assert.deepEqual(mine.items.map((item) => item.path).sort(), paths.slice(0, 3).sort());
    assert.ok(all.length > mine.items.length);
    // Knowing the sha256 of a content neither gives the content nor proves that it exists.
    const claimed = { path: 'team/claim', baseVersion: 0, sha256: sha256(secret) };
    assert.equal((await seen.push([claimed])).code, 'invalid_request');
    assert.equal((await seen.push([{ ...claimed, contentBase64: '' }])).code, 'invalid_request');
    for (const asked of [`team/${sha256(secret)}`, path, `team/../${path}`])
      assert.equal(await seen.content(asked).catch(() => null), null);
    const guessed = await seen.push([file('team/guess', secret), file('team/other', `not ${secret}`)]);
    assert.deepEqual(guessed.body.files, [
      { path: 'team/guess', version: 1 },
      { path: 'team/other', version: 1 },
    ]);
    const text = JSON.stringify([
      (await seen.manifest('?since=0')).body,
      (await seen.pull([{ path }])).body.files,
    ]);
    assert.ok(!text.includes(hidden));
  });

  test('a file of an inaccessible client does not block a similar path in another layer', async () => {
    const { member, owner, hidden, writes } = await open();
    await owner.push([file(`clients/${hidden}/a/b`, '1')]);
    const pushed = await asSeenBy(member).push([file(`clients/${writes}/A`, '2'), file('team/A', '2')]);
    assert.equal(pushed.status, 200);
  });
});

test('a change in an inaccessible layer does not change what the caller sees', async () => {
  const { member, owner, hidden, paths } = await openFilled();
  const seen = asSeenBy(member);
  const before = [(await seen.manifest()).body, (await seen.manifest('?since=0&limit=2')).body];
  await owner.push([file(`clients/${hidden}/b`, 'x'), file(`clients/${hidden}/a`, 'y', 1)]);
  await owner.push([deletion(`clients/${hidden}/b`, 1)]);
  assert.deepEqual([(await seen.manifest()).body, (await seen.manifest('?since=0&limit=2')).body], before);
  const { revision } = (await seen.manifest()).body;
  assert.ok((await owner.manifest()).body.revision > revision);
  assert.deepEqual((await seen.manifest(`?since=${revision}`)).body.items, []);
  await owner.push([file('team/b', 'x')]);
  assert.deepEqual(column((await seen.manifest(`?since=${revision}`)).body.items, 'path'), ['team/b']);
  // The manifest of one client has the latest revision of its files.
  const client = (paths[2] ?? '').split('/')[1] ?? '';
  const alone = (await seen.manifest(`?clientId=${client}`)).body;
  assert.deepEqual([alone.scopes, alone.items.map(({ path }) => path)], [[`clients/${client}`], [paths[2]]]);
  assert.equal(alone.revision, revision);
});

test('the files of an archived client are hidden from everyone until it is active again', async () => {
  const { company, member, owner, writes, paths } = await openFilled();
  const own = paths.filter((path) => path.includes(writes));
  const patch = (state: string) => company.ask.changeClient(writes, { state });
  const before = await Promise.all(
    [owner, asSeenBy(member)].map(async (seen) => (await seen.manifest()).body),
  );
  assert.equal((await company.ask.archiveClient(writes)).statusCode, 204);
  for (const seen of [owner, asSeenBy(member)]) {
    for (const query of ['', '?since=0']) {
      const { scopes, items } = (await seen.manifest(query)).body;
      assert.ok(!JSON.stringify([scopes, items]).includes(writes));
    }
    assert.equal((await seen.manifest(`?clientId=${writes}`)).code, 'scope_forbidden');
    assert.deepEqual((await seen.pull(own.map((path) => ({ path, version: 1 })))).body.missing, own);
    assert.equal((await seen.push([file(own[0] ?? '', 'x', 1)])).code, 'scope_forbidden');
  }
  assert.equal((await patch('active')).statusCode, 200);
  const after = await Promise.all(
    [owner, asSeenBy(member)].map(async (seen) => (await seen.manifest()).body),
  );
  assert.deepEqual(after, before);
  assert.equal((await asSeenBy(member).push([file(own[0] ?? '', 'x', 1)])).status, 200);
});

test('an archived Team allows reading files and returns 409 for a push', async () => {
  const { company, member, owner, paths, hidden } = await openFilled();
  await archiveTeam(service, company.teamId);
  for (const seen of [owner, asSeenBy(member)]) {
    for (const files of [[file('team/new', 'x')], [deletion('team/a', 1)], [file('team/a', 'stale', 7)]]) {
      const refused = await seen.push(files);
      assert.deepEqual([refused.status, refused.code], [409, 'team_archived']);
    }
    assert.equal(await seen.content('team/a'), 'of team/a');
  }
  assert.equal((await owner.manifest()).body.items.length, paths.length);
  // Errors in the request and in its scope come first.
  assert.equal((await owner.push([file('team/nul', 'x')])).code, 'invalid_path');
  assert.equal((await asSeenBy(member).push([file(`clients/${hidden}/a`, 'x', 1)])).code, 'scope_forbidden');
});

test('a manifest of many clients shows the readable ones as they were at its first page', async () => {
  const company = await service.company();
  const owner = asSeenBy(company);
  const clients: string[] = [];
  for (let n = 0; n < 20; n += 1) clients.push(await addClient(service, company));
  const reached = clients.slice(2);
  const member = await addPerson(service, company, {
    teamRole: 'member',
    clients: Object.fromEntries(reached.map((id) => [id, 'read' as const])),
  });
  const inAll = (name: string) =>
    ['team', ...clients.map((id) => `clients/${id}`)].map((at) => `${at}/${name}`);
  const first = await owner.push(inAll('a').map((path) => file(path, '1')));
  await owner.push(inAll('b').map((path) => file(path, '1')));
  const hidden = new Set(clients.slice(0, 2));
  const expected = [...inAll('a'), ...inAll('b')].filter((path) => !hidden.has(path.split('/')[1] ?? ''));

  const reader = asSeenBy(member);
  const page = await reader.manifest('?limit=7');
  await owner.push([
    ...inAll('a').map((path) => deletion(path, 1)),
    ...inAll('c').map((path) => file(path, '1')),
  ]);
  const shown = [...page.body.items];
  for (let cursor = page.body.nextCursor; cursor !== null; ) {
    const { body }: Awaited<ReturnType<typeof reader.manifest>> = await reader.manifest(
      `?limit=7&cursor=${cursor}`,
    );
    assert.equal(body.revision, page.body.revision);
    shown.push(...body.items);
    cursor = body.nextCursor;
  }
  assert.deepEqual(shown.map(({ path }) => path).sort(), expected.sort());
  assert.ok(shown.every(({ version, deleted }) => version === 1 && !deleted));
  const since = await reader.wholeManifest({ since: first.body.revision, limit: 7 });
  assert.equal(since.length, 3 * (reached.length + 1));
  assert.equal(since.filter(({ deleted }) => deleted).length, reached.length + 1);
});
