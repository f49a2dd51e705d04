import type { TeamTransaction } from '../../db/driver/database.ts';
import { settleFeedback } from '../../db/queries/feedback.ts';
import {
  findMemory,
  findVersionText,
  insertVersion,
  updateMemory,
  updateMemoryExpiry,
} from '../../db/queries/memories.ts';
import {
  moveMemory,
  retitleSource,
  updateSourceExpiry,
  updateSourceFields,
} from '../../db/queries/sources/changes.ts';
import { archiveSource } from '../../db/queries/sources/removal.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { isPast } from '../../shared/formats/times.ts';
import type { MemoryAction } from '../../shared/memory-states.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { layerOf } from '../../shared/scope.ts';
import type { Recorded } from '../access/run-command.ts';
import { moveFields } from '../sources/commands.ts';
import { archiveIfDue } from '../sources/expiry.ts';
import {
  type Acted,
  assertSameContent,
  type Deciding,
  type DecisionAction,
  editedOrigin,
  type LockedDecision,
  storedText,
  versionConflict,
} from './decision.ts';
import {
  archiveMemory,
  assertPublished,
  assertSameLayer,
  memoryEvent,
  publishMemoryText,
  replaceMemoryText,
  type SupersededPair,
} from './store.ts';

/** Publishes a memory in review, with an edited text if one is given. It can supersede another memory. */
const publish: DecisionAction = {
  fields: ['title', 'content', 'supersedes'],
  addsText: true,
  participle: 'published',
  find: async (tx, { title, content, supersedes }, present) => ({
    text: present.state === 'review' ? await storedText(tx, present, { title, content }) : null,
    otherId: supersedes,
  }),
  assertLocked: (locked, { supersedes }) => {
    if (supersedes !== null && locked.other === null) throw new ServiceError('not_found');
    assertSameLayer(supersededBy(locked));
  },
  act: async (tx, locked, { decision, text, storable, prepared, model }) => {
    const { memory, embedding, embeddingModel } = locked.own;
    // It can have been published, changed and put back into review since its text was found.
    if (prepared === null || storable === null) throw versionConflict(memory.version);
    if (decision.content === undefined) assertSameContent(memory, text);
    const pairs = supersededBy(locked);
    assertPublished(pairs);
    const audit = [];
    for (const { superseded } of pairs) audit.push(...(await archiveMemory(tx, superseded, memory.id)).audit);
    const edited = prepared.content !== memory.content;
    const title =
      text?.title === memory.title || decision.title !== undefined ? storable.title : memory.title;
    const supersedes = decision.supersedes === null ? {} : { supersedes: decision.supersedes };
    const origin = editedOrigin(tx, locked.own, decision);
    const stored = await publishMemoryText(tx, memory, {
      title,
      prepared,
      origin,
      // The vector that came with the item is valid only for the text that it came with, and for its own model.
      embedding: edited || embeddingModel !== model ? null : embedding,
      model,
    });
    const published = await updateMemory(tx, memory.id, {
      state: 'published',
      title,
      origin,
      sourceId: stored.sourceId,
      ...(edited ? { content: prepared } : {}),
      ...supersedes,
    });
    const detail = { ...stored, edited: edited || title !== memory.title, ...supersedes };
    audit.push(memoryEvent('memory.publish', published, detail));
    return { result: published, audit, indexed: [layerOf(tx.scope, memory.clientId)] };
  },
};

function supersededBy({ own, other }: LockedDecision): SupersededPair[] {
  return other === null ? [] : [{ superseded: other, clientId: own.memory.clientId, path: '/supersedes' }];
}

