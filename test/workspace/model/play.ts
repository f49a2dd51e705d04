import assert from 'node:assert/strict';
import { newId } from '../../../shared/ids.ts';
import type { PullResponse } from '../../../shared/schemas/workspace.ts';
import { doJob } from '../../support/do-job.ts';
import { type Answered, deletion, file, sha256 } from '../../support/workspace.ts';
import type { CallerName, Layer, ModelFile, Place } from './model.ts';
import type { Step, StepOf } from './steps.ts';
import { pathOf, type World } from './world.ts';

/** Versions that stay before the current one. */
const KEPT_VERSIONS = 1;
/** Where a push breaks: at one statement of each part that it writes. */
const BREAKS = [
  'insert into memory.workspace_version',
  'insert into memory.audit_event',
  'memory.idempotency_key',
] as const;

/** Does one step, and holds what is answered against the model. */
export async function play(world: World, step: Step): Promise<void> {
  switch (step.do) {
    case 'push':
      return playPush(world, step);
    case 'broken push':
      return playBrokenPush(world, step);
    case 'repeat':
      return playRepeat(world, step);
    case 'pull':
      return playPull(world, step);
    case 'grant':
      return playGrant(world, step);
    case 'archive or restore client':
      return playClient(world, step.client);
    case 'push to the archived Team':
      return playArchivedTeam(world, step.push);
    case 'prune':
      return playPrune(world);
  }
}

/** The files of a push as the model takes them. */
function filesOf({ model }: World, { by, files, withinReach }: StepOf<'push'>): ModelFile[] {
  const writes = model.writes(by);
  const taken = new Map<string, ModelFile>();
  for (const { layer: drawn, name, how, content, base: kind } of files) {
    const layer: Layer = withinReach && !writes.includes(drawn) ? 'team' : drawn;
    const { version, content: present } = model.current({ layer, name }) ?? { version: 0, content: null };
    const base = {
      right: present === null && content % 2 === 0 ? 0 : version,
      zero: 0,
      stale: Math.max(version - 1, 0),
      ahead: version + 1,
    }[kind];
    taken.set(`${layer} ${name}`, {
      layer,
      name,
      base,
      content: how === 'delete' ? null : `content ${content}`,
    });
  }
  return [...taken.values()];
}

/** The same as they go over the wire. */
const sent = (world: World, files: readonly ModelFile[]) =>
  files.map((one) =>
    one.content === null
      ? deletion(pathOf(world, one), one.base)
      : file(pathOf(world, one), one.content, one.base),
  );

const layersOf = (files: readonly ModelFile[]) => [...new Set(files.map(({ layer }) => layer))];

const tell = (world: World, by: CallerName, what: string, { status, code }: Answered<unknown>) =>
  world.told.push(`${by} ${what} -> ${status} ${code ?? ''}`);

const told = (files: readonly ModelFile[]) =>
  files
    .map(({ layer, name, base, content }) => `${layer}/${name} from ${base}: ${content ?? 'deleted'}`)
    .join(', ');

async function playPush(world: World, step: StepOf<'push'>): Promise<void> {
  const { model } = world;
  const { by } = step;
  const files = filesOf(world, step);
  const [key, body] = [newId(), sent(world, files)];
  const answer = await world.workspaces[by][step.process === 0 ? 0 : 1].push(body, {
    'idempotency-key': key,
  });
  tell(world, by, `pushes ${told(files)}`, answer);
  if (files.some(({ layer }) => !model.writes(by).includes(layer))) {
    assert.deepEqual([answer.status, answer.code], [403, 'scope_forbidden']);
    return;
  }
  if (!assertConflicts(world, files, answer)) return;
  const { revision } = answer.body;
  assert.ok(revision > model.revisions.at(-1)!, 'revisions ascend');
  model.write(by, files, revision);
  assert.deepEqual(
    answer.body.files,
    files.map((one) => ({ path: pathOf(world, one), version: model.current(one)!.version })),
  );
  world.accepted.push({ by, key, files: body, layers: layersOf(files), answer: answer.body });
}

/** Holds the conflicts of a push against what the model says, and tells whether it is to be written. */
function assertConflicts(world: World, files: readonly ModelFile[], answer: Answered<unknown>): boolean {
  const { model } = world;
  const listed = new Map(answer.conflicts.map((conflict) => [conflict.path, conflict]));
  let conflicts = 0;
  for (const one of files) {
    const path = pathOf(world, one);
    const conflict = listed.get(path);
    const [outside, within] = [model.inTheWay(one, files), model.inEachOthersWay(one, files)];
    const stale = model.isStale(one);
    if (stale || outside.length > 0) assert.ok(conflict, `${path} is listed`);
    // Of two files of the push itself one is named at least.
    for (const other of within)
      assert.ok(conflict ?? listed.get(pathOf(world, other)), `${path} or its twin`);
    if (stale || outside.length > 0 || within.length > 0) conflicts += 1;
    if (conflict === undefined) continue;
    const current = model.current(one);
    assert.deepEqual(
      [conflict.currentVersion, conflict.currentSha256],
      [
        current?.version ?? 0,
        current === undefined || current.content === null ? null : sha256(current.content),
      ],
    );
    if (conflict.blockedBy === undefined)
      assert.ok(stale && outside.length === 0, `${path} is in no one's way`);
    else {
      const blockers = [...outside, ...within].map((blocker) => pathOf(world, blocker));
      assert.ok(blockers.includes(conflict.blockedBy), `${conflict.blockedBy} is in the way of ${path}`);
    }
  }
  const outcome = conflicts === 0 ? [200, undefined] : [409, 'workspace_conflict'];
  assert.deepEqual([answer.status, answer.code], outcome);
  return conflicts === 0;
}

