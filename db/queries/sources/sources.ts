import { MAX_TEXT_BYTES } from '../../../shared/body-limits.ts';
import type { Moment } from '../../../shared/formats/times.ts';
import type { Origin } from '../../../shared/origin.ts';
import type { CreatedWith } from '../../../shared/schemas/common.ts';
import type { Original, Source } from '../../../shared/schemas/sources.ts';
import type { Unread } from '../../../shared/schemas/unread.ts';
import type { LayerId } from '../../../shared/scope.ts';
import type { SourceFields } from '../../../shared/text/prepared-chunks.ts';
import { TERMS_VERSION } from '../../../shared/text/terms/terms.ts';
import type { TextForm } from '../../../shared/text/text-form.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import {
  changedOccurrence,
  clientColumn,
  createdWith,
  dayInUtc,
  isActive,
  layerKind,
  lockName,
  occurredAt,
  occurredValues,
  SAME_AS,
  type StoredUse,
  sourceUse,
  stateNow,
  toUse,
  wireTime,
} from '../common.ts';
import { queryNamed } from '../query-named.ts';
import { deleteChunks } from './chunks.ts';

/** A source in the database: the columns of `SOURCE_COLUMNS`. */
export interface SourceRow {
  id: string;
  kind: Source['kind'];
  title: string;
  uri: string | null;
  externalId: string | null;
  clientId: string | null;
  state: Source['state'];
  tags: string[];
  chunks: number;
  sameAs: string | null;
  occurredAt: Moment | null;
  expiresAt: Date | null;
  original: Original | null;
  unread: Unread[];
  encoding: string | null;
  use: StoredUse;
  createdBy: string;
  createdWith: CreatedWith;
  createdAt: Date;
  updatedAt: Date;
  contentHash: Buffer;
}

/** The file that a source was made of. It cannot be read while the source is archived. */
const ORIGINAL = `case when s.original_sha256 is not null and ${isActive('s')} then jsonb_build_object(
    'mediaType', s.original_media_type, 'bytes', s.original_bytes, 'sha256', encode(s.original_sha256, 'hex')) end`;

/** The columns of `SourceRow`, of `memory.source s`. */
export const SOURCE_COLUMNS = `s.id, s.kind, s.title, s.uri, s.external_id as "externalId", ${clientColumn('s')} as "clientId",
  ${stateNow('s')} as state, s.tags, case when memory.is_due(s.expires_at) then 0 else s.chunk_count end as chunks,
  ${SAME_AS} as "sameAs", ${occurredAt('s')}, s.expires_at as "expiresAt", ${ORIGINAL} as original, s.unread, s.encoding,
  s.created_by as "createdBy", ${createdWith('s')}, s.created_at as "createdAt", s.updated_at as "updatedAt",
  s.content_hash as "contentHash", ${sourceUse('s', 'id')}`;

/** A source as it is sent to clients, and the hash of its text. */
export interface StoredSource {
  source: Source;
  contentHash: Buffer;
}

/** Converts a row to a source as it is sent to clients, and the hash of its text. */
export function toStored({ contentHash, use, ...row }: SourceRow): StoredSource {
  return {
    source: {
      ...row,
      layer: layerKind(row.clientId),
      ...toUse(use),
      expiresAt: row.expiresAt && wireTime(row.expiresAt),
      createdAt: wireTime(row.createdAt),
      updatedAt: wireTime(row.updatedAt),
    },
    contentHash,
  };
}

