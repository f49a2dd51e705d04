import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { changeAccess } from '../support/access-changes.ts';
import { openTestApp } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { duringPause, openPausedApp } from '../support/paused-app.ts';
import { openSecondApp } from '../support/second-app.ts';
import { addClient, addPerson, addTeam } from '../support/team.ts';
import { deletion, file, sha256, type Workspace, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();

const { database } = service;

const second = await openSecondApp({ after }, service);

const PUSHERS = 20;

const pathsOf = (items: readonly { path: string }[]) => items.map(({ path }) => path).sort();

/** The number of concurrent pushes, which alternate between both processes. */
function atOnce(headers: Record<string, string>, pushes: readonly (readonly object[])[]) {
  const both = [workspaceOf(service.app, headers), workspaceOf(second.app, headers)] as const;
  return Promise.all(pushes.map((files, n) => both[n % 2 === 0 ? 0 : 1].push(files)));
}

/** How many versions of files the Team has. */
async function countVersions(teamId: string): Promise<number> {
  const rows = await database.query('select from memory.workspace_version where team_id = $1', [teamId]);
  return rows.length;
}

describe('twenty concurrent pushes to two API processes', () => {
  test('of pushes from one base version one succeeds and the others get 409 with the current version', async () => {
    const company = await service.company();
    const owner = workspaceOf(service.app, company.headers);
    // In the first round the order may depend on which process already has a connection.
    for (const base of [0, 1]) {
      const contents = Array.from({ length: PUSHERS }, (_, n) => `${base} of pusher ${n}`);
      // In the second round, some delete the file.
      const isDeletion = (n: number) => base === 1 && n % 4 < 2;
      const pushes = contents.map((content, n) => [
        isDeletion(n) ? deletion('team/shared', base) : file('team/shared', content, base),
        // A second file of its own, which is written together with the first or not at all.
        file(`team/own-${base}-${n}`, content),
      ]);
      const answers = await atOnce(company.headers, pushes);
      const winners = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []));
      assert.equal(winners.length, 1, `base ${base}: ${winners.length} won`);
      const [winner = 0] = winners;
      const content = isDeletion(winner) ? null : contents[winner]!;
      const current = {
        currentVersion: base + 1,
        currentSha256: content === null ? null : sha256(content),
      };
      for (const [n, answer] of answers.entries()) {
        if (n === winner) continue;
        assert.deepEqual([answer.status, answer.code], [409, 'workspace_conflict']);
        assert.deepEqual(answer.conflicts, [{ path: 'team/shared', ...current }]);
      }
      assert.equal(await owner.content('team/shared'), content);
      assert.equal(await owner.content(`team/own-${base}-${winner}`), contents[winner]);
      assert.equal(await countVersions(company.teamId), 2 * (base + 1));
    }
  });

  test('of pushes of conflicting paths one succeeds and the others get 409 with the blocking path', async () => {
    const company = await service.company();
    const owner = workspaceOf(service.app, company.headers);
    const names = ['notes/a', 'Notes/A', 'NOTES', 'notes/a/b', 'notes/a/b/c'];
    const paths = Array.from({ length: PUSHERS }, (_, n) => `team/${names[n % names.length]}`);
    const answers = await atOnce(
      company.headers,
      paths.map((path, n) => [file(path, `of ${n}`)]),
    );
    const winner = answers.findIndex(({ status }) => status === 200);
    const won = paths[winner]!;
    for (const [n, { status, code, conflicts }] of answers.entries()) {
      if (n === winner) continue;
      assert.deepEqual([status, code], [409, 'workspace_conflict']);
      const path = paths[n]!;
      const expected =
        path === won
          ? { path, currentVersion: 1, currentSha256: sha256(`of ${winner}`) }
          : { path, currentVersion: 0, currentSha256: null, blockedBy: won };
      assert.deepEqual(conflicts, [expected]);
    }
    assert.deepEqual(column(await owner.wholeManifest(), 'path'), [won]);
  });
});

/** The contents that are stored for a Company. */
async function keptContents(companyId: string): Promise<string[]> {
  const rows = await database.query<{ sha256: string }>(
    `select encode(sha256, 'hex') as sha256 from memory.workspace_blob where company_id = $1 order by 1`,
    [companyId],
  );
  return rows.map((row) => row.sha256);
}

