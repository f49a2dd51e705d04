import type { OccurredBounds } from '../../../shared/formats/times.ts';
import type { Chunk, Original, Source, TagCount } from '../../../shared/schemas/sources.ts';
import type { LayerId } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { call } from '../call.ts';
import {
  containsText,
  dateOf,
  dayInUtc,
  inScope,
  isActive,
  isDatedWithin,
  type ListPart,
  scopeValues,
  stateNow,
  writeScopeValues,
} from '../common.ts';
import { queryList } from '../query-list.ts';
import { type Sorted, type SortedPart, sortedSql } from '../sorting.ts';
import { CHUNK_COLUMNS, type ChunkRow, toChunk } from './chunks.ts';
import { SOURCE_COLUMNS, type SourceRow, type StoredSource, toStored } from './sources.ts';

/** The filters of a list of sources. A filter that is null does not restrict it. */
export interface SourceFilter extends OccurredBounds {
  kind: Source['kind'] | null;
  state: Source['state'] | null;
  /** Text that the title, the URI or the external id contains. */
  text: string | null;
  /** Normalized. */
  tag: string | null;
}

/** The memory whose text an active source is. Null for other sources, and while the source is archived. */
const MEMORY_ID = `case when s.kind = 'memory' and ${isActive('s')} then (select m.id from memory.memory_item m
    where m.team_id = s.team_id and m.source_id = s.id and m.state = 'published') end as "memoryId"`;

type ListedRow = SourceRow & { memoryId: string | null };

/** What a list of sources is sorted by, beside their times. Needs `FOUND_JOIN` if it is sorted by how often they were found. */
const SORT_COLUMNS = { title: 's.title_key', found: 'coalesce(u.found, 0)' };
const FOUND_JOIN = 'left join memory.found_counts() u on u.source_id = s.id';

/** A source as it is sent to readers, with its memory if it has one. */
function toListed({ memoryId, ...row }: ListedRow): Source {
  const { source } = toStored(row);
  return memoryId === null ? source : { ...source, memoryId };
}

/** Lists sources within the scope, except sources that are loading. */
export async function listSources(
  tx: TeamTransaction,
  part: SortedPart,
  filter: SourceFilter,
): Promise<Sorted<Source>[]> {
  const sorted = sortedSql(part, 's', SORT_COLUMNS);
  const { count, ...page } = part;
  const { kind, state, text, tag, occurredAfter, occurredBefore } = filter;
  const isTallied = (text ?? tag ?? occurredAfter ?? occurredBefore) === null;
  const rows = await queryList<ListedRow & { sortKey: string | null }>(
    tx,
    isTallied ? page : part,
    `select ${SOURCE_COLUMNS}, ${MEMORY_ID}, ${sorted.column}
       from memory.source s ${part.sorting.by === 'found' ? FOUND_JOIN : ''}
      where ${inScope('s')} and s.state <> 'loading'
        and ($kind::text is null or s.kind = $kind) and ($state::text is null or ${stateNow('s')} = $state)
        and ($text::text is null or ${containsText('s.title', '$text')} or ${containsText('s.uri', '$text')}
             or ${containsText('s.external_id', '$text')})
        and ($tag::text is null or (s.tags @> array[$tag::text] and s.tags <> '{}'))
        and ${isDatedWithin('s', '$occurredAfter::timestamptz', '$occurredBefore::timestamptz')}
        and ${sorted.isAfter}
      order by ${sorted.orderBy} limit $limit`,
    { ...filter, ...sorted.values },
    scopeValues(tx.scope),
  );
  if (isTallied && count !== undefined) count(await call(tx, 'memory.count_sources', kind, state));
  return rows.map(({ sortKey, ...row }) => ({ ...toListed(row), sortKey }));
}

/** A source with its metadata. */
export interface FoundSource {
  source: Source;
  metadata: Record<string, unknown>;
}

/** Finds a source within the scope, or null. */
export async function findSource(tx: TeamTransaction, id: string): Promise<FoundSource | null> {
  const [row] = await tx.query<ListedRow & { metadata: Record<string, unknown> }>(
    `select ${SOURCE_COLUMNS}, ${MEMORY_ID}, s.metadata from memory.source s
      where ${inScope('s')} and s.id = $3 and s.state <> 'loading'`,
    [...scopeValues(tx.scope), id],
  );
  if (row === undefined) return null;
  const { metadata, ...source } = row;
  return { source: toListed(source), metadata };
}

/** Returns which of these sources the scope can read, in any state. */
export async function findReadableSources(
  tx: TeamTransaction,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await tx.query<{ id: string }>(
    `select s.id from memory.source s where ${inScope('s')} and s.id = any ($3::uuid[]) and s.state <> 'loading'`,
    [...scopeValues(tx.scope), ids],
  );
  return new Set(found.map(({ id }) => id));
}

/** A source by its id, or the active source with one of its other names. */
export type SourceName = { id: string } | { fileId: string } | { externalId: string; layerId: LayerId };

/** The days of a source in UTC, `YYYY-MM-DD`, and its tags. */
export interface SourceDays {
  /** On which it was created. */
  creation: string;
  /** Of its date: when it happened, if that is known, else its creation. */
  date: string;
  tags: string[];
}