/** A source to insert. `contentHash` is the SHA-256 of its text. */
export interface NewSource {
  id: string;
  layerId: LayerId;
  kind: Source['kind'];
  title: string;
  /** Null: not given. A source that is replaced keeps its URI. */
  uri: string | null;
  externalId: string | null;
  /** Null: not given. A source that is replaced keeps its metadata; a new source has none. */
  metadata: Record<string, unknown> | null;
  /** When it happened. Null: unknown. Absent: not given. A source that is replaced keeps it. */
  occurredAt?: Moment | null;
  /** The fields with which the terms of its chunks are made. */
  indexedAs: SourceFields;
  /** Normalized. Null or absent: not given. A source that is replaced keeps its tags; a new source has none. */
  tags?: readonly string[] | null;
  contentHash: Buffer;
  /** When it expires. Null: never. Absent: not given. A source that is replaced keeps its expiry. */
  expiresAt?: Date | null;
  /** Absent: that of the scope. */
  origin?: Origin;
  /** The workspace file whose text it has. */
  fileId?: string;
  /** The name of the imported file, which is in the metadata too. */
  filename?: string;
  /** The form of a text that was sent; without one to be read, `CHUNKS_FORM`. Null or absent: another kind of source. */
  textForm?: TextForm | typeof CHUNKS_FORM | null;
  /** How many former texts of the source that it replaces are kept. Absent: they do not change. */
  keepVersions?: number;
  /** What could not be read of the file whose text it has. Absent: nothing, or it has not the text of a file. */
  unread?: readonly Unread[];
  /** The encoding of that file, if it was not UTF-8 and its format does not say it. Null or absent: another source. */
  encoding?: string | null;
}

/**
 * SQL for the version of the stored terms of a source: the current one, or 0 if they were made with another title, day
 * or other labels than the source has. Terms of an older version are made again by a job.
 * @param date the date of the source
 * @param labels of the source
 * @param indexedLabels the labels with which the terms were made
 * @param indexedDay the day with which the terms were made; null if they were made with another title
 */
export const termsVersion = (date: string, labels: string, indexedDay: string, indexedLabels: string) =>
  `case when ${dayInUtc(date)} = ${indexedDay}::date
          and ${labels} @> ${indexedLabels}::text[] and ${labels} <@ ${indexedLabels}::text[] then ${TERMS_VERSION} else 0 end`;

export const indexedDay = ({ indexedAs }: Pick<NewSource, 'indexedAs'>, title: string) =>
  indexedAs.title === title ? indexedAs.date : null;

/** Makes requests that would store the same source wait for each other until the transaction ends. */
export async function lockSourceNames(
  tx: TeamTransaction,
  source: Pick<NewSource, 'layerId' | 'externalId' | 'contentHash' | 'fileId'>,
): Promise<void> {
  // The lock of the file's version is enough.
  if (source.fileId !== undefined) return;
  const names = [source.contentHash.toString('hex')];
  // Always locked after the hash of the text, to prevent a deadlock between two requests.
  if (source.externalId !== null) names.push(`id ${source.externalId}`);
  for (const name of names) {
    await lockName(tx, 'source', `${tx.scope.teamId} ${source.layerId} ${name}`);
  }
}

/** Finds the active source of a workspace file, and locks it. */
async function lockFileSource(tx: TeamTransaction, fileId: string): Promise<StoredSource | null> {
  const [row] = await tx.query<SourceRow>(
    `select ${SOURCE_COLUMNS} from memory.source s
      where s.team_id = $1 and s.file_id = $2 and s.state = 'active' for update`,
    [tx.scope.teamId, fileId],
  );
  return row === undefined ? null : toStored(row);
}

/**
 * Finds the active source that a new one would repeat or replace: the one of the same workspace file, or with the same
 * external id if it has one, or else one with the same text in the same layer. A memory or a workspace file is not repeated.
 * An imported file repeats only an imported file with the same name. Locks it, so that it is not archived while its chunks are
 * replaced.
 */
export async function lockActiveSource(tx: TeamTransaction, source: NewSource): Promise<StoredSource | null> {
  if (source.fileId !== undefined) return lockFileSource(tx, source.fileId);
  const [row] = await tx.query<SourceRow>(
    `select ${SOURCE_COLUMNS} from memory.source s
      where s.team_id = $1 and s.layer_id = $2 and ${isActive('s')}
        and case when $3::text is null then s.content_hash = $4 and s.kind not in ('memory', 'file')
                 else s.external_id = $3 end
        and ($5::text is null or (s.kind = 'import' and s.metadata ->> 'filename' = $5))
      order by s.id limit 1 for update`,
    [tx.scope.teamId, source.layerId, source.externalId, source.contentHash, source.filename ?? null],
  );
  return row === undefined ? null : toStored(row);
}

