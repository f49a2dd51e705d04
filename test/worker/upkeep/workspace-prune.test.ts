import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../../db/driver/database.ts';
import type { BlobStore } from '../../../db/queries/workspace/contents.ts';
import { createLogger } from '../../../shared/logger.ts';
import { doJob } from '../../support/do-job.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { duringPause, openPausedApp } from '../../support/paused-app.ts';
import { buildTestedApp } from '../../support/schema-compilers.ts';
import { addClient, addTeam, readStatus } from '../../support/team.ts';
import { deletion, file, sha256, type Workspace, workspaceOf } from '../../support/workspace.ts';

/** Pruning goes over the files of all Teams, so no one else's are here. */
const service = await openOwnTestApp();
const { database } = service;

const prune = async (on: Database = database) => {
  const env = { MEMORY_WORKSPACE_KEEP_VERSIONS: '2' };
  assert.deepEqual(await doJob(on, 'workspace.prune', {}, env), ['workspace.prune']);
};

/** As if so many minutes had gone by since everything. */
async function pass(minutes: number): Promise<void> {
  for (const [table, time] of [
    ['workspace_version', 'superseded_at'],
    ['workspace_blob', 'waiting_since'],
  ]) {
    const past = `${time} - make_interval(mins => ${minutes})`;
    await database.query(`update memory.${table} set ${time} = ${past} where ${time} is not null`);
  }
}

async function pruneAfter(minutes: number): Promise<void> {
  await pass(minutes);
  await prune();
}

/** Prunes versions, and what they leave behind an hour later. */
async function pruneAll(): Promise<void> {
  for (const _ of ['versions', 'contents']) await pruneAfter(61);
}

/** A Company with a client, and what its Owner sees of its files. */
async function open() {
  const company = await service.company();
  const owner = workspaceOf(service.app, company.headers);
  return { company, owner, clientId: await addClient(service, company) };
}

/** Pushes these contents to a path, one version after the other. */
async function pushVersions(workspace: Workspace, path: string, contents: readonly string[], base = 0) {
  for (const [n, content] of contents.entries()) {
    const { status, code } = await workspace.push([file(path, content, base + n)]);
    assert.equal(status, 200, code);
  }
}

/** The contents of versions 1 to the last one, null for those that are missing. */
async function contentsOf(workspace: Workspace, path: string, versions: number): Promise<(string | null)[]> {
  const wanted = Array.from({ length: versions }, (_, n) => ({ path, version: n + 1 }));
  const { body } = await workspace.pull(wanted);
  return wanted.map(({ version }) => {
    const found = body.files.find((one) => one.version === version);
    return found === undefined ? null : Buffer.from(found.contentBase64, 'base64').toString('utf8');
  });
}

/** The contents that are kept for a Company. */
async function keptContents({ companyId }: { companyId: string }): Promise<string[]> {
  const rows = await database.query<{ content: Buffer }>(
    'select content from memory.workspace_blob where company_id = $1',
    [companyId],
  );
  return rows.map(({ content }) => Buffer.from(content).toString('utf8')).sort();
}

const FIVE = ['1', '2', '3', '4', '5'];

describe('old versions', () => {
  // Of many files, layers and deletions: test/workspace/model.
  test('are kept if among the last ones, and deleted an hour later otherwise', async () => {
    const { company, owner } = await open();
    const bytes = async () => (await readStatus(company)).usage?.bytes;
    await pushVersions(owner, 'team/a', FIVE);
    await pruneAfter(59);
    assert.deepEqual(await contentsOf(owner, 'team/a', 5), FIVE, 'within the hour');
    assert.equal(await bytes(), 5);
    await pruneAfter(2);
    assert.deepEqual(await contentsOf(owner, 'team/a', 5), [null, null, '3', '4', '5']);
    assert.equal(await bytes(), 3);
    const { body } = await owner.pull([{ path: 'team/a', version: 1 }, { path: 'team/a' }]);
    assert.deepEqual([body.missing, body.files.length], [['team/a'], 1]);
    // A pull may have found a version and be about to read its content.
    assert.deepEqual(await keptContents(company), FIVE);
    await pruneAfter(61);
    assert.deepEqual(await keptContents(company), ['3', '4', '5']);
    await pushVersions(owner, 'team/a', ['6'], 5);
    await pruneAfter(61);
    assert.deepEqual(await contentsOf(owner, 'team/a', 6), [null, null, null, '4', '5', '6']);
  });
});