test('concurrent pushes of the same contents to two Teams succeed and store each content once', async () => {
  const company = await service.company();
  const secondTeam = { ...company.headers, 'memory-team': await addTeam(service, company) };
  const workspaces = [company.headers, secondTeam].flatMap((headers) => [
    workspaceOf(service.app, headers),
    workspaceOf(second.app, headers),
  ]);
  const contents = Array.from({ length: 12 }, (_, n) => `shared content ${n}`);
  const orders = [
    contents,
    contents.toReversed(),
    [...contents.slice(6), ...contents.slice(0, 6)],
    contents.toSorted((a, b) => (sha256(a) < sha256(b) ? 1 : -1)),
  ];
  for (const round of [1, 2]) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        workspaces[n % 4]!.push(
          orders[(n + (n >> 2)) % 4]!.map((content, place) => file(`team/${round}/${n}/${place}`, content)),
        ),
      ),
    );
    for (const { status, code } of answers) assert.equal(status, 200, code);
    assert.deepEqual(await keptContents(company.companyId), contents.map(sha256).sort());
    // A push updates the row of a content that is minutes old, so every push updates every row.
    await database.query(
      `update memory.workspace_blob set waiting_since = now() - interval '30 minutes' where company_id = $1`,
      [company.companyId],
    );
  }
  const items = await workspaces[0]!.wholeManifest();
  const pulled = await workspaces[0]!.pull(items.slice(0, 100).map(({ path }) => ({ path })));
  assert.deepEqual(pulled.body.missing, []);
  for (const { sha256: name, contentBase64 } of pulled.body.files) {
    assert.equal(sha256(Buffer.from(contentBase64, 'base64')), name);
  }
});

test('a push returns 409 and overwrites nothing if another push changed one of its files while it waited', async (t) => {
  const company = await service.company();
  const owner = workspaceOf(service.app, company.headers);
  await owner.push([file('team/shared', 'early')]);
  const late = await duringPause(
    await openPausedApp(t, service),
    ({ app }) =>
      workspaceOf(app, company.headers).push([file('team/a', 'late'), file('team/shared', 'late', 1)]),
    () => owner.push([file('team/shared', 'the other push', 1)]),
  );
  assert.deepEqual([late.status, late.code], [409, 'workspace_conflict']);
  assert.equal(await owner.content('team/shared'), 'the other push');
  assert.deepEqual(pathsOf((await owner.manifest('?since=0')).body.items), ['team/shared']);
});

/** A member who can write to a client of the Team, with files there and in the Team layer. */
async function stage() {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const person = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  const owner = workspaceOf(service.app, company.headers);
  const inClient = [`clients/${clientId}/a`, `clients/${clientId}/b`, `clients/${clientId}/c`];
  await owner.push(['team/a', 'team/b', ...inClient].map((path) => file(path, `content of ${path}`)));
  const member = workspaceOf(service.app, person.headers);
  return { scene: { company, person, clientId }, member, inClient };
}

for (const what of ['the client was archived', 'the grant was deleted'] as const) {
  test(`the next page of a manifest, a pull and a push exclude the files of the client after ${what}`, async () => {
    const { scene, member, inClient } = await stage();
    const before = await member.manifest('?limit=1');
    await changeAccess(service, what, scene);
    const rest = await member.manifest(`?limit=200&cursor=${before.body.nextCursor}`);
    assert.deepEqual([rest.body.scopes, rest.body.revision], [['team'], before.body.revision]);
    const shown = [...before.body.items.filter(({ path }) => !inClient.includes(path)), ...rest.body.items];
    assert.deepEqual(pathsOf(shown), ['team/a', 'team/b']);
    const files = [...inClient, 'team/a'].flatMap((path) => [{ path }, { path, version: 1 }]);
    const pulled = await member.pull(files);
    assert.deepEqual(pathsOf(pulled.body.files), ['team/a', 'team/a']);
    assert.deepEqual(pulled.body.missing, column(files, 'path').slice(0, -2));
    const pushed = await member.push([file(inClient[0]!, 'mine', 1)]);
    assert.deepEqual([pushed.status, pushed.code], [403, 'scope_forbidden']);
  });
}