/** Changes the title, the content, the tags, the date or the expiry of a published memory. */
const update: DecisionAction = {
  fields: ['tags', 'title', 'content', 'occurredAt', 'expiresAt'],
  addsText: true,
  participle: 'updated',
  assertComplete: ({ title, content, tags, occurredAt, expiresAt }) => {
    if ([title, content, tags, occurredAt, expiresAt].every((field) => field === undefined)) {
      throw invalidField(
        '/content',
        'is required with update when title, tags, occurredAt and expiresAt are absent',
      );
    }
  },
  find: async (tx, { title, content, tags, occurredAt }, present) =>
    content === undefined
      ? {}
      : { text: await storedText(tx, present, { title, content, tags, occurredAt }) },
  act: async (tx, { own }, { decision, prepared, model }) => {
    const { memory } = own;
    const { sourceId } = memory;
    const layerId = layerOf(tx.scope, memory.clientId);
    if (sourceId === null) throw new Error('a published memory has no source');
    const title = decision.title ?? memory.title;
    // If the text is the same, its chunks keep their vectors.
    const changed = prepared === null || prepared.content === memory.content ? null : prepared;
    const origin = editedOrigin(tx, own, decision);
    const { occurredAt, expiresAt } = decision;
    // Before the text, whose terms are made with the new date and the new tags.
    const dated = occurredAt === undefined ? null : await updateSourceFields(tx, sourceId, { occurredAt });
    const retagged =
      decision.tags === null ? null : await updateSourceFields(tx, sourceId, { tags: decision.tags });
    if (changed === null) await retitleSource(tx, sourceId, { title, origin });
    else await replaceMemoryText(tx, sourceId, { layerId, title, prepared: changed, origin, model });
    if (expiresAt !== undefined) await updateSourceExpiry(tx, sourceId, expiresAt);
    // Other tags, or another expiry, answer nothing.
    if ([decision.title, decision.content, occurredAt].some((field) => field !== undefined))
      await settleFeedback(tx, sourceId);
    const updated = await updateMemory(tx, memory.id, {
      state: 'published',
      title,
      origin,
      ...(changed === null ? {} : { content: changed }),
      ...(retagged === null ? {} : { tags: retagged.source.tags }),
      ...(occurredAt === undefined ? {} : { occurredAt }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
    const titleChanged = title !== memory.title;
    const detail = {
      sourceId,
      titleChanged,
      contentChanged: changed !== null,
      ...(decision.tags === null ? {} : { tagsChanged: retagged !== null }),
      ...(occurredAt === undefined ? {} : { dateChanged: dated !== null }),
      ...(expiresAt === undefined ? {} : { expiryChanged: memory.expiresAt !== updated.expiresAt }),
      ...(changed === null ? {} : { chunks: changed.chunks.length }),
    };
    return {
      result: updated,
      audit: [memoryEvent('memory.update', updated, detail)],
      indexed: [layerId],
      // Terms of a new text are made with the new title, the new date and the new tags.
      isOutdated: changed === null && (titleChanged || dated !== null || retagged !== null),
    };
  },
};

/** Publishes an earlier text of a memory as a new version, also if the memory is archived. */
const restore: DecisionAction = {
  fields: ['baseVersion'],
  namesVersion: true,
  addsText: true,
  participle: 'restored',
  assertComplete: ({ version }) => {
    if (version === undefined) throw invalidField('/version', 'is required with restore');
  },
  find: async (tx, { version = 0 }, present) => {
    const earlier = version > present.version ? null : await findVersionText(tx, present.id, version);
    if (earlier === null) throw new ServiceError('not_found');
    return { text: await storedText(tx, present, earlier), origin: earlier.origin };
  },
  act: async (tx, { own: { memory } }, { decision, storable, prepared, origin, model }) => {
    if (prepared === null || storable === null || origin === undefined)
      throw new Error('the version to restore has no prepared content');
    const layerId = layerOf(tx.scope, memory.clientId);
    const expired = memory.state === 'archived' ? await archiveIfDue(tx, memory.id) : [];
    // Otherwise it would count as archived again.
    const expiresAt = isPast(memory.expiresAt) ? null : memory.expiresAt;
    const { title } = storable;
    let stored = null;
    let { sourceId } = memory;
    if (memory.state === 'archived') {
      const archived = { ...memory, expiresAt };
      stored = await publishMemoryText(tx, archived, { title, prepared, origin, embedding: null, model });
      sourceId = stored.sourceId;
    } else if (sourceId === null) {
      throw new Error('a published memory has no source');
    } else if (prepared.content !== memory.content) {
      stored = await replaceMemoryText(tx, sourceId, { layerId, title, prepared, origin, model });
    } else {
      // Its chunks keep their vectors.
      await retitleSource(tx, sourceId, { title, origin });
    }
    if (sourceId !== null) await settleFeedback(tx, sourceId);
    const restored = await updateMemory(tx, memory.id, {
      state: 'published',
      title,
      content: prepared,
      origin,
      supersededBy: null,
      sourceId,
      expiresAt: expiresAt === null ? null : new Date(expiresAt),
    });
    // Also if it has the same text as the version before.
    await insertVersion(tx, restored, origin);
    const detail = { sourceId, ...stored, restoredVersion: decision.version };
    return {
      result: restored,
      audit: [...expired, memoryEvent('memory.restore', restored, detail)],
      indexed: [layerId],
      isOutdated: stored === null && title !== memory.title,
    };
  },
};

/**
 * Puts a published memory back into review: searches no longer find it, and its versions stay. The memory that it
 * superseded is published again if it is still archived.
 */
const unpublish: DecisionAction = {
  fields: [],
  addsText: true,
  participle: 'unpublished',
  find: async (tx, _decision, present) => {
    const superseded = present.supersedes === null ? null : await findMemory(tx, present.supersedes);
    if (superseded === null || !isSuperseded(superseded, present)) return {};
    return { text: await storedText(tx, superseded), otherId: superseded.id };
  },
  act: async (tx, { own: { memory }, other }, deciding) => {
    const { sourceId } = memory;
    if (sourceId === null) throw new Error('a published memory has no source');
    // It can have been published again since then, in place of another memory.
    if (memory.supersedes !== deciding.present.supersedes) throw versionConflict(memory.version);
    await archiveSource(tx, sourceId);
    const withdrawn = await updateMemory(tx, memory.id, { state: 'review', supersedes: null });
    const restored =
      other !== null && isSuperseded(other, memory) ? await publishAgain(tx, other, deciding) : null;
    const detail = { sourceId, ...(restored === null ? {} : { restored: restored.result.id }) };
    const indexed = restored === null ? [] : [layerOf(tx.scope, restored.result.clientId)];
    return {
      result: withdrawn,
      audit: [memoryEvent('memory.unpublish', withdrawn, detail), ...(restored?.audit ?? [])],
      indexed,
    };
  },
};

/** Whether a memory is archived only because the other one superseded it. */
function isSuperseded({ state, supersededBy, expiresAt }: Memory, by: Memory): boolean {
  return state === 'archived' && supersededBy === by.id && !isPast(expiresAt);
}

async function publishAgain(
  tx: TeamTransaction,
  memory: Memory,
  { text, prepared, model }: Deciding,
): Promise<Recorded<Memory>> {
  if (prepared === null) throw new Error('the superseded memory has no prepared content');
  assertSameContent(memory, text);
  const stored = await publishMemoryText(tx, memory, {
    title: memory.title,
    prepared,
    embedding: null,
    model,
  });
  const published = await updateMemory(tx, memory.id, { state: 'published', supersededBy: null });
  return { result: published, audit: [memoryEvent('memory.restore', published, { ...stored })] };
}

/** How long a discarded memory can be put back into review. */
const REOPEN_DAYS = 30;
const DAY_MS = 86_400_000;

/** Puts a discarded memory back into review. */
const reopen: DecisionAction = {
  fields: [],
  participle: 'reopened',
  act: (tx, { own: { memory } }) => reopenMemory(tx, memory),
};

/**
 * Puts a locked memory, which is discarded, back into review.
 * @throws ServiceError `conflict` if that was too long ago, or if the memory has expired
 */
export async function reopenMemory(tx: TeamTransaction, memory: Memory): Promise<Acted> {
  const discardedAt = Date.parse(memory.decidedAt ?? memory.updatedAt);
  if (Date.now() - discardedAt > REOPEN_DAYS * DAY_MS) {
    throw new ServiceError(
      'conflict',
      `A memory that was discarded more than ${REOPEN_DAYS} days ago cannot be reopened`,
    );
  }
  if (isPast(memory.expiresAt)) throw new ServiceError('conflict', 'The memory has expired');
  const reopened = await updateMemory(tx, memory.id, { state: 'review' });
  return { result: reopened, audit: [memoryEvent('memory.reopen', reopened)] };
}

/** Settles the feedback on a published memory, which stays as it is. */
const keep: DecisionAction = {
  fields: [],
  participle: 'kept',
  act: async (tx, { own: { memory } }) => {
    const { id, sourceId } = memory;
    if (sourceId === null) throw new Error('a published memory has no source');
    const settled = await settleFeedback(tx, sourceId);
    if (settled === 0) throw new ServiceError('conflict', 'No feedback on the memory waits for a decision');
    const kept = await updateMemory(tx, id, { state: 'published' });
    return { result: kept, audit: [memoryEvent('memory.keep', kept, { settled })] };
  },
};

/** Changes when a memory expires. */
const renew: DecisionAction = {
  fields: ['expiresAt'],
  participle: 'renewed',
  assertComplete: ({ expiresAt }) => {
    if (expiresAt === undefined) throw invalidField('/expiresAt', 'is required with renew; null means never');
  },
  act: async (tx, { own: { memory } }, { decision: { expiresAt = null } }) => {
    const { id, sourceId } = memory;
    if (sourceId !== null) await updateSourceExpiry(tx, sourceId, expiresAt);
    const renewed = await updateMemoryExpiry(tx, id, expiresAt);
    return { result: renewed, audit: [memoryEvent('memory.renew', renewed, { sourceId })] };
  },
};

/** Moves a memory in review or a published memory to another layer, with its versions and its source. */
const move: DecisionAction = {
  fields: ['clientId'],
  participle: 'moved',
  assertComplete: ({ clientId }) => {
    if (clientId === undefined) {
      throw invalidField('/clientId', 'is required with move; null means the Team layer');
    }
  },
  act: async (tx, { own: { memory } }, { decision: { target } }) => {
    const { id, sourceId, clientId: from } = memory;
    if (target === undefined) throw new Error('the decision names no layer');
    if (target === layerOf(tx.scope, from)) return { result: memory, audit: [] };
    await moveMemory(tx, { id, sourceId }, target);
    const moved = await findMemory(tx, id);
    if (moved === null) throw new Error('the moved memory does not exist');
    const { detail, ...layer } = moveFields(from, moved.clientId);
    return {
      result: moved,
      audit: [
        {
          kind: 'memory.move',
          subjectType: 'memory',
          subjectId: id,
          ...layer,
          detail: { version: moved.version, ...detail },
        },
      ],
      ...(moved.state === 'published' ? { indexed: [target] } : {}),
    };
  },
};

/** Discards a memory in review. */
const discard: DecisionAction = {
  fields: [],
  participle: 'discarded',
  act: async (tx, { own }) => {
    const discarded = await updateMemory(tx, own.memory.id, { state: 'discarded' });
    return { result: discarded, audit: [memoryEvent('memory.discard', discarded)] };
  },
};

/** Archives a published memory. */
const remove: DecisionAction = {
  fields: [],
  participle: 'deleted',
  act: async (tx, { own }) => ({ ...(await archiveMemory(tx, own.memory, null)), indexed: [] }),
};

/** Every action of POST /v1/memory/memories, by its name. */
export const ACTIONS: Readonly<Record<MemoryAction, DecisionAction>> = {
  publish,
  discard,
  reopen,
  update,
  unpublish,
  delete: remove,
  restore,
  renew,
  keep,
  move,
};
