import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { insertAuditEvents } from '../../db/queries/identity/audit.ts';
import {
  findMemory,
  type LockedMemory,
  lockMemories,
  updateMemory,
} from '../../db/queries/memory/memories.ts';
import { retitleSource } from '../../db/queries/memory/sources.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { type MemoryState, nextState } from '../../shared/memory-states.ts';
import type { Decision, Memory } from '../../shared/schemas/library.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { type PreparedContent, prepareContent } from '../../shared/text/memory-content.ts';
import { knownId } from '../access/known-id.ts';
import { assertActive, lockTeamForWrite, mayWrite } from '../access/lock-and-recheck.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueIndexing } from '../sources/enqueue-indexing.ts';
import { insertMemorySource, replaceMemoryText } from './store-memory.ts';
import { archiveMemory, assertPublished, assertSameScope } from './superseded.ts';

/** A decision whose form is checked: ids are known ones, in lower case. */
type CheckedDecision = Omit<Decision, 'supersedes'> & { supersedes: string | null };

/** A decision on its way, with the content cut that it will make searchable. */
interface Deciding {
  decision: CheckedDecision;
  prepared: PreparedContent | null;
  model: string;
}

/** What an action does to a locked memory that the state table lets it act on. */
type Act = (tx: TeamTransaction, locked: LockedMemory, deciding: Deciding) => Promise<Memory>;

/**
 * Decides on one memory, in a transaction of its own.
 * @param signal of the request: no content is cut for one that is gone
 * @throws ServiceError `invalid_request`, `not_found`, `full_access_required`, `scope_forbidden`, `team_archived`,
 *   `version_conflict`, `conflict`
 */
export async function decide(
  deps: Dependencies,
  scope: TeamScope,
  given: Decision,
  signal: AbortSignal,
): Promise<Memory> {
  const { config, database } = deps;
  const decision = checkForm(given);
  const present = await transaction(database, scope, (tx) => findMemory(tx, decision.memoryId));
  if (present === null) throw new ServiceError('not_found');
  const content = contentToStore(decision, present);
  const prepared = content === null ? null : await prepareContent(scope.teamId, content, signal);
  const deciding = { decision, prepared, model: config.embeddingModel };
  return transaction(database, scope, (tx) => apply(tx, deps, deciding));
}

function checkForm(decision: Decision): CheckedDecision {
  const { action, title, content, supersedes } = decision;
  if (action === 'update' && title === undefined && content === undefined) {
    throw invalidField('/content', 'is required with update where there is no title');
  }
  if (action === 'discard' || action === 'delete') {
    for (const [field, value] of Object.entries({ title, content })) {
      if (value !== undefined) throw invalidField(`/${field}`, 'goes with update and publish alone');
    }
  }
  if (action !== 'publish' && supersedes !== undefined) {
    throw invalidField('/supersedes', 'goes with publish alone');
  }
  return {
    ...decision,
    memoryId: knownId(decision.memoryId),
    supersedes: supersedes === undefined ? null : knownId(supersedes),
  };
}

/** The content to be cut: what a review item is published with never changes before. Null: none. */
function contentToStore({ action, content }: CheckedDecision, present: Memory): string | null {
  if (action === 'publish') return present.state === 'review' ? (content ?? present.content) : null;
  return content ?? null;
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: Dependencies,
  deciding: Deciding,
): Promise<Memory> {
  const { decision } = deciding;
  const held = await lockTeamForWrite(tx);
  if (held.access !== 'full') throw new ServiceError('full_access_required');
  const { memoryId, supersedes } = decision;
  const locked = await lockMemories(tx, supersedes === null ? [memoryId] : [memoryId, supersedes]);
  const own = locked.get(memoryId);
  const superseded = supersedes === null ? null : locked.get(supersedes)?.memory;
  // Gone since it was found: its client is archived now.
  const layer = own?.memory.clientId ?? null;
  if (own === undefined || superseded === undefined || !(await mayWrite(tx, held, [layer]))) {
    throw new ServiceError('not_found');
  }
  const pairs = superseded === null ? [] : [{ superseded, layer, path: '/supersedes' }];
  assertSameScope(pairs);
  assertActive(held);
  assertDecidable(own.memory, decision);
  assertPublished(pairs);
  if (superseded !== null) await archiveMemory(tx, superseded, memoryId);
  const memory = await ACTS[decision.action](tx, own, deciding);
  if (decision.action !== 'discard') {
    await enqueueIndexing(tx, queue, config, decision.action === 'delete' ? [] : [layer]);
  }
  return memory;
}

