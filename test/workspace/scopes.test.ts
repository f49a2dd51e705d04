import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';
import { deletion, file, sha256, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const asSeenBy = ({ headers }: Caller) => workspaceOf(service.app, headers);

/** A Team with so many clients, and a member who can read the first ones. */
async function open(count: number, readable: number) {
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
  const { owner, member, clients } = await open(1, 0);
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
    const { owner, member, clients } = await open(count, readable);
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
