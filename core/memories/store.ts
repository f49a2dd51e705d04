import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { findInReview, insertMemory, updateMemory } from '../../db/queries/memories.ts';
import { insertSketch, reactivateSource, retitleSource } from '../../db/queries/sources/changes.ts';
import { deleteChunks, insertChunks, type NewChunk } from '../../db/queries/sources/chunks.ts';
import { archiveSource } from '../../db/queries/sources/removal.ts';
import { activateSource, insertLoadingSource } from '../../db/queries/sources/sources.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/names.ts';
import { dayOfMoment, type Moment } from '../../shared/formats/times.ts';
import { newId } from '../../shared/ids.ts';
import type { Origin } from '../../shared/origin.ts';
import { runInSteps } from '../../shared/resources/async.ts';
import type { AuditKindOf } from '../../shared/schemas/audit.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import { MAX_CONTENT, type Memory } from '../../shared/schemas/memories.ts';
import { clientOf, type LayerId, layerOf, type TeamScope } from '../../shared/scope.ts';
import { type PreparedContent, prepareContent } from '../../shared/text/memory-content.ts';
import { SketchBuilder } from '../../shared/text/terms/sketch.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { type Applied, type Recorded, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { cutMaskedInSteps } from '../redaction/field-texts.ts';
import { redactFields, redactionMode } from '../redaction/redact.ts';

/** The text of a memory that is to be published. */
export interface MemoryText {
  layerId: LayerId;
  title: string;
  metadata: Record<string, unknown>;
  tags: readonly string[];
  /** When it happened. Null or absent: unknown. */
  occurredAt?: Moment | null;
  /** Null or absent: never. */
  expiresAt?: Date | null;
  prepared: PreparedContent;
  /** Of unit length. Stored only if the content makes one chunk, because it describes the whole content. */
  embedding: Float32Array | null;
  model: string;
  /** Absent: that of the scope. A source that had a text before keeps its origin then. */
  origin?: Origin;
}

/** A stored text: how many chunks it has, and how many of them have a vector. */
export interface StoredText {
  sourceId: string;
  chunks: number;
  embedded: number;
}

function newChunks({ prepared, embedding }: Pick<MemoryText, 'prepared' | 'embedding'>): NewChunk[] {
  const whole = prepared.chunks.length === 1 ? embedding : null;
  return prepared.chunks.map((chunk) => ({ ...chunk, embedding: whole }));
}

function countStored(sourceId: string, chunks: readonly NewChunk[]): StoredText {
  return { sourceId, chunks: chunks.length, embedded: chunks.filter((chunk) => chunk.embedding).length };
}

/**
 * Stores the text of a memory as a source that searches find when the transaction ends. One transaction writes all of it:
 * a memory has at most about forty chunks.
 */
export async function insertMemorySource(tx: TeamTransaction, text: MemoryText): Promise<StoredText> {
  const sourceId = newId();
  const chunks = newChunks(text);
  await insertLoadingSource(tx, {
    id: sourceId,
    layerId: text.layerId,
    kind: 'memory',
    title: text.title,
    uri: null,
    externalId: null,
    metadata: text.metadata,
    occurredAt: text.occurredAt ?? null,
    indexedAs: text.prepared.indexedAs,
    tags: text.tags,
    ...(text.expiresAt === undefined ? {} : { expiresAt: text.expiresAt }),
    contentHash: text.prepared.contentHash,
    ...(text.origin === undefined ? {} : { origin: text.origin }),
  });
  await insertChunks(tx, { id: sourceId, layerId: text.layerId, model: text.model }, chunks, 0);
  await activateSource(tx, sourceId, chunks.length);
  await storeSketch(tx, { id: sourceId, layerId: text.layerId }, chunks);
  return countStored(sourceId, chunks);
}

/**
 * Replaces the text of a memory's source. The old chunks, terms and vectors are deleted in the transaction that inserts the
 * new ones, so that a search finds either the old text or the new one.
 */
