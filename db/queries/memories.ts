import type { Moment } from '../../shared/formats/times.ts';
import type { MemoryState } from '../../shared/memory-states.ts';
import type { Origin } from '../../shared/origin.ts';
import type { Memory, SimilarMemory } from '../../shared/schemas/memories.ts';
import { type LayerId, layerOf } from '../../shared/scope.ts';
import type { PreparedContent } from '../../shared/text/memory-content.ts';
import type { ChunkTerms } from '../../shared/text/terms/terms.ts';
import type { TeamTransaction } from '../driver/database.ts';
import { halfvecBinary, int4ArrayBinary, termsToSparsevecBinary } from '../driver/wire-format.ts';
import {
  changedOccurrence,
  clientColumn,
  containsText,
  createdWith,
  foundCount,
  inScope,
  isCreatedAfter,
  isCreatedBefore,
  layerKind,
  occurredAt,
  occurredValues,
  questionedSources,
  type ShownUse,
  type StoredUse,
  scopeValues,
  sourceUse,
  stateNow,
  toUse,
  type VersionPart,
  wireTime,
  writeScopeValues,
} from './common.ts';
import { queryList } from './query-list.ts';
import { queryNamed } from './query-named.ts';
import { type Sorted, type SortedPart, sortedSql, titleKey } from './sorting.ts';

type MemoryRow = Omit<
  Memory,
  'layer' | 'expiresAt' | keyof ShownUse | 'decidedAt' | 'createdAt' | 'updatedAt'
