import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/identity/audit.ts';
import {
  findMemory,
  type LockedMemory,
  lockMemories,
  updateMemory,
} from '../../db/queries/memory/memories.ts';
import { retitleSource, updateSourceFields } from '../../db/queries/memory/source-fields.ts';
import { findCreationDay } from '../../db/queries/memory/source-library.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/tags.ts';
import { type MemoryAction, type MemoryState, nextState } from '../../shared/memory-states.ts';
import type { Decision, Memory } from '../../shared/schemas/library.ts';
import { requireRight, type TeamScope } from '../../shared/scope.ts';
import { type PreparedContent, prepareContent } from '../../shared/text/memory-content.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { parseId } from '../access/parse-id.ts';
import { type Applied, type Recorded, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueIndexing } from '../sources/enqueue-indexing.ts';
import { memoryEvent } from './events.ts';
import { insertMemorySource, replaceMemoryText } from './store-memory.ts';
import { archiveMemory, assertPublished, assertSameLayer, type SupersededPair } from './superseded.ts';

export type DecideDependencies = Pick<Dependencies, 'config' | 'database' | 'queue'>;

/** A parsed decision: its ids are known ones, in lower case, and its tags are normalized. */
type ParsedDecision = Omit<Decision, 'supersedes' | 'tags'> & {
  supersedes: string | null;
  /** Null: not given. */
  tags: string[] | null;
};

/** A decision with the content that it makes searchable. */
interface Deciding {
  decision: ParsedDecision;
  prepared: PreparedContent | null;
  model: string;
}

/** The locked memories of a decision. */
interface LockedDecision {
  own: LockedMemory;
  /** The memory that `own` is to supersede, if the decision names one. */
  pairs: readonly SupersededPair[];
}

/** Carries out an action on a locked memory whose state allows it. */
type DecisionHandler = (
  tx: TeamTransaction,
  locked: LockedMemory,
  deciding: Deciding,
) => Promise<Recorded<Memory>>;

/**
 * Decides on one memory.
 * @param signal of the request: no content is cut after it is closed
 * @throws ServiceError `invalid_request`, `not_found`, `unauthenticated`, `team_forbidden`, `full_access_required`,
 *   `team_archived`, `version_conflict`, `conflict`
 */
export async function decide(
  deps: DecideDependencies,
  scope: TeamScope,
  given: Decision,
  signal: AbortSignal,
): Promise<Memory> {
  const { config, database } = deps;
  const decision = parseDecision(given);
  return runCommand(database, scope, {
    prepare: async () => {
      const { present, day } = await transaction(database, scope, (tx) =>
        findToDecide(tx, decision.memoryId),
      );
      const content = contentToStore(decision, present);
      if (content === null) return null;
      const title = decision.title ?? present.title;
      return prepareContent(scope.teamId, { title, content, day }, signal);
    },
    lock: (tx) => lockDecision(tx, decision),
    apply: (tx, locked, prepared) =>
      apply(tx, deps, locked, { decision, prepared, model: config.embeddingModel }),
  });
}

/** A memory, and the day on which its source was created if it has one. */
async function findToDecide(
  tx: TeamTransaction,
  id: string,
): Promise<{ present: Memory; day: string | null }> {
  const present = await findMemory(tx, id);
  if (present === null) throw new ServiceError('not_found');
  const { sourceId } = present;
  return { present, day: sourceId === null ? null : await findCreationDay(tx, { id: sourceId }) };
}

function parseDecision(decision: Decision): ParsedDecision {
  const { action, title, content, tags, supersedes } = decision;
  if (action === 'update' && title === undefined && content === undefined && tags === undefined) {
    throw invalidField('/content', 'is required with update when title and tags are absent');
  }
  if (action !== 'update' && tags !== undefined) throw invalidField('/tags', 'is allowed only with update');
  const normalTags = tags === undefined ? null : parseTags(tags);
  if (action === 'discard' || action === 'delete') {
    for (const [field, value] of Object.entries({ title, content })) {
      if (value !== undefined) throw invalidField(`/${field}`, 'is allowed only with update and publish');
    }
  }
  if (action !== 'publish' && supersedes !== undefined) {
    throw invalidField('/supersedes', 'is allowed only with publish');
  }
  return {
    ...decision,
    memoryId: parseId(decision.memoryId),
    supersedes: supersedes === undefined ? null : parseId(supersedes),
    tags: normalTags,
  };
}

/** The content to be cut, or null. The content of a memory in review cannot change before it is published. */
function contentToStore({ action, content }: ParsedDecision, present: Memory): string | null {
  if (action === 'publish') return present.state === 'review' ? (content ?? present.content) : null;
  return content ?? null;
}

