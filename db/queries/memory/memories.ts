import type { Moment } from '../../../shared/formats/times.ts';
import type { MemoryState } from '../../../shared/memory-states.ts';
import type { Origin } from '../../../shared/origin.ts';
import type { Memory } from '../../../shared/schemas/library.ts';
import type { LayerId } from '../../../shared/scope.ts';
import type { PreparedContent } from '../../../shared/text/memory-content.ts';
import type { ChunkTerms } from '../../../shared/text/terms/chunk-terms.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { halfvecBinary, int4ArrayBinary, termsToSparsevecBinary } from '../../driver/wire-format.ts';
import { createdWith } from '../fragments/created-with.ts';
import { stateNow } from '../fragments/expiry.ts';
import {
  clientColumn,
  inScope,
  layerKind,
  scopeValues,
  wireTime,
  writeScopeValues,
} from '../fragments/layers.ts';
import type { ListPart } from '../fragments/list-part.ts';
import { changedOccurrence, occurredAt, occurredValues } from '../fragments/occurred.ts';
import { questionedSources } from '../fragments/open-feedback.ts';
import { type ShownUse, type StoredUse, sourceUse, toUse } from '../fragments/source-use.ts';
import { containsText } from '../fragments/text-filter.ts';

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
  const occurred = occurredValues('$19');
  await tx.query(
    `insert into memory.memory_item (team_id, id, layer_id, state, title, content, metadata, tags, source_id,
       capture_ids, supersedes, keys, weights, embedding, embedding_model, created_by, decided_by, decided_at,
       expires_at, occurred_at, occurred_is_day, origin)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::uuid[], $11, $12::int[], $13::sparsevec, $14::halfvec, $15, $16,
       $17::uuid, case when $17::uuid is null then null else now() end, $18, ${occurred.at}, ${occurred.isDay}, $20)`,
    [
      tx.scope.teamId,
      memory.id,
      memory.layerId,
      memory.state,
      memory.title,
      memory.content,
      JSON.stringify(memory.metadata),
      memory.tags,
      memory.sourceId,
      memory.captureIds,
      memory.supersedes,
      int4ArrayBinary(memory.terms.keys),
      termsToSparsevecBinary(memory.terms),
      embedding === null ? null : halfvecBinary(embedding),
      embedding === null ? null : memory.model,
      tx.scope.userId,
      published ? tx.scope.userId : null,
      memory.expiresAt ?? null,
      memory.occurredAt ?? null,
      memory.origin ?? tx.scope.origin,
    ],
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
  const occurred = changedOccurrence('m', '$17', '$18');
  const [row] = await tx.query<MemoryRow>(
    `update memory.memory_item m
        set state = $3, version = m.version + 1, updated_at = now(), decided_by = $4, decided_at = now(),
            title = coalesce($5, m.title), content = coalesce($6, m.content),
            keys = coalesce($7::int[], m.keys), weights = coalesce($8::sparsevec, m.weights),
            source_id = coalesce($9::uuid, m.source_id), tags = coalesce($10::text[], m.tags),
            supersedes = case when $11 then $12::uuid else m.supersedes end,
            superseded_by = case when $13 then $14::uuid else m.superseded_by end,
            expires_at = case when $15 then $16::timestamptz else m.expires_at end,
            occurred_at = ${occurred.at}, occurred_is_day = ${occurred.isDay},
            origin = coalesce($19, m.origin), embedding = null, embedding_model = null
      where m.team_id = $1 and m.id = $2 returning ${COLUMNS}`,
    [
      tx.scope.teamId,
      id,
      change.state,
      tx.scope.userId,
      change.title ?? null,
      change.content?.content ?? null,
      change.content === undefined ? null : int4ArrayBinary(change.content.terms.keys),
      change.content === undefined ? null : termsToSparsevecBinary(change.content.terms),
      change.sourceId ?? null,
      change.tags ?? null,
      change.supersedes !== undefined,
      change.supersedes ?? null,
      change.supersededBy !== undefined,
      change.supersededBy ?? null,
      change.expiresAt !== undefined,
      change.expiresAt ?? null,
      change.occurredAt !== undefined,
      change.occurredAt ?? null,
      change.origin ?? null,
    ],
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

/** Lists memories within the scope, newest first. */
export function listMemories(tx: TeamTransaction, part: ListPart, filter: MemoryFilter): Promise<Memory[]> {
  const condition = `m.state = any ($3::text[]) and ${stateNow('m')} = any ($10::text[])`;
  return selectMemories(tx, condition, part, filter);
}

/** Lists published memories within the scope with feedback that waits for a decision, newest first. */
export function listQuestionedMemories(
  tx: TeamTransaction,
  part: ListPart,
  filter: Omit<MemoryFilter, 'states'>,
): Promise<Memory[]> {
  const condition = `m.source_id = any (array(${questionedSources('$1')}))
        and m.state = any ($3::text[]) and ${stateNow('m')} = any ($10::text[])`;
  return selectMemories(tx, condition, part, { ...filter, states: ['published'] });
}

async function selectMemories(
  tx: TeamTransaction,
  condition: string,
  part: ListPart,
  filter: MemoryFilter,
): Promise<Memory[]> {
  const rows = await tx.query<MemoryRow>(
    `select ${COLUMNS} from memory.memory_item m
      where ${inScope('m')} and ${condition}
        and ($4::text is null or ${containsText('m.title', '$4')} or ${containsText('m.content', '$4')})
        and ($5::uuid is null or m.source_id = $5)
        and ($6::timestamptz is null or date_trunc('milliseconds', m.created_at) > $6)
        and ($7::timestamptz is null or date_trunc('milliseconds', m.created_at) < $7)
        and ($8::uuid is null or m.id < $8)
      order by m.id desc limit $9`,
    [
      ...scopeValues(tx.scope),
      storedStates(filter.states),
      filter.text,
      filter.sourceId,
      filter.createdAfter,
      filter.createdBefore,
      part.after,
      part.limit,
      filter.states,
    ],
  );
  return rows.map(toMemory);
}
