import type { Feedback, OpenFeedback, Verdict } from '../../shared/schemas/feedback.ts';
import type { ListedMemory } from '../../shared/schemas/memories.ts';
import type { LayerId } from '../../shared/scope.ts';
import type { TeamTransaction, WorkerTransaction } from '../driver/database.ts';
import {
  containsText,
  createdWith,
  foundCount,
  inScope,
  isActive,
  isCreatedAfter,
  isCreatedBefore,
  isOpen,
  questionedSources,
  scopeValues,
  wireTime,
} from './common.ts';
import type { MemoryFilter } from './memories.ts';
import { queryList } from './query-list.ts';
import { type Sorted, type SortedPart, sortedSql } from './sorting.ts';
import { SOURCE_COLUMNS, type SourceRow, toStored } from './sources/sources.ts';

/** A chunk that a search of the scope's user returned. */
export interface FoundHit {
  sourceId: string;
  layerId: LayerId;
  /** The memory whose text it is, or null. */
  memoryId: string | null;
}

/**
 * Finds a chunk within the scope that is among the hits of a search of the scope's user, or among their passages. Null for
 * the search of another user too, and for one whose hits were deleted from the audit.
 */
export async function findOwnHit(
  tx: TeamTransaction,
  queryId: string,
  chunkId: string,
): Promise<FoundHit | null> {
  const { companyId, userId } = tx.scope;
  const [row] = await tx.query<FoundHit>(
    `select s.id as "sourceId", s.layer_id as "layerId", m.id as "memoryId"
       from memory.chunk c
       join memory.source s on s.team_id = c.team_id and s.id = c.source_id and ${isActive('s')}
       left join memory.memory_item m on m.team_id = s.team_id and m.source_id = s.id
      where ${inScope('c')} and c.id = $3::text::uuid
        and exists (
          select from memory.audit_event e
            join memory.audit_search q on q.team_id = e.team_id and q.event_id = e.id
           where e.company_id = $4 and e.subject_id = $5 and e.team_id = $1 and e.actor_id = $6
             and e.kind = 'memory.search' and c.id = any (q.hit_ids || q.passage_ids))`,
    [...scopeValues(tx.scope), chunkId, companyId, queryId, userId],
  );
  return row ?? null;
}

type FeedbackRow = Omit<Feedback, 'createdAt'> & { createdAt: Date; changed: boolean };

/** Feedback to insert. */
export interface NewFeedback {
  id: string;
  queryId: string;
  chunkId: string;
  sourceId: string;
  verdict: Verdict;
  note: string | null;
}

/**
 * Inserts the feedback of the scope's user on a hit, or replaces an earlier one on it.
 * @returns the feedback, and whether anything has changed
 */
export async function upsertFeedback(
  tx: TeamTransaction,
  given: NewFeedback,
): Promise<{ feedback: Omit<Feedback, 'memoryId'>; changed: boolean }> {
  const [row] = await tx.query<FeedbackRow>(
    `with given as (
       insert into memory.feedback as f (team_id, id, created_by, query_id, chunk_id, source_id, verdict, note)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (team_id, created_by, query_id, chunk_id) do update
         set verdict = excluded.verdict, note = excluded.note, created_at = now(), settled_at = null,
             created_by_token = excluded.created_by_token
         where f.verdict <> excluded.verdict or f.note is distinct from excluded.note or f.settled_at is not null
       returning f.*
     ), shown as (
       select g.*, true as changed from given g
       union all
       select f.*, false from memory.feedback f
        where f.team_id = $1 and f.created_by = $3 and f.query_id = $4 and f.chunk_id = $5
          and not exists (select from given)
     )
     select s.id, s.query_id as "queryId", s.chunk_id as "chunkId", s.source_id as "sourceId", s.verdict, s.note,
            s.created_by as "createdBy", ${createdWith('s')}, s.created_at as "createdAt", s.changed
       from shown s`,
    [
      tx.scope.teamId,
      given.id,
      tx.scope.userId,
      given.queryId,
      given.chunkId,
      given.sourceId,
      given.verdict,
      given.note,
    ],
  );
  if (row === undefined) throw new Error('the feedback was not inserted');
  const { changed, createdAt, ...feedback } = row;
  return { feedback: { ...feedback, createdAt: wireTime(createdAt) }, changed };
}

/** The most that is shown of the feedback on one source: the newest. */
export const MAX_SHOWN_FEEDBACK = 20;

/** Lists the feedback on sources that waits for a decision, by source, the newest first. */
export async function listOpenFeedback(
  tx: TeamTransaction,
  sourceIds: readonly string[],
): Promise<Map<string, OpenFeedback[]>> {
  const rows = await tx.query<Omit<OpenFeedback, 'createdAt'> & { createdAt: Date; sourceId: string }>(
    `select f.source_id as "sourceId", f.verdict, f.note, f.created_at as "createdAt", f.chunk_id as "chunkId",
            coalesce(c.text, '') as text
       from unnest($2::uuid[]) as g (id)
      cross join lateral (
        select * from memory.feedback f
         where f.team_id = $1 and f.source_id = g.id and ${isOpen('f')}
         order by f.created_at desc, f.id desc limit ${MAX_SHOWN_FEEDBACK}) f
       left join memory.chunk c on c.team_id = f.team_id and c.id = f.chunk_id
      order by f.created_at desc, f.id desc`,
    [tx.scope.teamId, sourceIds],
  );
  const bySource = new Map<string, OpenFeedback[]>();
  for (const { sourceId, createdAt, ...feedback } of rows) {
    const own = bySource.get(sourceId) ?? [];
    own.push({ ...feedback, createdAt: wireTime(createdAt) });
    bySource.set(sourceId, own);
  }
  return bySource;
}

