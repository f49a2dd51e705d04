import assert from 'node:assert/strict';
import { newId } from '../../../shared/ids.ts';
import type { Memory } from '../../../shared/schemas/memories.ts';
import {
  accepted,
  asks,
  assertMemory,
  assertRefused,
  brief,
  pick,
  pickSuperseded,
  textOf,
  wireExpiry,
} from './asking.ts';
import { type Decision, type ModelMemory, type PlayedAction, RIGHTS } from './model.ts';
import { isApt, refusalsOfDecision } from './refusals.ts';
import type { DecisionStep, StepOf } from './steps.ts';
import { scopeFor, type World } from './world.ts';

/** What is decided in place of an action that fits no memory there is. */
const INSTEAD = {
  publish: 'update',
  renew: 'restore',
  update: 'publish',
  discard: 'delete',
  delete: 'discard',
  reopen: 'unpublish',
  unpublish: 'restore',
  restore: 'reopen',
  move: 'renew',
} as const satisfies Record<PlayedAction, PlayedAction>;

/** The action and the memory: one that it fits, if it fits any. */
function chosen({ model }: World, step: DecisionStep): { action: PlayedAction; memory?: ModelMemory } {
  const { action, back, astray } = step;
  const newest = model.memories.toReversed();
  const aptFor = (some: PlayedAction) => newest.filter((memory) => isApt(memory, some));
  if (!astray) {
    for (const some of [action, INSTEAD[action]]) {
      const memory = pick(aptFor(some), back);
      if (memory !== undefined) return { action: some, memory };
    }
  }
  const memory = pick([...newest, undefined], back);
  return memory === undefined ? { action } : { action, memory };
}

function versionOf(memory: ModelMemory | undefined, kind: DecisionStep['version']): number | null {
  const { version } = memory ?? { version: 1 };
  if (kind === 'none') return null;
  if (kind === 'right') return version;
  return kind === 'stale' && version > 1 ? version - 1 : version + 1;
}

function decisionOf(world: World, step: DecisionStep): Decision {
  const { action, memory } = chosen(world, step);
  const { disorderly } = step;
  const text = step.text === 'same' ? (memory?.content ?? null) : step.text && textOf(world, step.text);
  const edits = disorderly || action === 'update' || action === 'publish';
  const timed = disorderly || action === 'update' || action === 'renew';
  const expiry = timed ? (step.expiry ?? (action === 'renew' && !disorderly ? 'later' : null)) : null;
  const bare = !disorderly && action === 'update' && text === null && expiry === null;
  const supersedes = disorderly || action === 'publish' ? step.supersedes : null;
  return {
    action,
    memory: memory?.id ?? world.model.purged.at(-1) ?? newId(),
    version: versionOf(memory, step.version),
    title: edits && (step.title || bare) ? `Title ${world.words.all.length}` : null,
    content: edits ? text : null,
    supersedes: supersedes && pickSuperseded(world, supersedes, memory?.layer),
    // The newest version and those before it, and one that does not exist yet.
    expiry,
    restores: action === 'restore' ? Math.max(1, (memory?.version ?? 1) + 1 - step.restores) : null,
    target: action === 'move' || disorderly ? step.target : null,
  };
}

/** A decision as it goes over the wire. */
function wire(
  world: World,
  { memory: memoryId, version, restores, expiry, target, ...rest }: Decision,
): object {
  const versions = restores === null ? { version } : { version: restores, baseVersion: version };
  const given = Object.entries({ ...rest, ...versions, memoryId }).filter(([, value]) => value !== null);
  const moved = target === null ? {} : { clientId: scopeFor(world, target).clientId ?? null };
  return { ...Object.fromEntries(given), ...wireExpiry(expiry), ...moved };
}

function describe(
  { model }: World,
  { action, memory, version, title, content, supersedes, restores, expiry, target }: Decision,
): string {
  const known = model.memory(memory);
  const which =
    known === undefined ? 'no memory' : `${brief(known.content)} (${known.state} ${known.version})`;
  const fields = [
    version === null ? '' : ` version ${version}`,
    restores === null ? '' : ` to ${restores}`,
    expiry === null ? '' : ` to expire ${expiry}`,
    target === null ? '' : ` to ${target}`,
    title === null ? '' : ' with a title',
    content === null ? '' : ` with ${brief(content)}`,
    supersedes === null ? '' : ` superseding ${brief(model.memory(supersedes)?.content ?? null)}`,
  ];
  return `${action} ${which}${fields.join('')}`;
}

/** Decides on one memory, or on several at once. Each of several is answered on its own. */
export async function playDecide(world: World, { by, many, ...step }: StepOf<'decide'>): Promise<void> {
  const { model } = world;
  if (model.memories.length === 0) return;
  const single = !many;
  const decisions = step.decisions.slice(0, single ? 1 : undefined).map((draft) => decisionOf(world, draft));
  const what = decisions.map((decision) => describe(world, decision)).join('; ');
  const answer = await asks(world, by, `decides${single ? '' : ' on several'}: ${what}`, {
    method: 'POST',
    url: '/v1/memory/memories',
    body: single
      ? wire(world, decisions[0]!)
      : { decisions: decisions.map((decision) => wire(world, decision)) },
  });
  if (single || !RIGHTS[by].full) {
    const [decision] = decisions;
    if (!accepted(answer, refusalsOfDecision(model, by, decision!))) return;
    model.decide(by, decision!);
    assertMemory(world, answer.json<{ memory: Memory }>().memory);
    return;
  }
  assert.equal(answer.statusCode, 200, answer.body);
  const { results } = answer.json<{
    results: { memory?: Memory; problem?: { status: number; code: string } }[];
  }>();
  assert.equal(results.length, decisions.length, 'answers each decision');
  for (const [index, decision] of decisions.entries()) {
    const { memory, problem } = results[index]!;
    world.told.push(`  ${problem === undefined ? 'done' : `${problem.status} ${problem.code}`}`);
    const refusals = refusalsOfDecision(model, by, decision);
    if (refusals.length > 0) {
      assert.equal(memory, undefined, `${decision.action} was to be refused: ${refusals.join(' or ')}`);
      assertRefused(`${problem?.status} ${problem?.code}`, refusals);
      continue;
    }
    assert.ok(memory, `${decision.action} was to be done: ${JSON.stringify(problem)}`);
    model.decide(by, decision);
    assertMemory(world, memory);
  }
}