function assertDecidable(memory: Memory, { action, version }: CheckedDecision): void {
  if (version !== undefined && version !== memory.version) {
    throw new ServiceError('version_conflict', `The memory has version ${memory.version} now`);
  }
  if (nextState(memory.state, action) === null) {
    throw new ServiceError('conflict', `A memory that is ${describe(memory.state)} takes no ${action}`);
  }
}

function describe(state: MemoryState): string {
  return state === 'review' ? 'waiting for review' : state;
}

const publish: Act = async (tx, locked, { decision, prepared, model }) => {
  const { memory, embedding, embeddingModel } = locked;
  if (prepared === null) throw new Error('what is published has no content');
  const edited = prepared.content !== memory.content;
  const title = decision.title ?? memory.title;
  const stored = await insertMemorySource(tx, {
    layer: memory.clientId,
    title,
    metadata: memory.metadata,
    prepared,
    // The vector that came with the item stands for the text that it came with, and for its model alone.
    embedding: edited || embeddingModel !== model ? null : embedding,
    model,
  });
  const published = await updateMemory(tx, memory.id, {
    state: 'published',
    title,
    sourceId: stored.sourceId,
    ...(edited ? { content: prepared } : {}),
    ...(decision.supersedes === null ? {} : { supersedes: decision.supersedes }),
  });
  record(tx, 'memory.publish', published, {
    ...stored,
    edited: edited || title !== memory.title,
    ...(decision.supersedes === null ? {} : { supersedes: decision.supersedes }),
  });
  return published;
};

const discard: Act = async (tx, { memory }) => {
  const discarded = await updateMemory(tx, memory.id, { state: 'discarded' });
  record(tx, 'memory.discard', discarded, {});
  return discarded;
};

const update: Act = async (tx, { memory }, { decision, prepared, model }) => {
  const { sourceId, clientId: layer } = memory;
  if (sourceId === null) throw new Error('a published memory has no source');
  const title = decision.title ?? memory.title;
  // The same text keeps its chunks, and with them its vectors.
  const changed = prepared === null || prepared.content === memory.content ? null : prepared;
  if (changed === null) await retitleSource(tx, sourceId, title);
  else await replaceMemoryText(tx, sourceId, { layer, title, prepared: changed, model });
  const updated = await updateMemory(tx, memory.id, {
    state: 'published',
    title,
    ...(changed === null ? {} : { content: changed }),
  });
  record(tx, 'memory.update', updated, {
    sourceId,
    titleChanged: title !== memory.title,
    contentChanged: changed !== null,
    ...(changed === null ? {} : { chunks: changed.chunks.length }),
  });
  return updated;
};

const remove: Act = (tx, { memory }) => archiveMemory(tx, memory, null);

const ACTS: Readonly<Record<Decision['action'], Act>> = { publish, discard, update, delete: remove };

function record(
  tx: TeamTransaction,
  kind: 'memory.publish' | 'memory.discard' | 'memory.update',
  memory: Memory,
  detail: Record<string, unknown>,
): void {
  insertAuditEvents(tx, [
    {
      kind,
      subjectType: 'memory',
      subjectId: memory.id,
      layer: memory.clientId,
      detail: { version: memory.version, ...detail },
    },
  ]);
}
