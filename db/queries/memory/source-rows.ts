import type { Moment } from '../../../shared/formats/times.ts';
import type { CreatedWith } from '../../../shared/schemas/common.ts';
import type { Original, Source } from '../../../shared/schemas/memory.ts';
import { createdWith } from '../fragments/created-with.ts';
import { isActive, stateNow } from '../fragments/expiry.ts';
import { clientColumn, layerKind, wireTime } from '../fragments/layers.ts';
import { occurredAt } from '../fragments/occurred.ts';
import { SAME_AS } from '../fragments/same-text.ts';
import { type StoredUse, sourceUse, toUse } from '../fragments/source-use.ts';

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
  ${SAME_AS} as "sameAs", ${occurredAt('s')}, s.expires_at as "expiresAt", ${ORIGINAL} as original,
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