/** Returns the days and the tags of a source; null if it does not exist. */
export async function findSourceDays(tx: TeamTransaction, name: SourceName): Promise<SourceDays | null> {
  const [condition, values] =
    'id' in name
      ? ['s.id = $2', [name.id]]
      : 'fileId' in name
        ? [`${isActive('s')} and s.file_id = $2`, [name.fileId]]
        : [`${isActive('s')} and s.external_id = $2 and s.layer_id = $3`, [name.externalId, name.layerId]];
  const [row] = await tx.query<SourceDays>(
    `select ${dayInUtc('s.created_at')}::text as creation, ${dayInUtc(dateOf('s'))}::text as date, s.tags
       from memory.source s where s.team_id = $1 and ${condition}`,
    [tx.scope.teamId, ...values],
  );
  return row ?? null;
}

/** Returns the title of an active source; null if it does not exist. */
export async function findTitle(
  tx: TeamTransaction,
  { externalId, layerId }: Extract<SourceName, { externalId: string }>,
): Promise<string | null> {
  const [row] = await tx.query<{ title: string }>(
    `select s.title from memory.source s
      where s.team_id = $1 and ${isActive('s')} and s.external_id = $2
        and s.layer_id = $3`,
    [tx.scope.teamId, externalId, layerId],
  );
  return row?.title ?? null;
}

/** Counts how many of the given sources, which are all different, are within the scope. */
export async function countSources(tx: TeamTransaction, ids: readonly string[]): Promise<number> {
  const [row] = await tx.query<{ known: number }>(
    `select count(*)::int as known from memory.source s
      where ${inScope('s')} and s.id = any ($3::uuid[]) and s.state <> 'loading'`,
    [...scopeValues(tx.scope), ids],
  );
  return row?.known ?? 0;
}

/** Locks a source in a layer that the scope can write, until the transaction ends; null if it does not exist. */
export async function lockSource(tx: TeamTransaction, id: string): Promise<StoredSource | null> {
  const [row] = await tx.query<SourceRow>(
    `select ${SOURCE_COLUMNS} from memory.source s
      where s.team_id = $1 and s.layer_id = any ($2::uuid[])
        and s.id = $3 and s.state <> 'loading' for update`,
    [...writeScopeValues(tx.scope), id],
  );
  return row === undefined ? null : toStored(row);
}

/** Lists the chunks of a source within the scope, in order. Null: the chunk of the cursor was deleted. */
export async function listSourceChunks(
  tx: TeamTransaction,
  sourceId: string,
  part: ListPart,
): Promise<Chunk[] | null> {
  // One statement, so that it reads only the old or only the new text if the text is replaced at the same time.
  const rows = await tx.query<ChunkRow>(
    `select ${CHUNK_COLUMNS}
       from memory.chunk c
       join memory.source s on s.team_id = c.team_id and s.id = c.source_id and ${isActive('s')}
      where ${inScope('c')} and c.source_id = $3
        and ($4::uuid is null
             or c.ordinal > (select a.ordinal from memory.chunk a where ${inScope('a')} and a.source_id = $3 and a.id = $4))
      order by c.ordinal limit $5`,
    [...scopeValues(tx.scope), sourceId, part.after, part.limit],
  );
  // A cursor is returned only if more chunks follow.
  if (part.after !== null && rows.length === 0) return null;
  return rows.map(toChunk);
}

/**
 * Counts how many active sources within the scope have each tag. Tags are in the order of their code points, whatever
 * the collation of the database.
 * @param part after a tag
 */
export async function countTags(tx: TeamTransaction, part: ListPart): Promise<TagCount[]> {
  return queryList<TagCount>(
    tx,
    part,
    `select t.tag, count(*)::int as count
       from memory.source s cross join lateral unnest(s.tags) t (tag)
      where ${inScope('s')} and ${isActive('s')} and s.tags <> '{}'
        and ($after::text is null or t.tag > $after collate "C")
      group by t.tag order by t.tag collate "C" limit $limit`,
    {},
    scopeValues(tx.scope),
  );
}

/** The file that a source was made of, and the name that it was imported with. */
export interface OriginalFile extends Original {
  filename: string;
}

/**
 * Makes a stored content the original of a source.
 * @returns false if the source has one already, is not active or is not of kind `import`
 */
export async function attachOriginal(
  tx: TeamTransaction,
  sourceId: string,
  { sha256, bytes, mediaType }: Original,
): Promise<boolean> {
  const [row] = await tx.query<{ attached: boolean }>(
    `select memory.attach_original($1, decode($2, 'hex'), $3, $4) as attached`,
    [sourceId, sha256, bytes, mediaType],
  );
  return row?.attached === true;
}

/** Finds the original of an active source within the scope; null without one. */
export async function findOriginal(tx: TeamTransaction, sourceId: string): Promise<OriginalFile | null> {
  const [row] = await tx.query<OriginalFile>(
    `select encode(s.original_sha256, 'hex') as sha256, s.original_bytes as bytes, s.original_media_type as "mediaType",
            coalesce(s.metadata ->> 'filename', s.title) as filename
       from memory.source s
      where ${inScope('s')} and s.id = $3 and ${isActive('s')} and s.original_sha256 is not null`,
    [...scopeValues(tx.scope), sourceId],
  );
  return row ?? null;
}
