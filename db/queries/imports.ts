import { createHash } from 'node:crypto';
import type { Layers } from '../../shared/access.ts';
import type { Moment } from '../../shared/formats/times.ts';
import type { CreatedWith, Redaction } from '../../shared/schemas/common.ts';
import type { Import, ImportStage } from '../../shared/schemas/imports.ts';
import type { SimilarSource } from '../../shared/schemas/sources.ts';
import type { Unread } from '../../shared/schemas/unread.ts';
import type { LayerId } from '../../shared/scope.ts';
import type { TeamTransaction } from '../driver/database.ts';
import {
  clientColumn,
  createdWith,
  inScope,
  type ListPart,
  layerKind,
  occurredAt,
  occurredValues,
  SAME_SOURCE_OF_IMPORT,
  SIMILAR_SOURCES_OF_IMPORT,
  scopeValues,
  wireTime,
} from './common.ts';
import { queryList } from './query-list.ts';
import { queryNamed } from './query-named.ts';

export interface NewImport {
  id: string;
  layerId: LayerId;
  filename: string;
  title: string;
  mediaType: string;
  content: Buffer;
  /** Of its source, normalized. Absent: none. */
  tags?: readonly string[];
  /** When what it tells of happened. Null or absent: not given. */
  occurredAt?: Moment | null;
  /** When its source expires. Null or absent: never. */
  expiresAt?: Date | null;
  /** What was found in its filename, title and tags. Absent: nothing. */
  redactions?: readonly Redaction[];
}

/** Bytes of a file in one statement. The embedded database answers no other request until it ends. */
const PART_BYTES = 4 * 1024 * 1024;

/** The assignments that clear the progress, when a run ends. */
const NO_PROGRESS = 'progress_stage = null, progress_percent = null';

/** An import in the database: the columns of `IMPORT_COLUMNS`. */
export interface ImportRow {
  id: string;
  filename: string;
  title: string;
  mediaType: string;
  bytes: number;
  sha256: string | null;
  clientId: string | null;
  state: Import['state'];
  stage: ImportStage | null;
  percent: number | null;
  attempts: number;
  errorCode: string | null;
  errorMessage: string | null;
  payloadPrunedAt: Date | null;
  sourceId: string | null;
  occurredAt: Moment | null;
  expiresAt: Date | null;
  similarSources: SimilarSource[];
  sameAs: NonNullable<Import['sameAs']> | null;
  unread: Unread[];
  encoding: string | null;
  redactions: Redaction[];
  createdBy: string;
  createdWith: CreatedWith;
  createdAt: Date;
  updatedAt: Date;
}

/** The columns of `ImportRow`, of `memory.import i`. */
export const IMPORT_COLUMNS = `i.id, i.filename, i.title, i.media_type as "mediaType", i.bytes, encode(i.sha256, 'hex') as sha256,
  ${clientColumn('i')} as "clientId", i.state, i.progress_stage as stage, i.progress_percent as percent,
  i.attempts, i.error_code as "errorCode", i.error_message as "errorMessage",
  i.payload_pruned_at as "payloadPrunedAt", i.source_id as "sourceId", ${occurredAt('i')}, i.expires_at as "expiresAt", i.redactions,
  i.unread, i.encoding, ${SIMILAR_SOURCES_OF_IMPORT} as "similarSources", ${SAME_SOURCE_OF_IMPORT} as "sameAs",
  i.created_by as "createdBy", ${createdWith('i')}, i.created_at as "createdAt", i.updated_at as "updatedAt"`;

/** Converts a row to an import as it is sent to clients. */
export function toImport({ errorCode, errorMessage, stage, percent, sameAs, ...row }: ImportRow): Import {
  return {
    ...row,
    ...(sameAs === null ? {} : { sameAs }),
    progress: stage === null ? null : { stage, percent: percent ?? 0 },
    payloadPrunedAt: row.payloadPrunedAt === null ? null : wireTime(row.payloadPrunedAt),
    layer: layerKind(row.clientId),
    expiresAt: row.expiresAt && wireTime(row.expiresAt),
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    createdAt: wireTime(row.createdAt),
    updatedAt: wireTime(row.updatedAt),
  };
}

