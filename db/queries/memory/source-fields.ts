import type { Origin } from '../../../shared/origin.ts';
import type { Source } from '../../../shared/schemas/memory.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { changedOccurrence, dateOf, dayInUtc } from '../fragments/occurred.ts';
import { SOURCE_COLUMNS, type SourceRow, toStored } from './source-rows.ts';
import { indexedDay, metadataJson, type NewSource, termsVersion } from './sources.ts';

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
  const occurred = changedOccurrence('s', '$9', '$10');
  const [row] = await tx.query<SourceRow & { updated: SourceField[] }>(
    `with compared as (
       select array_remove(array[
                case when title <> $3 then 'title' end,
                case when uri is distinct from coalesce($4, uri) then 'uri' end,
                case when metadata <> coalesce($5::jsonb, metadata) then 'metadata' end,
                case when not (tags @> $6::text[] and tags <@ $6::text[]) then 'tags' end,
                case when (occurred_at, occurred_is_day) is distinct from (${occurred.at}, ${occurred.isDay})
                     then 'occurredAt' end,
                case when $7 and expires_at is distinct from $8::timestamptz then 'expiresAt' end], null) as updated
         from memory.source s where team_id = $1 and id = $2 and state = 'active'
     )
     update memory.source s
        set expires_at = case when $7 then $8::timestamptz else s.expires_at end,
            occurred_at = ${occurred.at}, occurred_is_day = ${occurred.isDay},
            title = coalesce($3, s.title), uri = coalesce($4, s.uri), metadata = coalesce($5::jsonb, s.metadata),
            tags = case when 'tags' = any (compared.updated) then $6::text[] else s.tags end, updated_at = now(),
            origin = case when 'title' = any (compared.updated) then least(s.origin, $11) else s.origin end,
            terms_version = case when s.title = coalesce($3, s.title) and 'tags' <> all (compared.updated)
              and ${dayInUtc(dateOf('s'))} = ${dayInUtc(`coalesce(${occurred.at}, s.created_at)`)}
              then s.terms_version else 0 end
       from compared
      where s.team_id = $1 and s.id = $2 and s.state = 'active' and cardinality(compared.updated) > 0
     returning ${SOURCE_COLUMNS}, compared.updated`,
    [
      tx.scope.teamId,
      activeId,
      given.title ?? null,
      given.uri ?? null,
      metadataJson(given),
      given.tags ?? null,
      given.expiresAt !== undefined,
      given.expiresAt ?? null,
      given.occurredAt !== undefined,
      given.occurredAt ?? null,
      tx.scope.origin,
    ],
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
  const changed = await tx.query(
    `update memory.source s set title = $3, content_hash = coalesce($4, content_hash),
            chunk_count = coalesce($5, chunk_count), origin = coalesce($8, origin), updated_at = now(),
            terms_version = case when $4::bytea is not null then ${termsVersion(dateOf('s'), 'memory.source_labels(s.tags, s.kind, s.metadata)', '$6', '$7')}
                                 when s.title = $3 then s.terms_version else 0 end
      where team_id = $1 and id = $2 and state = 'active' returning 1`,
    [
      tx.scope.teamId,
      sourceId,
      title,
      text?.contentHash ?? null,
      text?.chunks ?? null,
      text === undefined ? null : indexedDay(text, title),
      text?.indexedAs.labels ?? [],
      origin ?? null,
    ],
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