export async function replaceMemoryText(
  tx: TeamTransaction,
  sourceId: string,
  text: Pick<MemoryText, 'layerId' | 'title' | 'prepared' | 'model'> &
    Partial<Pick<MemoryText, 'embedding' | 'origin'>>,
): Promise<StoredText> {
  const chunks = newChunks({ embedding: null, ...text });
  await deleteChunks(tx, sourceId);
  await insertChunks(tx, { id: sourceId, layerId: text.layerId, model: text.model }, chunks, 0);
  await retitleSource(tx, sourceId, text, {
    contentHash: text.prepared.contentHash,
    chunks: chunks.length,
    indexedAs: text.prepared.indexedAs,
  });
  await storeSketch(tx, { id: sourceId, layerId: text.layerId }, chunks);
  return countStored(sourceId, chunks);
}

/**
 * Makes the text of a memory searchable when the memory is published. A memory that was published before keeps its source, so that
 * what refers to the source stays valid.
 */
export async function publishMemoryText(
  tx: TeamTransaction,
  memory: Pick<Memory, 'sourceId' | 'clientId' | 'metadata' | 'tags' | 'occurredAt' | 'expiresAt'>,
  text: Pick<MemoryText, 'title' | 'prepared' | 'embedding' | 'model' | 'origin'>,
): Promise<StoredText> {
  const { sourceId, metadata, tags, occurredAt } = memory;
  const layerId = layerOf(tx.scope, memory.clientId);
  const expiresAt = memory.expiresAt === null ? null : new Date(memory.expiresAt);
  if (sourceId === null) {
    return insertMemorySource(tx, { layerId, metadata, tags, occurredAt, expiresAt, ...text });
  }
  await reactivateSource(tx, sourceId, expiresAt);
  return replaceMemoryText(tx, sourceId, { layerId, ...text });
}

/** Stores the sketch of a memory, so that it is found as a near duplicate of other sources. */
async function storeSketch(
  tx: TeamTransaction,
  source: Parameters<typeof insertSketch>[1],
  chunks: readonly NewChunk[],
): Promise<void> {
  const builder = new SketchBuilder();
  for (const { sketch } of chunks) builder.add(sketch);
  const sketch = builder.finish();
  if (sketch !== null) await insertSketch(tx, source, sketch);
}

/** The event of a change to one memory. */
export function memoryEvent(
  kind: AuditKindOf<'memory'>,
  { id, clientId, version }: Pick<Memory, 'id' | 'clientId' | 'version'>,
  detail: Record<string, unknown> = {},
): AuditEntry {
  return { kind, subjectType: 'memory', subjectId: id, clientId, detail: { version, ...detail } };
}

/**
 * The events of a change to captures of a batch: one for each layer. When a client is archived, the events of its captures
 * leave the audit list with it.
 */
export function captureEvents(
  kind: 'memory.claim' | 'memory.release' | 'memory.discard',
  batchId: string,
  captures: readonly { id: string; clientId: string | null }[],
): AuditEntry[] {
  return [...Map.groupBy(captures, ({ clientId }) => clientId)].map(([clientId, own]) => ({
    kind,
    subjectType: 'batch',
    subjectId: batchId,
    clientId,
    detail: { captureIds: own.map(({ id }) => id) },
  }));
}

/** A text that a caller submits for review. */
export interface SubmittedText {
  layerId: LayerId;
  title: string;
  content: string;
  /** As they were given: no credential is recognized in lower case. */
  tags: readonly string[];
  /** Null: unknown. */
  occurredAt: Moment | null;
  /** Null: never. */
  expiresAt: Date | null;
}

