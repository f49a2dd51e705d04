import assert from 'node:assert/strict';
import type { ManifestItem } from '../../../shared/schemas/workspace.ts';
import { sha256 } from '../../support/workspace.ts';
import { ALL_NAMES, CALLERS, type CallerName, LAYERS, type Layer, type ModelVersion } from './model.ts';
import { assertPulled, playPrune } from './play.ts';
import { pathOf, prefixOf, type World } from './world.ts';

/**
 * Holds what one caller after the other sees against the model.
 * @param turn counts the steps: it chooses the caller, the process that is asked, and how
 */
export async function assertAsTheModelSays(world: World, turn: number): Promise<void> {
  const by = CALLERS[turn % CALLERS.length]!;
  await assertManifest(world, by, turn);
  await assertContents(world, by, turn);
  if (turn % 3 === 0) await assertNarrowed(world, by, turn % 2 === 0 ? 'a' : 'b');
}

/** What a manifest shows of these versions, by path. */
function shownOf(world: World, versions: readonly ModelVersion[]) {
  return versions
    .map((one) => ({
      path: pathOf(world, one),
      sha256: one.content === null ? null : sha256(one.content),
      bytes: one.content?.length ?? 0,
      version: one.version,
      deleted: one.content === null,
      updatedBy: world.userIds[one.by],
      // No worker runs. Names without an extension have no format that can be read.
      indexed: one.name.endsWith('.md') && (one.content ?? '') !== '' ? 'pending' : 'no',
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function assertShown(world: World, items: readonly ManifestItem[], versions: readonly ModelVersion[]): void {
  const seen = items.map((item) => {
    const { updatedAt: _, ...rest } = item;
    return rest;
  });
  assert.deepEqual(
    seen.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    shownOf(world, versions),
  );
  const revisions = new Map(versions.map((one) => [pathOf(world, one), one.revision]));
  const order = items.map(({ path }) => revisions.get(path)!);
  assert.deepEqual(
    order,
    order.toSorted((a, b) => b - a),
    'the latest change comes first',
  );
}

const isLive = ({ content }: ModelVersion) => content !== null;
const lastOf = (versions: readonly ModelVersion[]) =>
  Math.max(0, ...versions.map(({ revision }) => revision));

/** Everything, in pages of one size or another, and what changed since some revision. */
async function assertManifest(world: World, by: CallerName, turn: number): Promise<void> {
  const { model } = world;
  const workspace = world.workspaces[by][turn % 2 === 0 ? 0 : 1];
  const layers = model.reads(by);
  const all = model.currents(layers);
  const { body } = await workspace.manifest('?limit=1');
  assert.equal(body.revision, lastOf(all));
  assert.deepEqual(body.scopes.toSorted(), layers.map((layer) => prefixOf(world, layer)).sort());
  assertShown(world, await workspace.wholeManifest({ limit: [200, 3][turn % 2]! }), all.filter(isLive));
  const since = model.revisions[(turn * 7) % model.revisions.length]!;
  const changes = await workspace.wholeManifest({ since, limit: [4, 200][turn % 2]! });
  assertShown(
    world,
    changes,
    all.filter(({ revision }) => revision > since),
  );
}

/** Every file that there may be, whether or not the caller reaches it. */
async function assertContents(world: World, by: CallerName, turn: number): Promise<void> {
  const places = LAYERS.flatMap((layer) => ALL_NAMES.map((name) => ({ layer, name })));
  const workspace = world.workspaces[by][turn % 2 === 0 ? 1 : 0];
  const { body } = await workspace.pull(places.map((place) => ({ path: pathOf(world, place) })));
  assertPulled(world, by, places, body);
}

/** The manifest of one client alone. */
async function assertNarrowed(world: World, by: CallerName, client: Exclude<Layer, 'team'>): Promise<void> {
  const { status, code, body } = await world.workspaces[by][0].manifest(`?clientId=${world.clients[client]}`);
  if (!world.model.reads(by).includes(client)) {
    assert.deepEqual([status, code], [403, 'scope_forbidden']);
    return;
  }
  const all = world.model.currents([client]);
  assert.deepEqual([body.revision, body.scopes], [lastOf(all), [prefixOf(world, client)]]);
  assertShown(world, body.items, all.filter(isLive));
}

/** At the end: every version stands there once, with its event, and no content that none of them has. */
export async function assertStored(world: World): Promise<void> {
  const { database } = world.service;
  const { teamId, companyId } = world.company;
  // What the last pruning of versions leaves behind goes an hour later.
  await playPrune(world);
  await playPrune(world);
  const versions = world.model.versions;
  const stored = await database.query<{ count: number }>(
    'select count(*)::int as count from memory.workspace_version where team_id = $1',
    [teamId],
  );
  assert.equal(stored[0]?.count, versions.filter(({ pruned }) => !pruned).length);
  const events = await database.query<{ kind: string }>(
    `select kind from memory.audit_event where team_id = $1 and kind like 'workspace.%'`,
    [teamId],
  );
  assert.deepEqual(
    events.map(({ kind }) => kind).sort(),
    versions.map(({ content }) => (content === null ? 'workspace.delete' : 'workspace.write')).sort(),
  );
  const contents = await database.query<{ content: Buffer }>(
    'select content from memory.workspace_blob where company_id = $1',
    [companyId],
  );
  const kept = new Set(
    versions.flatMap(({ pruned, content }) => (pruned || content === null ? [] : [content])),
  );
  assert.deepEqual(
    contents.map(({ content }) => Buffer.from(content).toString('utf8')).sort(),
    [...kept].sort(),
  );
}
