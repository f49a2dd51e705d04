import type { Origin } from '../../../shared/origin.ts';
import type { SimilarSource, Source } from '../../../shared/schemas/sources.ts';
import type { LayerId } from '../../../shared/scope.ts';
import { similarity, type TextSketch } from '../../../shared/text/terms/sketch.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { int4ArrayBinary } from '../../driver/wire-format.ts';
import { changedOccurrence, dateOf, dayInUtc, inScope, isActive, scopeValues } from '../common.ts';
import { queryNamed } from '../query-named.ts';
import {
  indexedDay,
  metadataJson,
  type NewSource,
  SOURCE_COLUMNS,
  type SourceRow,
  termsVersion,
  toStored,
} from './sources.ts';

/** The fields of a source that can change while its text stays the same. */
export type SourceField = 'title' | 'uri' | 'metadata' | 'tags' | 'occurredAt' | 'expiresAt';

/** The fields that find the passages of a source. If one of them changes, its terms are outdated. */
const SEARCHED_FIELDS: readonly SourceField[] = ['title', 'tags', 'occurredAt'];

/** Whether the terms of a source can be outdated after a change of these fields. */
export function changesTerms(updated: readonly SourceField[]): boolean {
  return SEARCHED_FIELDS.some((field) => updated.includes(field));
}

/**
 * New values of fields of a source. A field that is null or absent keeps its value, except `occurredAt` and `expiresAt`: null
 * removes them.
 */
export interface GivenFields
  extends Partial<Pick<NewSource, 'uri' | 'metadata' | 'tags' | 'occurredAt' | 'expiresAt'>> {
  title?: string | null;
}

/**
 * Changes fields of an active source. Lock the source before. The same tags in another order are no change.
 * @returns the source as it is now, and which fields changed; null if none did
 */
export async function updateSourceFields(
  tx: TeamTransaction,
  activeId: string,
  given: GivenFields,
): Promise<{ source: Source; updated: SourceField[] } | null> {
  const occurred = changedOccurrence('s', '$changesOccurredAt', '$occurredAt');
  const [row] = await queryNamed<SourceRow & { updated: SourceField[] }>(
    tx,
    `with compared as (
       select array_remove(array[
                case when title <> $title then 'title' end,
                case when uri is distinct from coalesce($uri, uri) then 'uri' end,
                case when metadata <> coalesce($metadata::jsonb, metadata) then 'metadata' end,
                case when not (tags @> $tags::text[] and tags <@ $tags::text[]) then 'tags' end,
                case when (occurred_at, occurred_is_day) is distinct from (${occurred.at}, ${occurred.isDay})
                     then 'occurredAt' end,
                case when $changesExpiresAt and expires_at is distinct from $expiresAt::timestamptz
                     then 'expiresAt' end], null) as updated
         from memory.source s where team_id = $teamId and id = $id and state = 'active'
     )
     update memory.source s
        set expires_at = case when $changesExpiresAt then $expiresAt::timestamptz else s.expires_at end,
            occurred_at = ${occurred.at}, occurred_is_day = ${occurred.isDay},
            title = coalesce($title, s.title), uri = coalesce($uri, s.uri),
            metadata = coalesce($metadata::jsonb, s.metadata),
            tags = case when 'tags' = any (compared.updated) then $tags::text[] else s.tags end, updated_at = now(),
            origin = case when 'title' = any (compared.updated) then least(s.origin, $origin) else s.origin end,
            terms_version = case when s.title = coalesce($title, s.title) and 'tags' <> all (compared.updated)
              and ${dayInUtc(dateOf('s'))} = ${dayInUtc(`coalesce(${occurred.at}, s.created_at)`)}
              then s.terms_version else 0 end
       from compared
      where s.team_id = $teamId and s.id = $id and s.state = 'active' and cardinality(compared.updated) > 0
     returning ${SOURCE_COLUMNS}, compared.updated`,
    {
      teamId: tx.scope.teamId,
      id: activeId,
      title: given.title ?? null,
      uri: given.uri ?? null,
      metadata: metadataJson(given),
      tags: given.tags ?? null,
      changesExpiresAt: given.expiresAt !== undefined,
      expiresAt: given.expiresAt ?? null,
      changesOccurredAt: given.occurredAt !== undefined,
      occurredAt: given.occurredAt ?? null,
      origin: tx.scope.origin,
    },
  );
  if (row === undefined) return null;
  const { updated, ...source } = row;
  return { source: toStored(source).source, updated };
}