/** Inserts a queued import with its file. */
export async function insertImport(tx: TeamTransaction, item: NewImport): Promise<Import> {
  const occurred = occurredValues('$occurredAt');
  const [row] = await queryNamed<ImportRow>(
    tx,
    `with i as (
       insert into memory.import (team_id, id, layer_id, state, filename, title, media_type, bytes, sha256, tags, created_by,
         expires_at, redactions, occurred_at, occurred_is_day)
       values ($teamId, $id, $layerId, 'queued', $filename, $title, $mediaType, $bytes, $sha256, $tags, $userId,
         $expiresAt, $redactions, ${occurred.at}, ${occurred.isDay}) returning *
     )
     select ${IMPORT_COLUMNS} from i`,
    {
      teamId: tx.scope.teamId,
      id: item.id,
      layerId: item.layerId,
      filename: item.filename,
      title: item.title,
      mediaType: item.mediaType,
      bytes: item.content.byteLength,
      sha256: createHash('sha256').update(item.content).digest(),
      tags: item.tags ?? [],
      userId: tx.scope.userId,
      expiresAt: item.expiresAt ?? null,
      redactions: JSON.stringify(item.redactions ?? []),
      occurredAt: item.occurredAt ?? null,
    },
  );
  if (row === undefined) throw new Error('the import was not inserted');
  for (const [part, content] of partsOf(item.content).entries()) {
    await tx.query(
      `insert into memory.import_payload (team_id, layer_id, import_id, part, content) values ($1, $2, $3, $4, $5)`,
      [tx.scope.teamId, item.layerId, item.id, part, content],
    );
  }
  return toImport(row);
}

/** Divides a file into the parts in which it is stored. An empty file has one part. */
function partsOf(content: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let start = 0; start === 0 || start < content.byteLength; start += PART_BYTES) {
    parts.push(content.subarray(start, start + PART_BYTES));
  }
  return parts;
}

/** Lists imports within the scope, newest first: all, or those in a state. */
export async function listImports(
  tx: TeamTransaction,
  part: ListPart,
  state: Import['state'] | null,
): Promise<Import[]> {
  const rows = await queryList<ImportRow>(
    tx,
    part,
    `select ${IMPORT_COLUMNS} from memory.import i
      where ${inScope('i')} and ($3::text is null or i.state = $3) and ($after::uuid is null or i.id < $after)
      order by i.id desc limit $limit`,
    {},
    [...scopeValues(tx.scope), state],
  );
  return rows.map(toImport);
}

/** What a run of an import needs. */
export interface StartedImport {
  filename: string;
  title: string;
  tags: string[];
  occurredAt: Moment | null;
  expiresAt: Date | null;
  mediaType: string;
  /** Null: the file was deleted, so the run fails. */
  content: Buffer | null;
  /** The number of this run, from 1. */
  attempts: number;
  /** What was found when it was accepted, and in earlier runs. */
  redactions: Redaction[];
}

/** Marks an import as running and counts the run. Null: nothing to do, because it has ended or was cancelled. */
export async function startImport(tx: TeamTransaction, id: string): Promise<StartedImport | null> {
  const [row] = await tx.query<StartedImport & { lastPart: number | null }>(
    `update memory.import i set state = 'running', attempts = i.attempts + 1, progress_stage = 'reading', progress_percent = 0,
            updated_at = now()
      where i.team_id = $1 and i.id = $2 and i.state in ('queued', 'running')
      returning i.filename, i.title, i.tags, ${occurredAt('i')}, i.expires_at as "expiresAt", i.media_type as "mediaType", i.attempts,
        i.redactions,
        (select p.content from memory.import_payload p
          where p.team_id = i.team_id and p.import_id = i.id and p.part = 0) as content,
        (select max(p.part) from memory.import_payload p
          where p.team_id = i.team_id and p.import_id = i.id) as "lastPart"`,
    [tx.scope.teamId, id],
  );
  if (row === undefined) return null;
  const { content, lastPart, ...started } = row;
  if (content === null || lastPart === null) return { ...started, content: null };
  const parts = [content];
  for (let part = 1; part <= lastPart; part += 1) parts.push(await readPart(tx, id, part));
  return { ...started, content: parts.length === 1 ? content : Buffer.concat(parts) };
}