/** A transaction that fails midway has written nothing: the comparison that follows tells. */
async function playBrokenPush(world: World, { push, at }: StepOf<'broken push'>): Promise<void> {
  const files = filesOf(world, push);
  world.failing.at = BREAKS[at]!;
  try {
    const headers = { 'idempotency-key': newId() };
    const answer = await world.workspaces[push.by][1].push(sent(world, files), headers);
    tell(world, push.by, `pushes ${told(files)}, which breaks`, answer);
    assert.ok(answer.status >= 400, 'it was not written');
  } finally {
    world.failing.at = null;
  }
}

async function playRepeat(world: World, { back, changed, process }: StepOf<'repeat'>): Promise<void> {
  const repeated = world.accepted.at(-1 - back);
  if (repeated === undefined) return;
  const { by, key, files, layers, answer: first } = repeated;
  const again = changed ? files.map((one) => ({ ...one, baseVersion: 99 })) : files;
  const answer = await world.workspaces[by][process === 0 ? 0 : 1].push(again, { 'idempotency-key': key });
  tell(world, by, `repeats ${key}`, answer);
  if (layers.some((layer) => !world.model.writes(by).includes(layer))) {
    assert.equal(answer.code, 'scope_forbidden');
  } else if (changed) assert.equal(answer.code, 'idempotency_key_reused');
  else assert.deepEqual([answer.status, answer.body], [200, first]);
}

async function playPull(world: World, { by, files, process }: StepOf<'pull'>): Promise<void> {
  const wanted = files.map((one) => ({ path: pathOf(world, one), version: one.version }));
  const answer = await world.workspaces[by][process === 0 ? 0 : 1].pull(wanted);
  const asked = files.map((one) => `${one.layer}/${one.name} ${one.version}`);
  tell(world, by, `pulls ${asked.join(', ')}`, answer);
  assertPulled(world, by, files, answer.body);
}

/** Holds what a pull returned against the model. Without a version, the current one was asked for. */
export function assertPulled(
  world: World,
  by: CallerName,
  asked: readonly (Place & { version?: number })[],
  { files, missing }: PullResponse,
): void {
  const found = asked.map((one) => world.model.pullable(by, one, one.version));
  const expected = found.flatMap((one) => one ?? []);
  assert.deepEqual(
    files.map((one) => [one.path, one.version, Buffer.from(one.contentBase64, 'base64').toString('utf8')]),
    expected.map((one) => [pathOf(world, one), one.version, one.content]),
  );
  const absent = asked.filter((_, n) => found[n] === undefined);
  assert.deepEqual(
    missing,
    absent.map((one) => pathOf(world, one)),
  );
}

async function playGrant(world: World, { to, client, access }: StepOf<'grant'>): Promise<void> {
  const { model, clients, company, userIds } = world;
  // The routes know of no client that is archived.
  if (model.archived.has(client) || (access === null && model.grants[to][client] === undefined)) return;
  const place = [userIds[to], clients[client]] as const;
  await (access === null
    ? company.api.revokeClientGrant(...place)
    : company.api.giveClientGrant(...place, { access }));
  world.told.push(`${to} may ${access ?? 'nothing'} in ${client}`);
  if (access === null) delete model.grants[to][client];
  else model.grants[to][client] = access;
}

async function playClient(world: World, client: 'a' | 'b'): Promise<void> {
  const { model, clients, company } = world;
  const isBack = model.archived.delete(client);
  if (isBack) await company.api.changeClient(clients[client], { state: 'active' });
  else {
    model.archived.add(client);
    await company.api.archiveClient(clients[client]);
  }
  world.told.push(`${client} is ${isBack ? 'back' : 'archived'}`);
}

async function playArchivedTeam(world: World, push: StepOf<'push'>): Promise<void> {
  const { company, model } = world;
  await company.api.archiveTeam(company.teamId);
  const files = filesOf(world, push);
  const answer = await world.workspaces[push.by][0].push(sent(world, files));
  tell(world, push.by, `pushes ${told(files)} to the archived Team`, answer);
  const within = files.every(({ layer }) => model.writes(push.by).includes(layer));
  assert.equal(answer.code, within ? 'team_archived' : 'scope_forbidden');
  await company.api.restoreTeam(company.teamId);
}

/** An hour goes by, and then what is old goes. */
export async function playPrune(world: World): Promise<void> {
  const { database } = world.service;
  await database.query(
    `update memory.workspace_version set superseded_at = superseded_at - interval '61 minutes'
      where superseded_at is not null`,
  );
  await database.query(
    `update memory.workspace_blob set waiting_since = waiting_since - interval '61 minutes'
      where waiting_since is not null`,
  );
  const env = { MEMORY_WORKSPACE_KEEP_VERSIONS: String(KEPT_VERSIONS) };
  assert.deepEqual(await doJob(database, 'workspace.prune', {}, env), ['workspace.prune']);
  world.model.prune(KEPT_VERSIONS);
  world.told.push('an hour goes by, and what is old is pruned');
}
