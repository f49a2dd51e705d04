import type { ListedMemory } from '../../../shared/schemas/library.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { isActive } from '../fragments/expiry.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';
import type { ListPart } from '../fragments/list-part.ts';
import { isOpen, questionedSources } from '../fragments/open-feedback.ts';
import { containsText } from '../fragments/text-filter.ts';
import type { MemoryFilter } from '../memory/memories.ts';
import { SOURCE_COLUMNS, type SourceRow, toStored } from '../memory/source-rows.ts';

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
 * Lists active sources within the scope, except those of memories, with feedback that waits for a decision, newest first,
 * as items for review.
 */
export async function listQuestionedSources(
  tx: TeamTransaction,
  part: ListPart,
  filter: Omit<MemoryFilter, 'states'>,
): Promise<ListedMemory[]> {
  const rows = await tx.query<QuestionedRow>(
    `select s.* from (
       select ${SOURCE_COLUMNS}, s.metadata, ${CONTENT} as content from memory.source s
        where ${inScope('s')} and ${isActive('s')} and s.kind <> 'memory' and s.id in (${questionedSources('$1')})
          and ($4::uuid is null or s.id = $4)
          and ($5::timestamptz is null or date_trunc('milliseconds', s.created_at) > $5)
          and ($6::timestamptz is null or date_trunc('milliseconds', s.created_at) < $6)
          and ($7::uuid is null or s.id < $7)) s
      where $3::text is null or ${containsText('s.title', '$3')} or ${containsText('s.content', '$3')}
      order by s.id desc limit $8`,
    [
      ...scopeValues(tx.scope),
      filter.text,
      filter.sourceId,
      filter.createdAfter,
      filter.createdBefore,
      part.after,
      part.limit,
    ],
  );
  return rows.map(toItem);
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