> & {
  expiresAt: Date | null;
  use: StoredUse;
  decidedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

const COLUMNS = `m.id, ${stateNow('m')} as state, m.title, m.content, ${clientColumn('m')} as "clientId", m.version, m.source_id as "sourceId",
  m.capture_ids as "captureIds", m.metadata, m.tags, m.supersedes, m.superseded_by as "supersededBy",
  ${occurredAt('m')}, m.expires_at as "expiresAt", ${sourceUse('m', 'source_id')}, m.created_by as "createdBy", ${createdWith('m')}, m.decided_by as "decidedBy", m.decided_at as "decidedAt",
  m.created_at as "createdAt", m.updated_at as "updatedAt"`;

function toMemory({ use, ...row }: MemoryRow): Memory {
  return {
    ...row,
    ...toUse(use),
    layer: layerKind(row.clientId),
    expiresAt: row.expiresAt && wireTime(row.expiresAt),
    decidedAt: row.decidedAt && wireTime(row.decidedAt),
    createdAt: wireTime(row.createdAt),
    updatedAt: wireTime(row.updatedAt),
  };
}

/** A memory to insert, for review or published with its source. */
export interface NewMemory {
  id: string;
  layerId: LayerId;
  state: 'review' | 'published';
  title: string;
  content: string;
  terms: ChunkTerms;
  metadata: Record<string, unknown>;
  tags: readonly string[];
  captureIds: readonly string[];
  /** The source of a published memory. */
  sourceId: string | null;
  supersedes: string | null;
  /** When it happened. Null or absent: unknown. */
  occurredAt?: Moment | null;
  /** Null or absent: never. */
  expiresAt?: Date | null;
  /** Stored only for a memory in review, until a decision. */
  embedding: Float32Array | null;
  model: string;
  /** Absent: that of the scope. */
  origin?: Origin;
}

/** Inserts a memory. A published memory counts as decided by the scope's user. */
export async function insertMemory(tx: TeamTransaction, memory: NewMemory): Promise<void> {
  const published = memory.state === 'published';
  const embedding = published ? null : memory.embedding;
  const occurred = occurredValues('$occurredAt');
  await queryNamed(
    tx,
    `insert into memory.memory_item (team_id, id, layer_id, state, title, content, metadata, tags, source_id,
       capture_ids, supersedes, keys, weights, embedding, embedding_model, created_by, decided_by, decided_at,
       expires_at, occurred_at, occurred_is_day, origin)
     values ($teamId, $id, $layerId, $state, $title, $content, $metadata, $tags, $sourceId, $captureIds::uuid[],
       $supersedes, $keys::int[], $weights::sparsevec, $embedding::halfvec, $model, $userId, $decidedBy::uuid,
       case when $decidedBy::uuid is null then null else now() end, $expiresAt, ${occurred.at}, ${occurred.isDay}, $origin)`,
    {
      teamId: tx.scope.teamId,
      id: memory.id,
      layerId: memory.layerId,
      state: memory.state,
      title: memory.title,
      content: memory.content,
      metadata: JSON.stringify(memory.metadata),
      tags: memory.tags,
      sourceId: memory.sourceId,
      captureIds: memory.captureIds,
      supersedes: memory.supersedes,
      keys: int4ArrayBinary(memory.terms.keys),
      weights: termsToSparsevecBinary(memory.terms),
      embedding: embedding === null ? null : halfvecBinary(embedding),
      model: embedding === null ? null : memory.model,
      userId: tx.scope.userId,
      decidedBy: published ? tx.scope.userId : null,
      expiresAt: memory.expiresAt ?? null,
      occurredAt: memory.occurredAt ?? null,
      origin: memory.origin ?? tx.scope.origin,
    },
  );
}

/** Finds a memory within the scope, in any state, or null. */
export async function findMemory(tx: TeamTransaction, id: string): Promise<Memory | null> {
  const [row] = await tx.query<MemoryRow>(
    `select ${COLUMNS} from memory.memory_item m where ${inScope('m')} and m.id = $3`,
    [...scopeValues(tx.scope), id],
  );
  return row === undefined ? null : toMemory(row);
}

/** Finds a memory in review that the scope's user made with this content in a layer, or null. */
export async function findInReview(
  tx: TeamTransaction,
  { layerId, content }: { layerId: LayerId; content: string },
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select m.id from memory.memory_item m
      where ${inScope('m')} and m.state = 'review' and ${stateNow('m')} = 'review' and m.layer_id = $3
        and m.created_by = $4 and m.content = $5
      order by m.id limit 1`,
    [...scopeValues(tx.scope), layerId, tx.scope.userId, content],
  );
  return row?.id ?? null;
}

/** A locked memory, its origin, and the vector of a memory in review: of unit length, rounded to halfvec. */
export interface LockedMemory {
  memory: Memory;
  origin: Origin;
  embedding: Float32Array | null;
  embeddingModel: string | null;
}

/** Locks memories in the layers that the scope can write, in the order of their ids, until the transaction ends. */
export async function lockMemories(
  tx: TeamTransaction,
  ids: readonly string[],
): Promise<Map<string, LockedMemory>> {
  const rows = await tx.query<
    MemoryRow & { origin: Origin; embedding: string | null; embeddingModel: string | null }
  >(
    `select ${COLUMNS}, m.origin, m.embedding::text as embedding, m.embedding_model as "embeddingModel"
       from memory.memory_item m
      where m.team_id = $1 and m.layer_id = any ($2::uuid[])
        and m.id = any ($3::uuid[])
      order by m.id for update`,
    [...writeScopeValues(tx.scope), ids],
  );
  return new Map(
    rows.map(({ origin, embedding, embeddingModel, ...row }) => [
      row.id,
      {
        memory: toMemory(row),
        origin,
        embedding: embedding === null ? null : Float32Array.from(JSON.parse(embedding) as number[]),
        embeddingModel,
      },
    ]),
  );
}

/** What a decision changes in a memory. Absent fields do not change. */
export interface MemoryChange {
  state: MemoryState;
  title?: string;
  content?: PreparedContent;
  origin?: Origin;
  tags?: readonly string[];
  sourceId?: string;
  /** Null: it supersedes none, as for `supersededBy`. */
  supersedes?: string | null;
  supersededBy?: string | null;
  /** Null: unknown. */
  occurredAt?: Moment | null;
  /** Null: never. */
  expiresAt?: Date | null;
}

/** Changes a locked memory: increases its version, and records the scope's user as the one who decided. */
export async function updateMemory(tx: TeamTransaction, id: string, change: MemoryChange): Promise<Memory> {
  const occurred = changedOccurrence('m', '$changesOccurredAt', '$occurredAt');
  const [row] = await queryNamed<MemoryRow>(
    tx,
    `update memory.memory_item m
        set state = $state, version = m.version + 1, updated_at = now(), decided_by = $userId, decided_at = now(),
            title = coalesce($title, m.title), content = coalesce($content, m.content),
            keys = coalesce($keys::int[], m.keys), weights = coalesce($weights::sparsevec, m.weights),
            source_id = coalesce($sourceId::uuid, m.source_id), tags = coalesce($tags::text[], m.tags),
            supersedes = case when $changesSupersedes then $supersedes::uuid else m.supersedes end,
            superseded_by = case when $changesSupersededBy then $supersededBy::uuid else m.superseded_by end,
            expires_at = case when $changesExpiresAt then $expiresAt::timestamptz else m.expires_at end,
            occurred_at = ${occurred.at}, occurred_is_day = ${occurred.isDay},
            origin = coalesce($origin, m.origin), embedding = null, embedding_model = null
      where m.team_id = $teamId and m.id = $id returning ${COLUMNS}`,
    {
      teamId: tx.scope.teamId,
      id,
      state: change.state,
      userId: tx.scope.userId,
      title: change.title ?? null,
      content: change.content?.content ?? null,
      keys: change.content === undefined ? null : int4ArrayBinary(change.content.terms.keys),
      weights: change.content === undefined ? null : termsToSparsevecBinary(change.content.terms),
      sourceId: change.sourceId ?? null,
      tags: change.tags ?? null,
      changesSupersedes: change.supersedes !== undefined,
      supersedes: change.supersedes ?? null,
      changesSupersededBy: change.supersededBy !== undefined,
      supersededBy: change.supersededBy ?? null,
      changesExpiresAt: change.expiresAt !== undefined,
      expiresAt: change.expiresAt ?? null,
      changesOccurredAt: change.occurredAt !== undefined,
      occurredAt: change.occurredAt ?? null,
      origin: change.origin ?? null,
    },
  );
  if (row === undefined) throw new Error('the memory to change does not exist');
  return toMemory(row);
}

/** Changes when a locked memory expires. In review it stays undecided, and keeps its vector. */
export async function updateMemoryExpiry(
  tx: TeamTransaction,
  id: string,
  expiresAt: Date | null,
): Promise<Memory> {
  const [row] = await tx.query<MemoryRow>(
    `update memory.memory_item m
        set expires_at = $3, version = m.version + 1, updated_at = now(),
            decided_by = case when m.state = 'review' then m.decided_by else $4 end,
            decided_at = case when m.state = 'review' then m.decided_at else now() end
      where m.team_id = $1 and m.id = $2 returning ${COLUMNS}`,
    [tx.scope.teamId, id, expiresAt, tx.scope.userId],
  );
  if (row === undefined) throw new Error('the memory to change does not exist');
  return toMemory(row);
}

/** The filters of a list of memories. A filter that is null does not restrict it. */
export interface MemoryFilter {
  states: readonly MemoryState[];
  /** Text that the title or the content contains. */
  text: string | null;
  sourceId: string | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
}

/** The states that rows in the given states are stored with: those that have expired can still be stored as active. */
function storedStates(states: readonly MemoryState[]): readonly MemoryState[] {
  return states.includes('archived')
    ? [...new Set([...states, 'review' as const, 'published' as const])]
    : states;
}

/** Lists memories within the scope. */
export function listMemories(
  tx: TeamTransaction,
  part: SortedPart,
  filter: MemoryFilter,
): Promise<Sorted<Memory>[]> {
  const condition = `m.state = any ($stored::text[]) and ${stateNow('m')} = any ($states::text[])`;
  return selectMemories(tx, condition, part, filter);
}

/** Lists published memories within the scope with feedback that waits for a decision. */
export function listQuestionedMemories(
  tx: TeamTransaction,
  part: SortedPart,
  filter: Omit<MemoryFilter, 'states'>,
): Promise<Sorted<Memory>[]> {
  const condition = `m.source_id = any (array(${questionedSources('$1')}))
        and m.state = any ($stored::text[]) and ${stateNow('m')} = any ($states::text[])`;
  return selectMemories(tx, condition, part, { ...filter, states: ['published'] });
}

async function selectMemories(
  tx: TeamTransaction,
  condition: string,
  part: SortedPart,
  { states, text, sourceId, createdAfter, createdBefore }: MemoryFilter,
): Promise<Sorted<Memory>[]> {
  const sorted = sortedSql(part, 'm', { title: titleKey('m'), found: foundCount('m', 'source_id') });
  const rows = await queryList<Sorted<MemoryRow>>(
    tx,
    part,
    `select ${COLUMNS}, ${sorted.column} from memory.memory_item m
      where ${inScope('m')} and ${condition}
        and ($text::text is null or ${containsText('m.title', '$text')} or ${containsText('m.content', '$text')})
        and ($sourceId::uuid is null or m.source_id = $sourceId)
        and ${isCreatedAfter('m', '$createdAfter')} and ${isCreatedBefore('m', '$createdBefore')}
        and ${sorted.isAfter}
      order by ${sorted.orderBy} limit $limit`,
    {
      states,
      stored: storedStates(states),
      text,
      sourceId,
      createdAfter,
      createdBefore,
      ...sorted.values,
    },
    scopeValues(tx.scope),
  );
  return rows.map(({ sortKey, ...row }) => ({ ...toMemory(row), sortKey }));
}

/** A text that a memory had. */
export interface VersionText {
  title: string;
  content: string;
}

/** A text that a memory had, and who it came from. */
export type VersionToRestore = VersionText & { origin: Origin };

/** Finds the text that a memory within the scope had at a version, or null if the memory has not had that version. */
export async function findVersionText(
  tx: TeamTransaction,
  memoryId: string,
  version: number,
): Promise<VersionToRestore | null> {
  const [row] = await tx.query<VersionToRestore>(
    `select v.title, v.content, v.origin
       from memory.memory_item m
       join memory.memory_version v on v.team_id = m.team_id and v.memory_id = m.id
      where ${inScope('m')} and ${inScope('v')} and m.id = $3 and m.version >= $4 and v.version <= $4
      order by v.version desc limit 1`,
    [...scopeValues(tx.scope), memoryId, version],
  );
  return row ?? null;
}

/** Inserts the present text of a published memory as a version, unless it is one already. */
export async function insertVersion(
  tx: TeamTransaction,
  { id, version, clientId, title, content }: Memory,
  origin: Origin,
): Promise<void> {
  await tx.query(
    `insert into memory.memory_version (team_id, memory_id, version, layer_id, title, content, published, actor_id, origin)
     values ($1, $2, $3, $4, $5, $6, true, $7, $8) on conflict do nothing`,
    [tx.scope.teamId, id, version, layerOf(tx.scope, clientId), title, content, tx.scope.userId, origin],
  );
}

/** A version of a memory, with the content of the version before it. */
export interface StoredVersion extends VersionText {
  version: number;
  actorId: string;
  createdAt: string;
  /** Null if there is no version before it. */
  contentBefore: string | null;
}

/**
 * Lists versions of a memory within the scope, newest first.
 * @param part `before`: only lower versions; `publishedOnly`: only texts that were published; `maxBytes`: the most of the
 *   contents and those before them, together. The first version is listed in any case
 */
export async function listVersions(
  tx: TeamTransaction,
  memoryId: string,
  { before, publishedOnly, maxBytes, ...part }: VersionPart & { publishedOnly: boolean; maxBytes: number },
): Promise<StoredVersion[]> {
  const kept = `memory.memory_version v
        where ${inScope('v')} and v.memory_id = $3 and (not $4 or v.published)`;
  const rows = await queryList<Omit<StoredVersion, 'createdAt'> & { createdAt: Date }>(
    tx,
    { ...part, after: before },
    `with kept as (
       select v.*, lead(v.content) over (order by v.version desc) as content_before from ${kept}
     ), page as (
       select k.*, row_number() over upto as place,
              sum(octet_length(k.content) + coalesce(octet_length(k.content_before), 0)) over upto as bytes
         from kept k where $after::int is null or k.version < $after
       window upto as (order by k.version desc)
        order by k.version desc limit $limit
     )
     select p.version, p.title, p.content, p.actor_id as "actorId", p.created_at as "createdAt",
            p.content_before as "contentBefore"
       from page p where p.place = 1 or p.bytes <= $maxBytes order by p.version desc`,
    { maxBytes },
    [...scopeValues(tx.scope), memoryId, publishedOnly],
    `select from ${kept} limit $limit`,
  );
  return rows.map((row) => ({ ...row, createdAt: wireTime(row.createdAt) }));
}

/** A text to compare with published memories: its terms, and its vector if it has one. */
export interface ComparedText {
  layerId: LayerId;
  terms: ChunkTerms;
  /** Of unit length and of the service's model. */
  embedding: Float32Array | null;
  model: string;
}

/** As many as a person reads. */
const LIMIT = 3;

type Row = SimilarMemory;
const EXCERPT = `left(m.content, 1000) as excerpt`;

/** Finds the published memories of the text's layer that are similar to it, the most similar first, at most three. */
export async function findSimilarMemories(
  tx: TeamTransaction,
  { layerId, terms, embedding, model }: ComparedText,
): Promise<SimilarMemory[]> {
  return tx.query<Row>(
    `select m.id as "memoryId", m.title, ${EXCERPT}, n.similarity, n.basis
       from memory.similar_memories($3, $4::halfvec, $5, $6::int[], $7::real[], $8::int[], $9, null) n
       join memory.memory_item m on m.id = n.memory_id
      where ${inScope('m')} and ${stateNow('m')} = 'published'
      order by n.similarity desc, m.id desc`,
    [
      ...scopeValues(tx.scope),
      layerId,
      embedding === null ? null : halfvecBinary(embedding),
      model,
      int4ArrayBinary(terms.dims),
      Array.from(terms.weights),
      int4ArrayBinary(terms.keys),
      LIMIT,
    ],
  );
}

/**
 * Finds the memories that are similar to a memory in review, by its stored terms and vector: at most three that are
 * published, and three that are in review too. The most similar first.
 */
export async function findSimilarToReview(
  tx: TeamTransaction,
  memoryId: string,
  model: string,
): Promise<SimilarMemory[]> {
  return tx.query<Row>(
    `select m.id as "memoryId", m.state, m.title, ${EXCERPT}, n.similarity, n.basis
       from memory.memory_item r
       cross join lateral (
         select array_agg(split_part(entry, ':', 1)::int) as dims,
                array_agg(split_part(entry, ':', 2)::real) as weights
           from string_to_table(substr(split_part(r.weights::text, '}', 1), 2), ',') as entry
          where entry <> '') t
       cross join lateral memory.similar_memories(r.layer_id,
         case when r.embedding_model = $4 then r.embedding end, $4, t.dims, t.weights, r.keys, $5, r.id) n
       join memory.memory_item m on m.team_id = r.team_id and m.id = n.memory_id
      where ${inScope('r')} and r.id = $3 and r.state = 'review' and ${inScope('m')}
        and ${stateNow('m')} in ('published', 'review')
      order by n.similarity desc, m.id desc`,
    [...scopeValues(tx.scope), memoryId, model, LIMIT],
  );
}

/** Returns which of these memories the scope can read: those that are published and, with `readsAll`, in any state. */
export async function findReadableMemories(
  tx: TeamTransaction,
  ids: readonly string[],
  readsAll: boolean,
): Promise<ReadonlySet<string>> {
  const found = await tx.query<{ id: string }>(
    `select m.id from memory.memory_item m
      where ${inScope('m')} and m.id = any ($3::uuid[]) and ($4 or ${stateNow('m')} = 'published')`,
    [...scopeValues(tx.scope), ids, readsAll],
  );
  return new Set(found.map(({ id }) => id));
}