/**
 * Stores a text as a memory in review that comes from no capture. If the caller has submitted the text before and it still
 * waits, nothing changes.
 * @param signal of the request: the content is not cut after it is closed
 * @returns the id of the memory, and the credentials that were found, in `/title`, `/text` and `/tags`
 * @throws ServiceError `invalid_request` for a tag that is too long once it is normalized, `unauthenticated`, `team_forbidden`,
 *   `scope_forbidden`, `team_archived`, `secret_detected`, `quota_exceeded`
 */
export async function submitMemory(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  text: SubmittedText,
  signal: AbortSignal,
): Promise<{ id: string; redactions: Redaction[] }> {
  const { layerId, occurredAt } = text;
  const given = { title: text.title, text: text.content, tags: text.tags };
  const { fields, redactions, assertAllowed } = await redactFields(redactionMode(config, scope), given);
  const content = await runInSteps(cutMaskedInSteps(fields.text, MAX_CONTENT));
  const stored = { ...text, title: fields.title, content, tags: parseTags(fields.tags) };
  const id = await runCommand(database, scope, {
    quota: config,
    prepare: () =>
      prepareContent(scope.teamId, { ...stored, day: occurredAt && dayOfMoment(occurredAt) }, signal),
    lock: async (tx) => {
      const team = await lockTeamForWrite(tx);
      if (!(await canWrite(tx, team, [layerId]))) throw new ServiceError('scope_forbidden');
      assertActive(team);
      assertAllowed();
    },
    apply: (tx, _locked, prepared) => apply(tx, stored, prepared, config.embeddingModel),
  });
  return { id, redactions };
}

async function apply(
  tx: TeamTransaction,
  { layerId, title, content, tags, occurredAt, expiresAt }: SubmittedText,
  { terms }: PreparedContent,
  model: string,
): Promise<Applied<string>> {
  const waiting = await findInReview(tx, { layerId, content });
  if (waiting !== null) return { result: waiting, audit: [] };
  const id = newId();
  await insertMemory(tx, {
    id,
    layerId,
    state: 'review',
    title,
    content,
    terms,
    metadata: {},
    tags,
    captureIds: [],
    supersedes: null,
    occurredAt,
    expiresAt,
    embedding: null,
    model,
    sourceId: null,
  });
  const detail = { captureIds: [] };
  return {
    result: id,
    audit: [memoryEvent('memory.review', { id, clientId: clientOf(tx.scope, layerId), version: 1 }, detail)],
  };
}

/** A memory that is to be superseded by another one. */
export interface SupersededPair {
  superseded: Memory;
  /** The client of the new memory; null for the Team layer. */
  clientId: string | null;
  /** JSON pointer of the field that names it. */
  path: string;
}

/**
 * Refuses to supersede a memory of another scope.
 * @throws ServiceError `invalid_request`
 */
export function assertSameLayer(pairs: readonly SupersededPair[]): void {
  for (const { superseded, clientId, path } of pairs) {
    if (superseded.clientId !== clientId) throw invalidField(path, 'is in another scope');
  }
}

/**
 * Refuses to supersede a memory that is not published.
 * @throws ServiceError `conflict`
 */
export function assertPublished(pairs: readonly SupersededPair[]): void {
  if (pairs.some(({ superseded }) => superseded.state !== 'published')) {
    throw new ServiceError('conflict', 'The memory to be superseded is not published');
  }
}

/**
 * Archives a locked, published memory. Searches no longer find its source.
 * @param supersededBy the memory that replaces it, or null if it is deleted
 * @returns the archived memory, with the event for the command to record
 */
export async function archiveMemory(
  tx: TeamTransaction,
  { id, sourceId }: Memory,
  supersededBy: string | null,
): Promise<Recorded<Memory>> {
  if (sourceId === null) throw new Error('a published memory has no source');
  const successor = supersededBy === null ? {} : { supersededBy };
  await archiveSource(tx, sourceId);
  const archived = await updateMemory(tx, id, { state: 'archived', ...successor });
  return { result: archived, audit: [memoryEvent('memory.delete', archived, { sourceId, ...successor })] };
}
