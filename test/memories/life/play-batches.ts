import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../../shared/ids.ts';
import type { Capture } from '../../../shared/schemas/captures.ts';
import type { ConsolidationResult } from '../../../shared/schemas/consolidation.ts';
import { along, CLAIM } from '../../support/team.ts';
import { accepted, asks, brief, pick, pickSuperseded, seenCapture, textOf, withoutBatch } from './asking.ts';
import {
  CALLERS,
  type CallerName,
  type Item,
  type Model,
  type ModelBatch,
  type ModelMemory,
  RIGHTS,
} from './model.ts';
import { refusalsOfComplete, refusalsOfWrite } from './refusals.ts';
import type { ItemStep, StepOf } from './steps.ts';
import { scopeFor, type World } from './world.ts';

/** Batches, the newest first: those that may be completed, then those that ran out, then those that were completed. */
export function newestBatches({ model }: World): ModelBatch[] {
  const rank = ({ completed, lapsed }: ModelBatch) => (completed !== null ? 2 : lapsed ? 1 : 0);
  return model.batches.toReversed().sort((a, b) => rank(a) - rank(b));
}

function itemOf(world: World, by: CallerName, batch: ModelBatch, step: ItemStep): Item {
  const { model } = world;
  const first = pick(batch.captures, step.captures[0]!)!;
  // Those that were purged are in no layer.
  const alike = batch.captures.filter((id) => step.mixed || model.layersOf([first, id]).length < 2);
  const captures = [...new Set([first, ...step.captures.slice(1).map((place) => pick(alike, place)!)])];
  if (step.stranger) {
    captures.push(model.captures.find(({ id }) => !batch.captures.includes(id))?.id ?? newId());
  }
  const { full, writes } = RIGHTS[by];
  const [own] = model.layersOf(captures);
  const others = step.presuming ? writes.filter((layer) => layer !== own) : [];
  const named = full ? step.named : (pick(others, step.captures[0]!) ?? (step.named && own) ?? null);
  const superseding = step.action === 'publish' || step.supersedes?.astray ? step.supersedes : null;
  return {
    captures,
    action: step.action,
    title: `Title ${world.words.all.length}`,
    content: textOf(world, step.text),
    named,
    embedded: step.embedded,
    supersedes:
      superseding && (full || step.presuming) ? pickSuperseded(world, superseding, named ?? own) : null,
  };
}

/** An item as it goes over the wire. */
function wireItem(world: World, item: Item): object {
  const { captures: captureIds, action, title, content, named, supersedes } = item;
  const axis = [...content].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0) % 1000;
  return {
    captureIds,
    action,
    ...(action === 'discard' ? {} : { title, content }),
    ...(action !== 'discard' && item.embedded ? { embedding: along(axis), ...CLAIM } : {}),
    ...(named === null ? {} : { scope: scopeFor(world, named) }),
    ...(supersedes === null ? {} : { supersedes }),
  };
}

function describe(item: Item): string {
  const { action, captures, content, named, embedded, supersedes } = item;
  return [
    `${action} ${captures.length} captures as ${brief(content)}`,
    named === null ? '' : ` in ${named}`,
    embedded ? ' with a vector' : '',
    supersedes === null ? '' : ' superseding',
  ].join('');
}

async function send(world: World, by: CallerName, batch: ModelBatch, items: readonly Item[]) {
  const what = `completes a batch of ${batch.claimer}: ${items.map(describe).join('; ') || 'nothing'}`;
  return asks(world, by, what, {
    method: 'POST',
    url: '/v1/memory/consolidation/complete',
    body: { batchId: batch.id, items: items.map((item) => wireItem(world, item)) },
  });
}

/** Claims captures, oneself or as someone who has something to claim. */
export async function playClaim(
  world: World,
  { limit, client, ...step }: Omit<StepOf<'claim'>, 'do'>,
): Promise<void> {
  const { model } = world;
  const waited = CALLERS.toReversed().filter((name) => model.claimable(name, client).length > 0);
  const by = step.by ?? pick(waited, step.whose) ?? 'owner';
  const answer = await asks(world, by, `claims ${limit} of ${client ?? 'any layer'}`, {
    method: 'POST',
    url: '/v1/memory/consolidation/claim',
    body: { limit, ...(client === null ? {} : scopeFor(world, client)) },
  });
  if (!accepted(answer, refusalsOfWrite(by, client))) return;
  const { batch } = answer.json<{ batch: { id: string; captures: Capture[] } | null }>();
  const free = model.claimable(by, client).map(({ id }) => id);
  const lent = batch?.captures.map(({ id }) => id) ?? [];
  assert.deepEqual(
    lent.filter((id) => !free.includes(id)),
    [],
    'lends nothing that is not to be claimed',
  );
  assert.equal(new Set(lent).size, Math.min(limit, free.length), 'lends as many as there are, to the limit');
  if (batch === null) return;
  model.lend(by, batch.id, lent);
  for (const seen of batch.captures) {
    assert.deepEqual(seenCapture(world, seen), withoutBatch(model.capturesOf([seen.id])[0]!));
  }
}

/** Has the lease of a batch run out, which tells no one. */
export async function playLapse(world: World, step: StepOf<'lapse'>): Promise<void> {
  const batch = pick(newestBatches(world), step.batch);
  if (batch !== undefined) await lapse(world, batch);
}

