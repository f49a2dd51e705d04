import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { ManifestItem } from '../../shared/schemas/workspace.ts';
import { openTestApp } from '../support/app.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { openSecondApp } from '../support/second-app.ts';
import { addClient } from '../support/team.ts';
import { deletion, file, type Workspace, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const second = await openSecondApp({ after }, service);

/** The last version of a path; `content` is null when it is deleted. */
interface Latest {
  version: number;
  content: string | null;
}

type State = ReadonlyMap<string, Latest>;

/** The lines that a manifest shows for a state, sorted. */
function shownOf(state: State, filter: (path: string, latest: Latest) => boolean): string[] {
  return [...state]
    .filter(([path, latest]) => filter(path, latest))
    .map(
      ([path, { version, content }]) => `${path} ${version} ${content === null ? 'deleted' : content.length}`,
    )
    .sort();
}

/** The same lines from the items of a manifest. The contents differ in length. */
const itemsShown = (items: readonly ManifestItem[]) =>
  items
    .map(({ path, version, deleted, bytes }) => `${path} ${version} ${deleted ? 'deleted' : bytes}`)
    .sort();

/** A workspace with one writer, and the state at each of its revisions. */
class History {
  private state: State = new Map();
  /** In the order of revisions; the first state is empty. */
  readonly states: { revision: number; state: State }[] = [{ revision: 0, state: this.state }];
  private readonly workspace: Workspace;
  private readonly paths: readonly string[];

  constructor(workspace: Workspace, paths: readonly string[]) {
    this.workspace = workspace;
    this.paths = paths;
  }

  get last(): number {
    return this.states.at(-1)!.revision;
  }

  at(revision: number): State {
    const found = this.states.find((one) => one.revision === revision);
    assert.ok(found, `no push was answered with the revision ${revision}`);
    return found.state;
  }

  /** Writes the paths of these places, or deletes those that exist. */
  async push(places: readonly number[], how: 'write' | 'delete'): Promise<void> {
    const next = new Map(this.state);
    const files = [...new Set(places)].flatMap((place) => {
      const path = this.paths[place]!;
      const { version, content } = this.state.get(path) ?? { version: 0, content: null };
      if (how === 'delete' && content === null) return [];
      const written = how === 'delete' ? null : 'x'.repeat(this.states.length);
      next.set(path, { version: version + 1, content: written });
      return [written === null ? deletion(path, version) : file(path, written, version)];
    });
    if (files.length === 0) return;
    const { status, body, code } = await this.workspace.push(files);
    assert.equal(status, 200, code);
    assert.ok(body.revision > this.last, 'revisions ascend');
    this.state = next;
    this.states.push({ revision: body.revision, state: next });
  }
}

const PLACES = 8;
const change = fc.record({
  places: fc.array(fc.nat({ max: PLACES - 1 }), { minLength: 1, maxLength: 4 }),
  how: fc.oneof(
    { weight: 2, arbitrary: fc.constant('write' as const) },
    { weight: 1, arbitrary: fc.constant('delete' as const) },
  ),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const interleaving = fc.record({
  before: fc.array(change, { minLength: 2, maxLength: 5, size: 'max' }),
  /** The changes after each page, as far as there is one. */
  between: fc.array(fc.array(change, { maxLength: 2, size: 'max' }), { maxLength: 6, size: 'max' }),
  limit: fc.integer({ min: 1, max: 3 }),
  /** The index of the revision for `since`, or null for the whole manifest. */
  since: fc.option(fc.nat({ max: 4 }), { freq: 1 }),
});

/** Reads a manifest in pages while the history continues, and returns its items and revision. */
async function pageDuring(
  reader: Workspace,
  history: History,
  query: string,
  between: readonly (readonly Change[])[],
): Promise<{ revision: number; items: ManifestItem[] }> {
  const first = await reader.manifest(query);
  const { revision } = first.body;
  const items = [...first.body.items];
  let cursor = first.body.nextCursor;
  for (let n = 0; cursor !== null; n += 1) {
    for (const { places, how } of between[n] ?? []) await history.push(places, how);
    const { status, body } = await reader.manifest(`${query}&cursor=${cursor}`);
    assert.deepEqual([status, body.revision], [200, revision], 'each page bears the revision of the first');
    items.push(...body.items);
    cursor = body.nextCursor;
  }
  return { revision, items };
}

/** The changes between two revisions, as a manifest with `since` shows them. */
function changesBetween(from: State, to: State): string[] {
  return shownOf(to, (path, { version }) => from.get(path)?.version !== version);
}

test('all pages of a manifest show the revision of the first, and since returns the later changes', async () => {
  await fc.assert(
    fc.asyncProperty(interleaving, async ({ before, between, limit, since }) => {
      const company = await service.company();
      const clientId = await addClient(service, company);
      const paths = Array.from({ length: PLACES }, (_, n) =>
        n % 3 === 2 ? `clients/${clientId}/file-${n}` : `team/file-${n}`,
      );
      const writer = workspaceOf(service.app, company.headers);
      const reader = workspaceOf(second.app, company.headers);
      const history = new History(writer, paths);
      for (const { places, how } of before) await history.push(places, how);
      const from = since === null ? null : (history.states.at(since)?.revision ?? 0);
      const query = `?limit=${limit}${from === null ? '' : `&since=${from}`}`;
      const { revision, items } = await pageDuring(reader, history, query, between);
      const state = history.at(revision);
      assert.deepEqual(
        itemsShown(items),
        from === null
          ? shownOf(state, (_, { content }) => content !== null)
          : changesBetween(history.at(from), state),
      );
      const rest = await reader.wholeManifest({ since: revision, limit });
      assert.deepEqual(itemsShown(rest), changesBetween(state, history.at(history.last)));
      const now = await reader.manifest(`?since=${history.last}`);
      assert.deepEqual([now.body.items, now.body.revision], [[], history.last]);
    }),
    { numRuns: databaseUrl === undefined ? 12 : 25, unbiased: true },
  );
});

/** A version that a push returned, with its revision. */
interface Written {
  path: string;
  version: number;
  revision: number;
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
        log.push({ path, version, revision: body.revision });
      }
    }
  }
}