/**
 * Changes the title and, if it is given, the origin of the active source of a memory. With `text`, also stores the hash and the number of its
 * new chunks. A title that the terms of its chunks were not made with makes them outdated.
 */
export async function retitleSource(
  tx: TeamTransaction,
  sourceId: string,
  { title, origin }: { title: string; origin?: Origin },
  text?: Pick<NewSource, 'contentHash' | 'indexedAs'> & { chunks: number },
): Promise<void> {
  const labels = 'memory.source_labels(s.tags, s.kind, s.metadata)';
  const changed = await queryNamed(
    tx,
    `update memory.source s set title = $title, content_hash = coalesce($contentHash, content_hash),
            chunk_count = coalesce($chunks, chunk_count), origin = coalesce($origin, origin), updated_at = now(),
            terms_version = case when $contentHash::bytea is not null
                                 then ${termsVersion(dateOf('s'), labels, '$indexedDay', '$indexedLabels')}
                                 when s.title = $title then s.terms_version else 0 end
      where team_id = $teamId and id = $sourceId and state = 'active' returning 1`,
    {
      teamId: tx.scope.teamId,
      sourceId,
      title,
      contentHash: text?.contentHash ?? null,
      chunks: text?.chunks ?? null,
      indexedDay: text === undefined ? null : indexedDay(text, title),
      indexedLabels: text?.indexedAs.labels ?? [],
      origin: origin ?? null,
    },
  );
  if (changed.length === 0) throw new Error('the source to change is not active');
}

/** Makes an archived source active again, without chunks. Its text must be stored in the same transaction. */
export async function reactivateSource(
  tx: TeamTransaction,
  sourceId: string,
  expiresAt: Date | null,
): Promise<void> {
  const reactivated = await tx.query(
    `update memory.source set state = 'active', expires_at = $3, updated_at = now()
      where team_id = $1 and id = $2 and state = 'archived' returning 1`,
    [tx.scope.teamId, sourceId, expiresAt],
  );
  if (reactivated.length === 0) throw new Error('the source to reactivate is not archived');
}

/** Changes when the source of a memory expires. Lock the memory before. */
export async function updateSourceExpiry(
  tx: TeamTransaction,
  sourceId: string,
  expiresAt: Date | null,
): Promise<void> {
  await tx.query(
    'update memory.source set expires_at = $3, updated_at = now() where team_id = $1 and id = $2',
    [tx.scope.teamId, sourceId, expiresAt],
  );
}

/** A statement takes about a second on the embedded database. Statements of more than 15 seconds are cancelled. */
const CHUNKS_PER_STATEMENT = 1000;

/** Moves a source to another layer that the scope can write, with everything that belongs to it. Lock the source before. */
export async function moveSource(tx: TeamTransaction, id: string, layerId: LayerId): Promise<void> {
  const [row] = await tx.query<{ moved: boolean }>('select memory.move_source($1, $2) as moved', [
    id,
    layerId,
  ]);
  if (row?.moved !== true) throw new Error('the source to move does not exist');
  await moveChunks(tx, id);
}

/**
 * Moves a memory to another layer that the scope can write, with its versions and its source. Lock the memory before.
 * @param sourceId null if it has no source
 */
export async function moveMemory(
  tx: TeamTransaction,
  { id, sourceId }: { id: string; sourceId: string | null },
  layerId: LayerId,
): Promise<void> {
  const [row] = await tx.query<{ moved: boolean }>('select memory.move_memory($1, $2) as moved', [
    id,
    layerId,
  ]);
  if (row?.moved !== true) throw new Error('the memory to move does not exist');
  if (sourceId !== null) await moveChunks(tx, sourceId);
}

/** Moves the chunks of a source to its layer, in several statements. */
async function moveChunks(tx: TeamTransaction, sourceId: string): Promise<void> {
  let last: number | null = -1;
  while (last !== null) {
    const rows: { last: number | null }[] = await tx.query('select memory.move_chunks($1, $2, $3) as last', [
      sourceId,
      last,
      CHUNKS_PER_STATEMENT,
    ]);
    last = rows[0]?.last ?? null;
  }
}

/** The names of a source, which no other active source of its layer can have. */
export interface SourceNames {
  layerId: LayerId;
  externalId: string | null;
  contentHash: Buffer;
}