/** A version that a push returned, with its revision. */
interface Written {
  path: string;
  version: number;
  revision: number;
  deleted: boolean;
}

const WRITERS = 5;

const PUSHES_EACH = 10;

/** Pushes to its own files and to shared ones, and repeats a push that was refused. */
async function write(workspace: Workspace, name: number, log: Written[]): Promise<void> {
  const known = new Map<string, number>();
  for (let n = 0; n < PUSHES_EACH; n += 1) {
    const paths = [`team/own-${name}-${n % 3}`, `team/shared-${n % 4}`];
    for (let won = false; !won; ) {
      const files = paths.map((path) =>
        n % 5 === 4 && known.has(path)
          ? deletion(path, known.get(path)!)
          : file(path, `${name} ${n}`, known.get(path) ?? 0),
      );
      const { status, body, conflicts } = await workspace.push(files);
      for (const { path, currentVersion } of conflicts) known.set(path, currentVersion);
      won = status === 200;
      if (!won) assert.equal(status, 409);
      for (const { path, version } of won ? body.files : []) {
        known.set(path, version);
        const deleted = 'deleted' in files.find((one) => one.path === path)!;
        log.push({ path, version, revision: body.revision, deleted });
      }
    }
  }
}

/** One manifest that a follower read: its start, null for the live files; its revision, and its versions. */
interface Shown {
  since: number | null;
  revision: number;
  versions: string[];
}

/** Reads a manifest in pages, each of which must bear the revision of the first. */
async function readPages(workspace: Workspace, since: number | null): Promise<Shown> {
  const query = since === null ? '?limit=3' : `?limit=3&since=${since}`;
  const { body: first } = await workspace.manifest(query);
  const items = [...first.items];
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const { body } = await workspace.manifest(`${query}&cursor=${cursor}`);
    assert.equal(body.revision, first.revision);
    items.push(...body.items);
    cursor = body.nextCursor;
  }
  const versions = items.map(({ path, version, deleted }) => `${path} ${version} ${deleted}`).sort();
  return { since, revision: first.revision, versions };
}

/** Reads the changes since the last look and the live files, until told to end and once more. */
async function follow(workspace: Workspace, ended: () => boolean): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (let last = false, since = 0; ; ) {
    const changes = await readPages(workspace, since);
    shown.push(changes, await readPages(workspace, null));
    if (last) return shown;
    last = ended();
    since = changes.revision;
  }
}

/** What a manifest shows of what was written up to its revision: the last version of each path. */
function expectedOf(log: readonly Written[], { since, revision }: Shown): string[] {
  const last = new Map<string, Written>();
  for (const one of log.toSorted((a, b) => a.version - b.version)) {
    if (one.revision <= revision) last.set(one.path, one);
  }
  return [...last.values()]
    .filter((one) => (since === null ? !one.deleted : one.revision > since))
    .map(({ path, version, deleted }) => `${path} ${version} ${deleted}`)
    .sort();
}

test('a follower of the manifest misses no change while several writers push', async () => {
  const company = await service.company();
  const apps = [service.app, second.app] as const;
  const log: Written[] = [];
  let writing = WRITERS;
  const writers = Array.from({ length: WRITERS }, async (_, n) => {
    try {
      await write(workspaceOf(apps[n % 2 === 0 ? 0 : 1], company.headers), n, log);
    } finally {
      writing -= 1;
    }
  });
  const followers = apps.map((app) => follow(workspaceOf(app, company.headers), () => writing === 0));
  const [seen] = await Promise.all([Promise.all(followers), ...writers]);
  assert.equal(log.length, WRITERS * PUSHES_EACH * 2);
  assert.equal(new Set(log.map(({ revision }) => revision)).size, WRITERS * PUSHES_EACH);
  for (const shown of seen) {
    assert.ok(shown.length > 4, `looked ${shown.length} times`);
    for (const one of shown)
      assert.deepEqual(one.versions, expectedOf(log, one), `since ${one.since} at ${one.revision}`);
  }
});
