import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { openSecondApp } from '../support/second-app.ts';
import { deletion, file, type Workspace, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const second = await openSecondApp({ after }, service);

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