async function lapse({ service, model, told }: World, batch: ModelBatch): Promise<void> {
  await service.database.query(
    `update memory.capture set leased_until = now() - interval '1 hour' where batch_id = $1 and state = 'claimed'`,
    [batch.id],
  );
  await service.database.query(
    `update memory.consolidation_batch set expires_at = now() - interval '1 hour' where id = $1`,
    [batch.id],
  );
  told.push(`the lease of ${batch.claimer} runs out`);
  model.lapse(batch);
}

/** Completes a batch with new items. If no batch can be completed, it claims one for the next time. */
export async function playComplete(world: World, step: StepOf<'complete'>): Promise<void> {
  const open = newestBatches(world).filter(({ completed, lapsed }) => completed === null && !lapsed);
  if (!step.late && open.length === 0)
    return playClaim(world, { by: null, whose: step.items.length, limit: 4, client: null });
  const batch = pick(step.late ? newestBatches(world) : open, step.batch);
  if (batch === undefined) return;
  if (step.overdue) await lapse(world, batch);
  const by = step.by ?? batch.claimer;
  const items = step.items.map((item) => itemOf(world, by, batch, item));
  await complete(world, by, batch, items);
}

/** Sends a complete that was accepted once more, as it was or with one more discard. */
export async function playRepeat(world: World, step: StepOf<'repeat'>): Promise<void> {
  const batch = pick(
    newestBatches(world).filter(({ completed }) => completed !== null),
    step.batch,
  );
  if (batch?.completed == null) return;
  const { items } = batch.completed;
  const more = { captures: batch.captures.slice(0, 1), action: 'discard', title: '', content: '' } as const;
  const another: Item = { ...more, named: null, embedded: false, supersedes: null };
  await complete(world, step.by ?? batch.claimer, batch, step.changed ? [...items, another] : items);
}

/** Sends a complete that was accepted once more, as its claimer. */
export async function sendAgain(world: World, batch: ModelBatch): Promise<void> {
  await complete(world, batch.claimer, batch, batch.completed!.items);
}

async function complete(world: World, by: CallerName, batch: ModelBatch, items: Item[]): Promise<void> {
  const { model } = world;
  const wire = (some: readonly Item[]) => some.map((item) => wireItem(world, item));
  const isRepeat =
    by === batch.claimer &&
    batch.completed !== null &&
    isDeepStrictEqual(wire(items), wire(batch.completed.items));
  const answer = await send(world, by, batch, items);
  if (isRepeat) {
    assert.ok(accepted(answer, []));
    assert.deepEqual(
      answer.json<{ results: unknown }>().results,
      stillReadable(model, by, batch.completed!.results),
      'answers the same again',
    );
    return;
  }
  if (!accepted(answer, refusalsOfComplete(model, by, batch, items))) return;
  const { results } = answer.json<{ results: ConsolidationResult[] }>();
  assert.equal(results.length, items.length, 'answers each item');
  for (const [index, item] of items.entries()) {
    const result = results[index]!;
    assertResult(world, item, result);
    model.completeItem(batch, item, result.memoryId);
    assertSimilar(world, item, result);
  }
  model.close(batch, items, results);
}

/** Results have excerpts of similar memories: those that the caller can no longer read are left out. */
function stillReadable(
  model: Model,
  by: CallerName,
  results: readonly ConsolidationResult[],
): ConsolidationResult[] {
  const { full, reads } = RIGHTS[by];
  const isReadable = ({ memoryId }: { memoryId: string }) => {
    const memory = model.memory(memoryId);
    return memory !== undefined && reads.includes(memory.layer) && (full || memory.state === 'published');
  };
  return results.map((result) => ({ ...result, similar: result.similar.filter(isReadable) }));
}

const STATE_AFTER = { publish: 'published', review: 'review', discard: 'discarded' } as const;

function assertResult({ model }: World, { action }: Item, { state, memoryId }: ConsolidationResult): void {
  assert.equal(state, STATE_AFTER[action]);
  assert.equal(memoryId === null, action === 'discard', 'a discard alone has no memory');
  assert.equal(model.memory(memoryId), undefined, 'a new memory has an id of its own');
}

/** What is named as similar is published in the same scope; a text without a vector finds its like there. */
function assertSimilar({ model }: World, item: Item, { memoryId, similar }: ConsolidationResult): void {
  const memory = model.memory(memoryId);
  if (memory === undefined) {
    assert.deepEqual(similar, []);
    return;
  }
  assertAllOf(model.published([memory.layer]), memory, similar);
  const others = model.published([memory.layer]).filter(({ id }) => id !== memoryId);
  if (item.embedded || !others.some(({ content }) => content === item.content)) return;
  assert.ok((similar[0]?.similarity ?? 0) > 0.9, 'the same text is similar');
}

/** Asserts that what is told to be similar to a memory is one of some memories, and not itself. */
export function assertAllOf(
  some: readonly ModelMemory[],
  { id: own }: ModelMemory,
  similar: readonly { memoryId: string }[],
): void {
  for (const { memoryId } of similar) {
    assert.ok(memoryId !== own, 'nothing is similar to itself');
    assert.ok(
      some.some(({ id }) => id === memoryId),
      'what is similar is in the same scope and state',
    );
  }
}