/**
 * Finds the first active source with the same text in the same layer, except memories and workspace files. Lock the text
 * before. The source without an external id comes first: there is at most one, and when it goes, one of its copies takes its
 * place in the index of texts.
 */
export async function lockFirstCopy(
  tx: TeamTransaction,
  { layerId, contentHash }: Pick<NewSource, 'layerId' | 'contentHash'>,
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select s.id from memory.source s
      where s.team_id = $1 and s.layer_id = $2 and ${isActive('s')}
        and s.content_hash = $3 and s.kind not in ('memory', 'file') and s.same_as is null
      order by s.external_id is not null, s.id limit 1 for share`,
    [tx.scope.teamId, layerId, contentHash],
  );
  return row?.id ?? null;
}

/** Inserts a source in the state `loading`. Searches do not find it until it is activated. */
export async function insertLoadingSource(tx: TeamTransaction, source: NewSource): Promise<void> {
  const occurred = occurredValues('$occurredAt');
  const labels = 'memory.source_labels($tags::text[], $kind::text, $metadata::jsonb)';
  await queryNamed(
    tx,
    `insert into memory.source (team_id, id, layer_id, kind, state, title, uri, external_id, content_hash,
       metadata, tags, created_by, file_id, occurred_at, occurred_is_day, expires_at,
       terms_version, origin, unread, encoding, text_form)
     values ($teamId, $id, $layerId, $kind, 'loading', $title, $uri, $externalId, $contentHash,
       $metadata, $tags, $userId, $fileId, ${occurred.at}, ${occurred.isDay}, $expiresAt,
       ${termsVersion(`coalesce(${occurred.at}, now())`, labels, '$indexedDay', '$indexedLabels')}, $origin, $unread, $encoding, $textForm)`,
    {
      teamId: tx.scope.teamId,
      id: source.id,
      layerId: source.layerId,
      kind: source.kind,
      title: source.title,
      uri: source.uri,
      externalId: source.externalId,
      contentHash: source.contentHash,
      metadata: JSON.stringify(source.metadata ?? {}),
      tags: source.tags ?? [],
      userId: tx.scope.userId,
      fileId: source.fileId ?? null,
      occurredAt: source.occurredAt ?? null,
      indexedDay: indexedDay(source, source.title),
      expiresAt: source.expiresAt ?? null,
      indexedLabels: source.indexedAs.labels,
      origin: source.origin ?? tx.scope.origin,
      unread: JSON.stringify(source.unread ?? []),
      encoding: source.encoding ?? null,
      textForm: textFormJson(source),
    },
  );
}

/** The form of a source that has no text of its own to be read: it was sent as chunks, or is too long. */
export const CHUNKS_FORM = { chunks: true } as const;

const textFormJson = ({ textForm }: NewSource) => (textForm == null ? null : JSON.stringify(textForm));

/**
 * Makes a loading source visible to every caller who can read its layer.
 * @param sameAs the first source with the same text, if this one is an imported file
 */
export async function activateSource(
  tx: TeamTransaction,
  sourceId: string,
  chunks: number,
  sameAs: string | null = null,
): Promise<StoredSource> {
  const [row] = await tx.query<SourceRow>(
    `update memory.source s set state = 'active', chunk_count = $3, same_as = $4, updated_at = now()
      where s.team_id = $1 and s.id = $2 and s.state = 'loading' returning ${SOURCE_COLUMNS}`,
    [tx.scope.teamId, sourceId, chunks, sameAs],
  );
  if (row === undefined) throw new Error('the source to activate is not loading');
  return toStored(row);
}

/**
 * Replaces the text of an active source by the chunks of a loading source, and deletes the loading source. The text before is
 * kept as a version.
 */
export async function replaceSource(
  tx: TeamTransaction,
  activeId: string,
  loading: NewSource,
  chunks: number,
): Promise<StoredSource> {
  const { keepVersions } = loading;
  if (keepVersions !== undefined) {
    const values = [activeId, keepVersions, MAX_TEXT_BYTES];
    await tx.query('select memory.keep_source_version($1, $2, $3)', values);
  }
  await deleteChunks(tx, activeId);
  await tx.query('update memory.chunk set source_id = $3 where team_id = $1 and source_id = $2', [
    tx.scope.teamId,
    loading.id,
    activeId,
  ]);
  const written = await tx.query(
    `delete from memory.source where team_id = $1 and id = $2 and state = 'loading' returning 1`,
    [tx.scope.teamId, loading.id],
  );
  // Upkeep has deleted the loading source as abandoned, with its chunks. The active source keeps its text.
  if (written.length === 0) throw new Error('the source to replace by is not loading');
  const occurred = changedOccurrence('s', '$changesOccurredAt', '$occurredAt');
  const labels = `memory.source_labels(coalesce($tags::text[], s.tags), s.kind, coalesce($metadata::jsonb, s.metadata))`;
  const [row] = await queryNamed<SourceRow>(
    tx,
    `update memory.source s set content_hash = $contentHash, title = $title, uri = coalesce($uri, s.uri),
            metadata = coalesce($metadata::jsonb, s.metadata), tags = coalesce($tags::text[], s.tags),
            chunk_count = $chunks,
            expires_at = case when $changesExpiresAt then $expiresAt::timestamptz else s.expires_at end,
            occurred_at = ${occurred.at}, occurred_is_day = ${occurred.isDay},
            terms_version = ${termsVersion(`coalesce(${occurred.at}, s.created_at)`, labels, '$indexedDay', '$indexedLabels')},
            origin = $origin, unread = $unread, encoding = $encoding, text_form = $textForm::jsonb,
            text_version = s.text_version + 1, text_at = now(), text_by = $userId, updated_at = now()
      where s.team_id = $teamId and s.id = $id returning ${SOURCE_COLUMNS}`,
    {
      teamId: tx.scope.teamId,
      id: activeId,
      contentHash: loading.contentHash,
      title: loading.title,
      uri: loading.uri,
      metadata: metadataJson(loading),
      tags: loading.tags ?? null,
      chunks,
      changesExpiresAt: loading.expiresAt !== undefined,
      expiresAt: loading.expiresAt ?? null,
      changesOccurredAt: loading.occurredAt !== undefined,
      occurredAt: loading.occurredAt ?? null,
      indexedDay: indexedDay(loading, loading.title),
      indexedLabels: loading.indexedAs.labels,
      origin: loading.origin ?? tx.scope.origin,
      unread: JSON.stringify(loading.unread ?? []),
      encoding: loading.encoding ?? null,
      textForm: textFormJson(loading),
      userId: tx.scope.userId,
    },
  );
  if (row === undefined) throw new Error('the source to replace does not exist');
  // Imported files that had the text which it had.
  await tx.query('select memory.choose_first_copies($1)', [[activeId]]);
  return toStored(row);
}

/** The metadata of a source as JSON; null if it is not given. */
export const metadataJson = ({ metadata }: Partial<Pick<NewSource, 'metadata'>>) =>
  metadata == null ? null : JSON.stringify(metadata);

/** Deletes a loading source, because it repeats another. */
export async function deleteLoadingSource(tx: TeamTransaction, sourceId: string): Promise<void> {
  await tx.query(`delete from memory.source where team_id = $1 and id = $2 and state = 'loading'`, [
    tx.scope.teamId,
    sourceId,
  ]);
}

/** Counts the chunks of a source that have no vector of the service's model. */
export async function countPendingChunks(tx: TeamTransaction, sourceId: string): Promise<number> {
  const [row] = await tx.query<{ pending: number }>(
    `select count(*) as pending from memory.embedding_pending p
       join memory.chunk c on c.team_id = p.team_id and c.id = p.chunk_id
      where c.team_id = $1 and c.source_id = $2`,
    [tx.scope.teamId, sourceId],
  );
  return row?.pending ?? 0;
}