describe('contents of workspace files', () => {
  test('are kept while a version of any Team or client of the Company refers to them', async () => {
    const { company, owner, clientId } = await open();
    const elsewhere = { ...company.headers, 'memory-team': await addTeam(service, company) };
    const other = workspaceOf(service.app, elsewhere);
    await pushVersions(owner, 'team/a', FIVE);
    await owner.push([file(`clients/${clientId}/b`, '1')]);
    await other.push([file('team/c', '2')]);
    // What another Company keeps is its own.
    const stranger = await open();
    await pushVersions(stranger.owner, 'team/a', ['x', '1', '2', '3']);
    await pruneAll();
    await pruneAfter(61);
    assert.deepEqual(await keptContents(company), FIVE);
    assert.deepEqual(await keptContents(stranger.company), ['1', '2', '3']);
    assert.equal(await owner.content(`clients/${clientId}/b`), '1');
    assert.equal(await other.content('team/c'), '2');
    await other.push([deletion('team/c', 1)]);
    await pushVersions(other, 'team/c', ['x', 'y', 'z'], 2);
    await pruneAll();
    assert.deepEqual(await keptContents(company), ['1', '3', '4', '5', 'x', 'y', 'z'], 'once none does');
  });

  test('of a refused push are deleted after an hour and not before', async () => {
    const { company, owner } = await open();
    assert.equal((await owner.push([file('team/a', 'refused', 3)])).status, 409);
    await pruneAfter(59);
    assert.deepEqual(await keptContents(company), ['refused']);
    await pruneAfter(2);
    assert.deepEqual(await keptContents(company), []);
  });

  test('are not deleted while a push uses them, however long they have waited', async (t) => {
    const { company, owner } = await open();
    assert.equal((await owner.push([file('team/a', 'waits', 3)])).status, 409);
    await pass(120);
    const held = await openPausedApp(t, service);
    const pushed = await duringPause(
      held,
      ({ app }) => workspaceOf(app, company.headers).push([file('team/a', 'waits'), file('team/b', 'new')]),
      () => prune(),
    );
    assert.equal(pushed.status, 200, pushed.code);
    assert.deepEqual(await keptContents(company), ['new', 'waits']);
    await pruneAfter(61);
    assert.equal(await owner.content('team/a'), 'waits');
  });

  test('that are deleted between the search for a version and its content make the version missing', async (t) => {
    const { company, owner } = await open();
    await pushVersions(owner, 'team/a', FIVE);
    const read: BlobStore['read'] = async (...given) => {
      await pruneAll();
      return service.blobs.read(...given);
    };
    const logger = createLogger('silent', 'test');
    const app = await buildTestedApp({ ...service, blobs: { ...service.blobs, read }, logger });
    t.after(() => app.close());
    const wanted = [1, 5].map((version) => ({ path: 'team/a', version }));
    const { status, body } = await workspaceOf(app, company.headers).pull(wanted);
    assert.deepEqual(
      [status, body.missing, body.files.map(({ version }) => version)],
      [200, ['team/a'], [5]],
    );
  });

  test('of a deleted Team are deleted, except those that another Team shares', async () => {
    const { company, owner } = await open();
    const teamId = await addTeam(service, company);
    const going = workspaceOf(service.app, { ...company.headers, 'memory-team': teamId });
    await owner.push([file('team/a', 'shared')]);
    await going.push([file('team/a', 'shared'), file('team/b', 'its own')]);
    await database.query('update identity.team set deleted_at = now() where id = $1', [teamId]);
    await doJob(database, 'team.purge', { companyId: company.companyId, teamId, userId: company.ownerId });
    await prune();
    assert.deepEqual(await keptContents(company), ['its own', 'shared'], 'within the hour');
    await pruneAfter(61);
    assert.deepEqual(await keptContents(company), ['shared']);
    assert.equal(await owner.content('team/a'), 'shared');
  });
});

test('a manifest is paged as of its first page, even if files are changed and pruned in between', async () => {
  const { owner } = await open();
  const paths = ['a', 'b', 'c', 'd', 'e'].map((name) => `team/${name}`);
  for (const path of paths) await pushVersions(owner, path, FIVE);
  await pruneAfter(61);
  const before = await owner.wholeManifest();
  assert.equal(before.length, paths.length);
  const first = (await owner.manifest('?limit=2')).body;
  for (const path of paths) await pushVersions(owner, path, ['6', '7', '8'], 5);
  await owner.push([deletion('team/b', 8)]);
  await prune();
  const items = [...first.items];
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const { body } = await owner.manifest(`?limit=2&cursor=${cursor}`);
    items.push(...body.items);
    cursor = body.nextCursor;
  }
  assert.deepEqual(items, before);
});

/** Rounds of a race: each is another chance for the two to meet. */
const ROUNDS = 3;

test('pushes of contents that are being pruned all succeed and have their contents', async () => {
  const { owner } = await open();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const contents = Array.from({ length: 40 }, (_, n) => `content ${n} of round ${round}`);
    const files = (folder: string, some: readonly string[], base = 0) =>
      some.map((content, n) => file(`team/${round}/${folder}/${n}`, content, base));
    // Nothing refers to one half, and to the other a version that is about to go.
    const [unused, released] = [contents.slice(0, 20), contents.slice(20)];
    assert.equal((await owner.push(files('refused', unused, 1))).status, 409);
    for (const [base, word] of ['', 'second ', 'third ', 'fourth '].entries()) {
      const next = released.map((content) => word + content);
      assert.equal((await owner.push(files('old', next, base))).status, 200);
    }
    await pass(61);
    const orders = [contents, contents.toReversed(), contents.toSorted(), [...released, ...unused]];
    const pushing = orders.map((order, n) => owner.push(files(`new-${n}`, order)));
    await Promise.all([prune(), prune(), ...pushing]);
    for (const { status, code } of await Promise.all(pushing)) assert.equal(status, 200, code);
    const paths = orders.flatMap((order, n) => files(`new-${n}`, order).map(({ path }) => ({ path })));
    const { body } = await owner.pull(paths);
    assert.deepEqual([body.files.length, body.missing], [paths.length, []]);
    for (const one of body.files) {
      assert.equal(sha256(Buffer.from(one.contentBase64, 'base64')), one.sha256);
    }
    const gone = await owner.pull(files('old', released).map(({ path }) => ({ path, version: 1 })));
    assert.equal(gone.body.missing.length, released.length, 'they were pruned during the pushes');
  }
});