/** Finds the names of a source within the scope; null if it does not exist. */
export async function findSourceNames(tx: TeamTransaction, id: string): Promise<SourceNames | null> {
  const [row] = await tx.query<SourceNames>(
    `select s.layer_id as "layerId", s.external_id as "externalId", s.content_hash as "contentHash"
       from memory.source s where ${inScope('s')} and s.id = $3`,
    [...scopeValues(tx.scope), id],
  );
  return row ?? null;
}

/**
 * Finds an active source of the layer with the same external id or the same text, except those of memories and workspace
 * files. Lock the names before.
 */
export async function findRepeat(
  tx: TeamTransaction,
  { layerId, externalId, contentHash }: SourceNames,
): Promise<{ id: string; hasSameId: boolean } | null> {
  const [row] = await tx.query<{ id: string; hasSameId: boolean }>(
    `select s.id, s.external_id is not distinct from $3::text and $3 is not null as "hasSameId" from memory.source s
      where s.team_id = $1 and s.layer_id = $2 and ${isActive('s')}
        and s.kind in ('ingest', 'import') and (s.external_id = $3 or s.content_hash = $4)
      order by 2 desc, s.id limit 1`,
    [tx.scope.teamId, layerId, externalId, contentHash],
  );
  return row ?? null;
}

/** Texts that are less similar are not near duplicates. */
export const MIN_SIMILARITY = 0.75;
/** As many as a person reads. */
const MAX_SIMILAR = 5;
/** The signatures of so many sources are compared: those with the most bands in common. */
const MAX_COMPARED = 200;

/** A source that can be a near duplicate. */
interface Candidate {
  sourceId: string;
  signature: Buffer;
  /** The signature of the source that it is compared with. */
  own: Buffer;
}

interface Sketched {
  id: string;
  layerId: LayerId;
}

/** Stores the sketch of an active source, so that it is found as a near duplicate of other sources. */
export async function insertSketch(tx: TeamTransaction, source: Sketched, sketch: TextSketch): Promise<void> {
  await sketchSource(tx, source, sketch, 0);
}

/**
 * Stores the sketch of an active source, and finds its near duplicates: active sources of the same layer, the most similar
 * first, at most five.
 * @param sketch null to compare the stored sketch. A source without a stored sketch has no near duplicates
 */
export async function findNearDuplicates(
  tx: TeamTransaction,
  source: Sketched,
  sketch: TextSketch | null,
): Promise<SimilarSource[]> {
  const candidates = await sketchSource(tx, source, sketch, MAX_COMPARED);
  const shares = new Map(
    candidates
      .map(({ sourceId, signature, own }) => [sourceId, rounded(similarity(signature, own))] as const)
      .filter(([, share]) => share >= MIN_SIMILARITY),
  );
  // Most texts have none: then the second statement is not needed.
  if (shares.size === 0) return [];
  const sources = await lockSimilarSources(tx, [...shares.keys()]);
  return sources
    .map((source) => ({ ...source, similarity: shares.get(source.sourceId) ?? 0 }))
    .sort((a, b) => b.similarity - a.similarity || (a.sourceId < b.sourceId ? 1 : -1))
    .slice(0, MAX_SIMILAR);
}

/** Stores a sketch that is not null, and returns at most `limit` sources that can be near duplicates. */
function sketchSource(
  tx: TeamTransaction,
  { id, layerId }: Sketched,
  sketch: TextSketch | null,
  limit: number,
): Promise<Candidate[]> {
  return tx.query<Candidate>(
    'select source_id as "sourceId", signature, own from memory.sketch_source($1, $2, $3::int[], $4, $5)',
    [layerId, id, sketch && int4ArrayBinary(sketch.bands), sketch && sketch.signature, limit],
  );
}

/** Returns those of these sources that are active, with their titles, and locks them until the transaction ends. */
function lockSimilarSources(
  tx: TeamTransaction,
  ids: readonly string[],
): Promise<Pick<SimilarSource, 'sourceId' | 'title'>[]> {
  return tx.query(
    `select s.id as "sourceId", s.title from memory.source s
      where ${inScope('s')} and s.id = any ($3::uuid[]) and ${isActive('s')}
        -- The answer with their titles is stored. The lock makes a purge wait until then, so that it deletes the answer.
        -- A source that another transaction has locked is skipped. To wait for it could be a deadlock.
        for key share skip locked`,
    [...scopeValues(tx.scope), ids],
  );
}

/** Two decimals: the estimate is not more exact. */
const rounded = (share: number) => Math.round(share * 100) / 100;
