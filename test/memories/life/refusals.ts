import type { MemoryState } from '../../../shared/memory-states.ts';
import {
  type CallerName,
  type Decision,
  type Item,
  type Layer,
  type Model,
  type ModelBatch,
  type ModelMemory,
  type PlayedAction,
  RIGHTS,
} from './model.ts';

/**
 * Why a request must be refused, each as status and code; nothing where it must be accepted. Where several reasons
 * hold, the answer is any of them: in which order they come is held elsewhere, request by request.
 */
export type Refusals = string[];

const SCOPE_FORBIDDEN = '403 scope_forbidden';
const FULL_ACCESS_REQUIRED = '403 full_access_required';
const NOT_FOUND = '404 not_found';
const INVALID = '400 invalid_request';
const CONFLICT = '409 conflict';

/** The state table: what may be decided on a memory in which state. */
const DECISIONS: Readonly<Record<MemoryState, readonly PlayedAction[]>> = {
  review: ['publish', 'discard', 'renew', 'move'],
  published: ['update', 'unpublish', 'delete', 'restore', 'renew', 'move'],
  discarded: ['reopen'],
  archived: ['restore'],
};

/** Whether the state table has the transition. */
export function isApt(memory: ModelMemory, action: PlayedAction): boolean {
  return DECISIONS[memory.state].includes(action);
}

export function refusalsOfWrite(by: CallerName, layer: Layer | null): Refusals {
  return layer === null || RIGHTS[by].writes.includes(layer) ? [] : [SCOPE_FORBIDDEN];
}

export function refusalsOfSearch(by: CallerName, client: Layer | null): Refusals {
  return client === null || RIGHTS[by].reads.includes(client) ? [] : [SCOPE_FORBIDDEN];
}

/** Of a complete of anyone's batch. One that was completed with these very items is not asked about here. */
export function refusalsOfComplete(
  model: Model,
  by: CallerName,
  batch: ModelBatch,
  items: readonly Item[],
): Refusals {
  const refusals = items.flatMap((item) => [
    ...(item.supersedes !== null && !RIGHTS[by].full ? [FULL_ACCESS_REQUIRED] : []),
    ...(item.supersedes !== null && item.action !== 'publish' ? [INVALID] : []),
    ...refusalsOfWrite(by, item.named),
  ]);
  const superseded = items.map(({ supersedes }) => supersedes).filter((id) => id !== null);
  if (new Set(superseded).size < superseded.length) refusals.push(INVALID);
  // A batch is its claimer's alone: to others it is as if it did not exist.
  if (batch.claimer !== by) return [...refusals, NOT_FOUND];
  if (items.some(({ captures }) => captures.some((id) => !batch.captures.includes(id))))
    refusals.push(INVALID);
  if (batch.completed !== null) refusals.push(CONFLICT);
  else if (batch.lapsed) refusals.push('409 batch_expired');
  for (const item of items) refusals.push(...refusalsOfItem(model, by, item));
  return refusals;
}

function refusalsOfItem(model: Model, by: CallerName, item: Item): Refusals {
  const { captures, named, action, supersedes } = item;
  const [only, ...others] = model.layersOf(captures);
  const mixed = others.length > 0;
  const refusals: Refusals = [];
  if (!RIGHTS[by].full && (mixed || (named !== null && named !== only))) refusals.push(SCOPE_FORBIDDEN);
  if (mixed && named === null && action !== 'discard') refusals.push(INVALID);
  if (supersedes !== null) refusals.push(...refusalsOfSuperseding(model, supersedes, named ?? only));
  return refusals;
}

function refusalsOfSuperseding(model: Model, id: string, layer: Layer | undefined): Refusals {
  const memory = model.memory(id);
  if (memory === undefined) return [NOT_FOUND];
  return [...(memory.layer === layer ? [] : [INVALID]), ...(memory.state === 'published' ? [] : [CONFLICT])];
}

export function refusalsOfDecision(model: Model, by: CallerName, decision: Decision): Refusals {
  if (!RIGHTS[by].full) return [FULL_ACCESS_REQUIRED];
  const { action, version, title, content, supersedes, expiry, target } = decision;
  const edits = title !== null || content !== null;
  const refusals: Refusals = [];
  if (action === 'update' && !edits && expiry === null) refusals.push(INVALID);
  if (action === 'renew' && expiry === null) refusals.push(INVALID);
  if (action !== 'update' && action !== 'renew' && expiry !== null) refusals.push(INVALID);
  if (action !== 'update' && action !== 'publish' && edits) refusals.push(INVALID);
  if (supersedes !== null && action !== 'publish') refusals.push(INVALID);
  if ((action === 'move') !== (target !== null)) refusals.push(INVALID);
  const memory = model.memory(decision.memory);
  if (memory === undefined) return [...refusals, NOT_FOUND];
  if (action === 'restore' && model.textAt(memory, decision.restores) === undefined) refusals.push(NOT_FOUND);
  if (version !== null && version !== memory.version) refusals.push('409 version_conflict');
  if (!isApt(memory, action)) refusals.push(CONFLICT);
  if (action === 'reopen' && memory.expiry === 'past') refusals.push(CONFLICT);
  if (supersedes !== null) refusals.push(...refusalsOfSuperseding(model, supersedes, memory.layer));
  return refusals;
}

/** Of deleting a memory for good, which the state table does not limit. */
export function refusalsOfPurge(model: Model, by: CallerName, id: string): Refusals {
  if (!RIGHTS[by].full) return [FULL_ACCESS_REQUIRED];
  return model.memory(id) === undefined ? [NOT_FOUND] : [];
}

/** Of archiving the source of a memory by itself, which nobody may: a memory is deleted. */
export function refusalsOfSourceArchive(by: CallerName, memory: ModelMemory): Refusals {
  const { full, reads, writes } = RIGHTS[by];
  if (!reads.includes(memory.layer)) return [NOT_FOUND];
  const may = full || (memory.publishedBy === by && writes.includes(memory.layer));
  return may ? [CONFLICT] : ['403 forbidden'];
}