async function readPart(tx: TeamTransaction, id: string, part: number): Promise<Buffer> {
  const content = await findPart(tx, id, part);
  if (content === null) throw new Error(`part ${part} of the file of import ${id} is missing`);
  return content;
}

/** Returns a part of the file of an import, from 0; null after the last one, or if the file was deleted. */
export async function findPart(tx: TeamTransaction, id: string, part: number): Promise<Buffer | null> {
  const [row] = await tx.query<{ content: Buffer }>(
    'select content from memory.import_payload where team_id = $1 and import_id = $2 and part = $3',
    [tx.scope.teamId, id, part],
  );
  return row?.content ?? null;
}

/** Stores the progress of a run. Has no effect if the import has ended or another run has begun. */
export async function recordProgress(
  tx: TeamTransaction,
  id: string,
  { stage, percent, attempt }: { stage: ImportStage; percent: number; attempt: number },
): Promise<void> {
  await tx.query(
    `update memory.import set progress_stage = $3, progress_percent = $4
      where team_id = $1 and id = $2 and state = 'running' and attempts = $5`,
    [tx.scope.teamId, id, stage, percent, attempt],
  );
}

/**
 * Returns a running import to `queued`, for the next run. Has no effect if another run has begun.
 * @param isCounted whether the run counts. If not, the next run gets its number, so nothing of it can be written later
 */
export async function undoImportStart(
  tx: TeamTransaction,
  id: string,
  attempt: number,
  { isCounted }: { isCounted: boolean },
): Promise<void> {
  await tx.query(
    `update memory.import set state = 'queued', attempts = attempts - $4, ${NO_PROGRESS}, updated_at = now()
      where team_id = $1 and id = $2 and state = 'running' and attempts = $3`,
    [tx.scope.teamId, id, attempt, isCounted ? 0 : 1],
  );
}

/** What an import that is completed tells. */
interface ImportResult {
  sourceId: string;
  /** The near duplicates of its source. */
  similarSources: readonly SimilarSource[];
  unread: readonly Unread[];
  encoding: string | null;
  redactions: readonly Redaction[];
}

/** Marks an import as completed and deletes its file. False if it has already ended or was cancelled. */
export async function completeImport(
  tx: TeamTransaction,
  id: string,
  { sourceId, similarSources, unread, encoding, redactions }: ImportResult,
): Promise<boolean> {
  const rows = await tx.query(
    `with gone as (delete from memory.import_payload where team_id = $1 and import_id = $2)
     update memory.import set state = 'completed', source_id = $3, near_duplicates = $4, redactions = $5, unread = $6, encoding = $7,
            error_code = null, error_message = null, payload_pruned_at = now(), ${NO_PROGRESS}, updated_at = now()
      where team_id = $1 and id = $2 and state in ('queued', 'running') returning id`,
    [
      tx.scope.teamId,
      id,
      sourceId,
      // Without titles, which can change.
      JSON.stringify(
        similarSources.map(({ sourceId: other, similarity }) => ({ sourceId: other, similarity })),
      ),
      JSON.stringify(redactions),
      JSON.stringify(unread),
      encoding,
    ],
  );
  return rows.length === 1;
}

/**
 * Marks an import as failed, with a code and a sentence that a person can act on. Its file is kept for a retry. If it
 * has no file, the import is marked as pruned.
 * @param error with `redactions`, the file had credentials that are not to be stored: it is deleted
 */