/** Settles the feedback on sources that waits for a decision. Returns how much there was. */
export async function settleFeedback(tx: TeamTransaction, ...sourceIds: string[]): Promise<number> {
  const settled = await tx.query(
    `update memory.feedback f set settled_at = now()
      where f.team_id = $1 and f.source_id = any ($2::uuid[]) and ${isOpen('f')} returning 1`,
    [tx.scope.teamId, sourceIds],
  );
  return settled.length;
}

/** The most characters of the content of an item: as many as a memory has. */
const MAX_CONTENT = 64_000;

type QuestionedRow = SourceRow & { metadata: Record<string, unknown>; content: string };

/** The texts of the hits that open feedback names, in the order of the document. */
const CONTENT = `left(coalesce((
    select string_agg(c.text, E'\\n\\n' order by c.ordinal) from memory.chunk c
     where c.team_id = s.team_id and c.source_id = s.id and c.id in (
       select f.chunk_id from memory.feedback f
        where f.team_id = s.team_id and f.source_id = s.id and ${isOpen('f')})), ''), ${MAX_CONTENT})`;

/**
 * Lists active sources within the scope, except those of memories, with feedback that waits for a decision, as items for
 * review.
 */
export async function listQuestionedSources(
  tx: TeamTransaction,
  part: SortedPart,
  filter: Omit<MemoryFilter, 'states'>,
): Promise<Sorted<ListedMemory>[]> {
  const sorted = sortedSql(part, 's', { title: 's.title_key', found: foundCount('s', 'id') });
  const rows = await queryList<Sorted<QuestionedRow>>(
    tx,
    part,
    `select s.* from (
       select ${SOURCE_COLUMNS}, s.metadata, ${CONTENT} as content, s.title_key, s.updated_at, s.team_id, ${sorted.column}
         from memory.source s
        where ${inScope('s')} and ${isActive('s')} and s.kind <> 'memory' and s.id in (${questionedSources('$1')})
          and ($4::uuid is null or s.id = $4)
          and ${isCreatedAfter('s', '$5')} and ${isCreatedBefore('s', '$6')}
          and ${sorted.isAfter}) s
      where $3::text is null or ${containsText('s.title', '$3')} or ${containsText('s.content', '$3')}
      order by ${sorted.orderBy} limit $limit`,
    sorted.values,
    [...scopeValues(tx.scope), filter.text, filter.sourceId, filter.createdAfter, filter.createdBefore],
  );
  return rows.map(({ sortKey, ...row }) => ({ ...toItem(row), sortKey }));
}

/** Reads a source as an item for review, whether or not feedback on it is open; null if it is not within the scope. */
export async function findSourceItem(tx: TeamTransaction, id: string): Promise<ListedMemory | null> {
  const [row] = await tx.query<QuestionedRow>(
    `select ${SOURCE_COLUMNS}, s.metadata, ${CONTENT} as content from memory.source s
      where ${inScope('s')} and s.id = $3 and s.state <> 'loading'`,
    [...scopeValues(tx.scope), id],
  );
  return row === undefined ? null : toItem(row);
}

/** Counts the feedback on a source that is or was to be decided: all of it, and what is open. */
export async function countQuestions(
  tx: TeamTransaction,
  sourceId: string,
): Promise<{ all: number; open: number }> {
  const [row] = await tx.query<{ all: number; open: number }>(
    `select count(*)::int as "all", count(*) filter (where ${isOpen('f')})::int as open
       from memory.feedback f where f.team_id = $1 and f.source_id = $2 and f.verdict <> 'useful'`,
    [tx.scope.teamId, sourceId],
  );
  return row ?? { all: 0, open: 0 };
}

function toItem({ metadata, content, ...row }: QuestionedRow): ListedMemory {
  const { source } = toStored(row);
  const { id, title, layer, clientId, tags, occurredAt, expiresAt, found, opened, lastFoundAt } = source;
  const { createdBy, createdWith, createdAt, updatedAt } = source;
  return {
    id,
    subject: 'source',
    state: source.state === 'active' ? 'published' : 'archived',
    title,
    content,
    layer,
    clientId,
    version: 1,
    sourceId: id,
    captureIds: [],
    metadata,
    tags,
    supersedes: null,
    supersededBy: null,
    occurredAt,
    expiresAt,
    found,
    opened,
    lastFoundAt,
    createdBy,
    createdWith,
    decidedBy: null,
    decidedAt: null,
    createdAt,
    updatedAt,
  };
}

/** Uses of one source. */
export interface SourceUse {
  teamId: string;
  sourceId: string;
  found: number;
  opened: number;
  /** When it was last found; null if it was only opened. */
  foundAt: Date | null;
}

/** Adds uses of sources, of all Teams. Each source is given once. */
export async function addSourceUses(tx: WorkerTransaction, uses: readonly SourceUse[]): Promise<void> {
  const rows = uses.map(({ teamId, sourceId, found, opened, foundAt }) => ({
    team: teamId,
    source: sourceId,
    found,
    opened,
    at: foundAt,
  }));
  await tx.query('select memory.add_source_uses($1::jsonb)', [JSON.stringify(rows)]);
}
