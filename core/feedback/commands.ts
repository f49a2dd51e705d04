import { asWorker, type Database, type TeamTransaction } from '../../db/driver/database.ts';
import { type Reads, addReads as storeReads } from '../../db/queries/activity.ts';
import {
  addSourceUses,
  countQuestions,
  type FoundHit,
  findOwnHit,
  findSourceItem,
  type NewFeedback,
  type SourceUse,
  settleFeedback,
  upsertFeedback,
} from '../../db/queries/feedback.ts';
import { lockSource } from '../../db/queries/sources/lists.ts';
import { archiveSource } from '../../db/queries/sources/removal.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId, parseId } from '../../shared/ids.ts';
import type { MemoryAction } from '../../shared/memory-states.ts';
import type { FeedbackRequest, GivenFeedback } from '../../shared/schemas/feedback.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { clientOf, layerOf, requireRight, type TeamScope } from '../../shared/scope.ts';
import { countCharacters } from '../../shared/text/characters.ts';
import { assertActive, canRead, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { redactFields, redactionMode } from '../redaction/redact.ts';
import { enqueueIndexing } from '../sources/indexing.ts';

/**
 * Stores what a caller says of a hit of a search of theirs. A second verdict on the same hit replaces the first.
 * @throws ServiceError `not_found` for the search of another caller, or a chunk that was not among its hits or that the
 *   caller can no longer read; `unauthenticated`, `team_forbidden`, `team_archived`, `secret_detected`
 */
export async function giveFeedback(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  { queryId, chunkId, verdict, ...texts }: FeedbackRequest,
): Promise<GivenFeedback> {
  const { fields, redactions, assertAllowed } = await redactFields(redactionMode(config, scope), texts);
  const given = {
    id: newId(),
    queryId: parseId(queryId),
    chunkId: parseId(chunkId),
    verdict,
    note: fields.note ?? null,
  };
  return runCommand(database, scope, {
    lock: async (tx): Promise<FoundHit> => {
      const team = await lockTeamForWrite(tx);
      const hit = await findOwnHit(tx, given.queryId, given.chunkId);
      // The caller can have lost access to the client since the search.
      if (hit === null || !(await canRead(tx, team, hit.layerId))) throw new ServiceError('not_found');
      assertActive(team);
      assertAllowed();
      return hit;
    },
    apply: async (tx, { sourceId, layerId, memoryId }) => {
      const feedback: NewFeedback = { ...given, sourceId };
      const { feedback: stored, changed } = await upsertFeedback(tx, feedback);
      const result = { ...stored, memoryId, redactions };
      if (!changed) return { result, audit: [] };
      const event = {
        kind: 'memory.feedback',
        clientId: clientOf(tx.scope, layerId),
        detail: { queryId: given.queryId, chunkId: given.chunkId, verdict },
      } as const;
      return {
        result,
        audit: [
          memoryId === null
            ? { ...event, subjectType: 'source', subjectId: sourceId }
            : { ...event, subjectType: 'memory', subjectId: memoryId },
        ],
      };
    },
  });
}

type Needed = Pick<Dependencies, 'config' | 'database' | 'queue'>;

/** A decision on a source that feedback put into review. */
export interface SourceDecision {
  sourceId: string;
  action: MemoryAction;
  /** An item for review that is a source has only the version 1. */
  version: number | undefined;
}

interface LockedItem {
  source: Source;
  item: Memory;
  /** How much feedback waits for a decision. */
  open: number;
}

/**
 * Decides on a source with feedback that waits for a decision: `keep` settles the feedback, `delete` also archives the
 * source.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`; `not_found` for a source that was never
 *   in review; `team_archived`; `version_conflict`; `conflict` for another action, without open feedback, or to delete a
 *   workspace file
 */
export function decideSource(deps: Needed, scope: TeamScope, decision: SourceDecision): Promise<Memory> {
  return runCommand(deps.database, scope, {
    lock: (tx) => lockItem(tx, decision.sourceId),
    apply: (tx, locked) => apply(tx, deps, locked, decision),
  });
}

async function lockItem(tx: TeamTransaction, sourceId: string): Promise<LockedItem> {
  const team = await lockTeamForWrite(tx);
  requireRight(team, 'decideMemories');
  const source = (await lockSource(tx, sourceId))?.source;
  if (
    source === undefined ||
    source.kind === 'memory' ||
    !(await canWrite(tx, team, [layerOf(tx.scope, source.clientId)]))
  ) {
    throw new ServiceError('not_found');
  }
  const { all, open } = await countQuestions(tx, sourceId);
  const item = all === 0 ? null : await findSourceItem(tx, sourceId);
  if (item === null) throw new ServiceError('not_found');
  assertActive(team);
  return { source, item, open };
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: Needed,
  { source, item, open }: LockedItem,
  { action, version }: SourceDecision,
): Promise<Applied<Memory>> {
  const { id, kind, clientId, chunks } = source;
  if (version !== undefined && version !== item.version) {
    throw new ServiceError('version_conflict', `The source has the version ${item.version}`);
  }
  if (action !== 'keep' && action !== 'delete') {
    throw new ServiceError('conflict', 'A source can only be kept or deleted');
  }
  if (item.state === 'archived') throw new ServiceError('conflict', 'The source is archived');
  if (open === 0) throw new ServiceError('conflict', 'No feedback on the source waits for a decision');
  const subject = { subjectType: 'source', subjectId: id, clientId } as const;
  if (action === 'keep') {
    const settled = await settleFeedback(tx, id);
    return { result: item, audit: [{ kind: 'memory.keep', ...subject, detail: { settled } }] };
  }
  if (kind === 'file') {
    throw new ServiceError('conflict', 'The source belongs to a workspace file; delete the file instead');
  }
  await archiveSource(tx, id, config);
  return {
    result: { ...item, state: 'archived' },
    audit: [{ kind: 'memory.archive', ...subject, detail: { chunks } }],
    enqueue: () => enqueueIndexing(tx, queue, config, []),
  };
}

const INTERVAL_MS = 3000;
/** Sources whose uses are summed at most. Uses of further ones are not counted until the sums are stored. */
const MAX_SOURCES = 10_000;

/**
 * The uses that are not stored yet, by Team and source. They are stored in the background, so that no search waits for it. A
 * process that is killed loses those of the last seconds.
 */
const pendingUses = new WeakMap<Database, Map<string, SourceUse>>();
/** The same by Team and agent token. */
const pendingReads = new WeakMap<Database, Map<string, Reads>>();

/** Counts that a search has returned these sources. A source that is given several times counts once. */
export function countFound(
  database: Database,
  { teamId }: Pick<TeamScope, 'teamId'>,
  sourceIds: Iterable<string>,
): void {
  const foundAt = new Date();
  for (const sourceId of new Set(sourceIds)) {
    add(database, { teamId, sourceId, found: 1, opened: 0, foundAt });
  }
}

/** Counts that the text of a source was read. */
export function countOpened(database: Database, scope: TeamScope, sourceId: string): void {
  add(database, { teamId: scope.teamId, sourceId, found: 0, opened: 1, foundAt: null });
  addReads(database, { ...readerOf(scope), opened: 1, characters: 0 });
}

/** Counts the characters of texts that were returned to a caller. Only those of agent tokens are shown. */
export function countReturned(database: Database, scope: TeamScope, texts: Iterable<{ text: string }>): void {
  if (scope.tokenId === null) return;
  let characters = 0;
  for (const { text } of texts) characters += countCharacters(text);
  addReads(database, { ...readerOf(scope), opened: 0, characters });
}

const readerOf = ({ teamId, tokenId }: TeamScope) => ({ teamId, tokenId });

/** Stores the uses that were counted so far. If it fails, they are kept for the next time. */
export async function storeUses(database: Database): Promise<void> {
  const uses = [...(pendingUses.get(database)?.values() ?? [])];
  const reads = [...(pendingReads.get(database)?.values() ?? [])];
  if (uses.length + reads.length === 0) return;
  pendingUses.delete(database);
  pendingReads.delete(database);
  try {
    await asWorker(database, async (tx) => {
      if (uses.length > 0) await addSourceUses(tx, uses);
      if (reads.length > 0) await storeReads(tx, reads);
    });
  } catch (error) {
    for (const use of uses) add(database, use);
    for (const read of reads) addReads(database, read);
    throw error;
  }
}

/**
 * Stores uses every few seconds.
 * @returns stops it
 */
export function storeUsesRegularly(database: Database): () => void {
  // A database that cannot be reached is reported by the requests that need it.
  const timer = setInterval(() => void storeUses(database).catch(() => undefined), INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function add(database: Database, { foundAt, ...use }: SourceUse): void {
  const uses = pendingUses.get(database) ?? new Map<string, SourceUse>();
  pendingUses.set(database, uses);
  const key = `${use.teamId} ${use.sourceId}`;
  const present = uses.get(key);
  if (present === undefined) {
    if (uses.size < MAX_SOURCES) uses.set(key, { ...use, foundAt });
    return;
  }
  present.found += use.found;
  present.opened += use.opened;
  if (foundAt !== null && (present.foundAt === null || present.foundAt < foundAt)) present.foundAt = foundAt;
}

function addReads(database: Database, reads: Reads): void {
  const pending = pendingReads.get(database) ?? new Map<string, Reads>();
  pendingReads.set(database, pending);
  const key = `${reads.teamId} ${reads.tokenId}`;
  const present = pending.get(key);
  if (present === undefined) {
    if (pending.size < MAX_SOURCES) pending.set(key, { ...reads });
    return;
  }
  present.opened += reads.opened;
  present.characters += reads.characters;
}