/** One manifest that a follower read: its start, its revision and its versions. */
interface Shown {
  since: number;
  revision: number;
  versions: string[];
}

/** Reads manifests in pages, each from the revision of the last, until told to end and once more. */
async function follow(workspace: Workspace, ended: () => boolean): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (let last = false, since = 0; ; ) {
    const first = await workspace.manifest(`?since=${since}&limit=3`);
    const { revision } = first.body;
    const items = [...first.body.items];
    for (let cursor = first.body.nextCursor; cursor !== null; ) {
      const { body } = await workspace.manifest(`?since=${since}&limit=3&cursor=${cursor}`);
      assert.equal(body.revision, revision);
      items.push(...body.items);
      cursor = body.nextCursor;
    }
    shown.push({ since, revision, versions: items.map(({ path, version }) => `${path} ${version}`).sort() });
    if (last) return shown;
    last = ended();
    since = revision;
  }
}

/** The last version of each path that was written after `since` and up to `revision`. */
function writtenBetween(log: readonly Written[], since: number, revision: number): string[] {
  const last = new Map<string, Written>();
  for (const one of log.toSorted((a, b) => a.version - b.version)) {
    if (one.revision <= revision) last.set(one.path, one);
  }
  return [...last.values()]
    .filter((one) => one.revision > since)
    .map(({ path, version }) => `${path} ${version}`)
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
    assert.ok(shown.length > 2, `looked ${shown.length} times`);
    for (const { since, revision, versions } of shown) {
      assert.deepEqual(versions, writtenBetween(log, since, revision), `since ${since} at ${revision}`);
    }
    assert.equal(shown.at(-1)!.revision, Math.max(...log.map(({ revision }) => revision)));
  }
});