export async function failImport(
  tx: TeamTransaction,
  id: string,
  error: { code: string; message: string; redactions?: readonly Redaction[] },
): Promise<boolean> {
  const rows = await tx.query(
    `with gone as (
       delete from memory.import_payload p using memory.import i
        where i.team_id = $1 and i.id = $2 and i.state in ('queued', 'running') and $5::jsonb is not null
          and p.team_id = i.team_id and p.import_id = i.id)
     update memory.import i set state = 'failed', error_code = $3, error_message = $4, ${NO_PROGRESS}, updated_at = now(),
            redactions = coalesce($5::jsonb, i.redactions),
            payload_pruned_at = case when $5::jsonb is not null or not exists (
              select from memory.import_payload p where p.team_id = i.team_id and p.import_id = i.id) then now() end
      where i.team_id = $1 and i.id = $2 and i.state in ('queued', 'running') returning i.id`,
    [
      tx.scope.teamId,
      id,
      error.code,
      error.message,
      error.redactions === undefined ? null : JSON.stringify(error.redactions),
    ],
  );
  return rows.length === 1;
}

/** Finds an import within the scope, or null. */
export async function findImport(tx: TeamTransaction, id: string): Promise<Import | null> {
  const [row] = await tx.query<ImportRow>(
    `select ${IMPORT_COLUMNS} from memory.import i where i.id = $3 and ${inScope('i')}`,
    [...scopeValues(tx.scope), id],
  );
  return row === undefined ? null : toImport(row);
}

/** Returns those of these imports that are within the scope. */
export async function findImports(tx: TeamTransaction, ids: readonly string[]): Promise<Import[]> {
  const rows = await tx.query<ImportRow>(
    `select ${IMPORT_COLUMNS} from memory.import i where ${inScope('i')} and i.id = any ($3::uuid[])`,
    [...scopeValues(tx.scope), ids],
  );
  return rows.map(toImport);
}

/** Locks those of these imports that belong to the layers, until the transaction ends. */
export async function lockImports(
  tx: TeamTransaction,
  layers: Layers,
  ids: readonly string[],
): Promise<Import[]> {
  const rows = await tx.query<ImportRow>(
    `select ${IMPORT_COLUMNS} from memory.import i
      where i.team_id = $1 and i.layer_id = any ($2::uuid[])
        and i.id = any ($3::uuid[])
      -- Ordered, to prevent a deadlock between two requests.
      order by i.id for update`,
    [tx.scope.teamId, layers, ids],
  );
  return rows.map(toImport);
}

/** Which failed imports to retry: these ids, or all in these layers, of all authors or of one. */
export interface FailedImports {
  layers: Layers;
  ids: readonly string[] | null;
  author: string | null;
  /** At most `limit` imports after an id. */
  part: ListPart;
}

/** Changes failed imports that still have their file back to queued. Returns them, oldest first. */
export async function requeueFailedImports(tx: TeamTransaction, which: FailedImports): Promise<Import[]> {
  const rows = await tx.query<ImportRow>(
    `with failed as (
       select f.id from memory.import f
        where f.team_id = $1 and f.layer_id = any ($2::uuid[])
          and f.state = 'failed' and f.payload_pruned_at is null
          and ($3::uuid[] is null or f.id = any ($3)) and ($4::uuid is null or f.created_by = $4)
          and ($5::uuid is null or f.id > $5)
        -- In the same order as lockImports.
        order by f.id limit $6 for update
     ), i as (
       update memory.import i set state = 'queued', ${NO_PROGRESS}, updated_at = now()
         from failed where i.team_id = $1 and i.id = failed.id
       returning i.*
     )
     select ${IMPORT_COLUMNS} from i order by i.id`,
    [tx.scope.teamId, which.layers, which.ids, which.author, which.part.after, which.part.limit],
  );
  return rows.map(toImport);
}

/** Cancels a queued import and deletes its file. Its job, which is still in the queue, then finds nothing to do. */
export async function cancelImport(tx: TeamTransaction, id: string): Promise<void> {
  await tx.query(
    `with gone as (delete from memory.import_payload where team_id = $1 and import_id = $2)
     update memory.import set state = 'cancelled', payload_pruned_at = now(), updated_at = now()
      where team_id = $1 and id = $2 and state = 'queued'`,
    [tx.scope.teamId, id],
  );
}

/** Deletes an import that has ended, with its file. Its audit events are kept. */
export async function deleteImport(tx: TeamTransaction, id: string): Promise<void> {
  await tx.query('delete from memory.import where team_id = $1 and id = $2', [tx.scope.teamId, id]);
}