async function lockDecision(
  tx: TeamTransaction,
  { memoryId, supersedes }: ParsedDecision,
): Promise<LockedDecision> {
  const team = await lockTeamForWrite(tx);
  requireRight(team, 'decideMemories');
  const lockedMemories = await lockMemories(tx, supersedes === null ? [memoryId] : [memoryId, supersedes]);
  const own = lockedMemories.get(memoryId);
  const superseded = supersedes === null ? null : lockedMemories.get(supersedes)?.memory;
  const layerId = own?.memory.clientId ?? null;
  // Its client can have been archived since it was found.
  if (own === undefined || superseded === undefined || !(await canWrite(tx, team, [layerId]))) {
    throw new ServiceError('not_found');
  }
  const pairs = superseded === null ? [] : [{ superseded, layerId, path: '/supersedes' }];
  assertSameLayer(pairs);
  assertActive(team);
  return { own, pairs };
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: DecideDependencies,
  { own, pairs }: LockedDecision,
  deciding: Deciding,
): Promise<Applied<Memory>> {
  const { action, memoryId } = deciding.decision;
  assertDecidable(own.memory, deciding.decision);
  assertPublished(pairs);
  const audit: AuditEntry[] = [];
  for (const { superseded } of pairs) audit.push(...(await archiveMemory(tx, superseded, memoryId)).audit);
  const acted = await HANDLERS[action](tx, own, deciding);
  return {
    result: acted.result,
    audit: [...audit, ...acted.audit],
    enqueue: async () => {
      if (action === 'discard') return;
      const layers = action === 'delete' ? [] : [own.memory.clientId];
      const titleChanged = action === 'update' && acted.result.title !== own.memory.title;
      await enqueueIndexing(tx, queue, config, layers, titleChanged);
    },
  };
}

const STATE_SUBJECTS: Readonly<Record<MemoryState, string>> = {
  review: 'A memory in review',
  published: 'A published memory',
  discarded: 'A discarded memory',
  archived: 'An archived memory',
};
const ACTION_PARTICIPLES: Readonly<Record<MemoryAction, string>> = {
  publish: 'published',
  discard: 'discarded',
  update: 'updated',
  delete: 'deleted',
};

function assertDecidable({ state, version }: Memory, decision: ParsedDecision): void {
  if (decision.version !== undefined && decision.version !== version) {
    throw new ServiceError('version_conflict', `The memory is now at version ${version}`);
  }
  if (nextState(state, decision.action) === null) {
    throw new ServiceError(
      'conflict',
      `${STATE_SUBJECTS[state]} cannot be ${ACTION_PARTICIPLES[decision.action]}`,
    );
  }
}

const publish: DecisionHandler = async (tx, locked, { decision, prepared, model }) => {
  const { memory, embedding, embeddingModel } = locked;
  if (prepared === null) throw new Error('the memory to publish has no prepared content');
  const edited = prepared.content !== memory.content;
  const title = decision.title ?? memory.title;
  const supersedes = decision.supersedes === null ? {} : { supersedes: decision.supersedes };
  const stored = await insertMemorySource(tx, {
    layerId: memory.clientId,
    title,
    metadata: memory.metadata,
    tags: memory.tags,
    prepared,
    // The vector that came with the item is valid only for the text that it came with, and for its own model.
    embedding: edited || embeddingModel !== model ? null : embedding,
    model,
  });
  const published = await updateMemory(tx, memory.id, {
    state: 'published',
    title,
    sourceId: stored.sourceId,
    ...(edited ? { content: prepared } : {}),
    ...supersedes,
  });
  const detail = { ...stored, edited: edited || title !== memory.title, ...supersedes };
  return { result: published, audit: [memoryEvent('memory.publish', published, detail)] };
};

const discard: DecisionHandler = async (tx, { memory }) => {
  const discarded = await updateMemory(tx, memory.id, { state: 'discarded' });
  return { result: discarded, audit: [memoryEvent('memory.discard', discarded)] };
};

const update: DecisionHandler = async (tx, { memory }, { decision, prepared, model }) => {
  const { sourceId, clientId: layerId } = memory;
  if (sourceId === null) throw new Error('a published memory has no source');
  const title = decision.title ?? memory.title;
  // If the text is the same, its chunks keep their vectors.
  const changed = prepared === null || prepared.content === memory.content ? null : prepared;
  if (changed === null) await retitleSource(tx, sourceId, title);
  else await replaceMemoryText(tx, sourceId, { layerId, title, prepared: changed, model });
  const retagged =
    decision.tags === null ? null : await updateSourceFields(tx, sourceId, { tags: decision.tags });
  const updated = await updateMemory(tx, memory.id, {
    state: 'published',
    title,
    ...(changed === null ? {} : { content: changed }),
    ...(retagged === null ? {} : { tags: retagged.source.tags }),
  });
  const detail = {
    sourceId,
    titleChanged: title !== memory.title,
    contentChanged: changed !== null,
    ...(decision.tags === null ? {} : { tagsChanged: retagged !== null }),
    ...(changed === null ? {} : { chunks: changed.chunks.length }),
  };
  return { result: updated, audit: [memoryEvent('memory.update', updated, detail)] };
};

const remove: DecisionHandler = (tx, { memory }) => archiveMemory(tx, memory, null);

const HANDLERS: Readonly<Record<Decision['action'], DecisionHandler>> = {
  publish,
  discard,
  update,
  delete: remove,
};
