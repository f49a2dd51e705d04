import { type Static, Type } from 'typebox';
import {
  Body,
  CreatedWith,
  ExpiresAt,
  Id,
  LayerKind,
  Name,
  Nullable,
  OneOf,
  occurrence,
  PageQuery,
  Redactions,
  StoredOccurrence,
  Time,
  WriteScope,
} from './common.ts';
import { SimilarSources, Tags } from './sources.ts';
import { TextEncoding } from './text-encoding.ts';
import { UnreadPieces } from './unread.ts';

/** The most credentials that the record of an import keeps: a list of imports has up to 200 records. */
export const MAX_KEPT_REDACTIONS = 100;

/** The most files in one import request. */
export const MAX_IMPORTS_PER_REQUEST = 50;
/** The most imports in one retry request. */
export const MAX_RETRIED_IMPORTS_PER_REQUEST = 200;

export const ImportRequest = Body({
  items: Type.Array(
    Body({
      filename: Name,
      title: Type.Optional(Name),
      mediaType: Type.Optional(Type.String({ maxLength: 300 })),
      text: Type.Optional(Type.String()),
      contentBase64: Type.Optional(Type.String()),
      tags: Type.Optional(Tags),
      occurredAt: Type.Optional(
        occurrence(
          'when it happened: a time, or a day such as 2026-03-01. Without it, or with null, the date that the document ' +
            'itself contains',
        ),
      ),
      expiresAt: Type.Optional(ExpiresAt),
    }),
    { minItems: 1, maxItems: MAX_IMPORTS_PER_REQUEST },
  ),
  scope: Type.Optional(WriteScope),
});
export type ImportRequest = Static<typeof ImportRequest>;

export const IMPORT_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
/** The stages of a run, in order. */
export const IMPORT_STAGES = ['reading', 'cutting', 'storing'] as const;
export type ImportStage = (typeof IMPORT_STAGES)[number];

const Progress = Type.Object({
  stage: OneOf([...IMPORT_STAGES]),
  percent: Type.Integer({ description: 'progress within the stage, 0–100' }),
});

export const Import = Type.Object({
  id: Id,
  filename: Type.String(),
  title: Type.String(),
  mediaType: Type.String(),
  bytes: Type.Integer(),
  sha256: Nullable(Type.String({ description: 'SHA-256 of the file, hexadecimal' })),
  layer: LayerKind,
  clientId: Nullable(Id),
  state: OneOf([...IMPORT_STATES]),
  progress: Nullable(Progress, 'progress of the current run; null if no worker runs the import'),
  attempts: Type.Integer({ description: 'number of runs so far, except those that the service released' }),
  error: Nullable(
    Type.Object({ code: Type.String(), message: Type.String() }),
    'error of the last failed run; null again after a run completes',
  ),
  payloadPrunedAt: Nullable(
    Time,
    'when the stored file was deleted; after that the import cannot be retried',
  ),
  sourceId: Nullable(Id),
  occurredAt: { ...StoredOccurrence, description: 'when it happened, as the request said; null: not given' },
  expiresAt: Nullable(Time, 'expiry that was asked for its source; null: never'),
  similarSources: SimilarSources,
  unread: UnreadPieces,
  encoding: TextEncoding,
  sameAs: Type.Optional(
    Type.Object(
      { sourceId: Id, title: Type.String() },
      { description: 'the first source of the layer with the same text, if there is an earlier one' },
    ),
  ),
  redactions: Type.Optional({
    ...Redactions,
    description: `credentials that were found in the file (\`/text\`) and in its filename, title and tags, at most ${MAX_KEPT_REDACTIONS}`,
  }),
  createdBy: Id,
  createdWith: CreatedWith,
  createdAt: Time,
  updatedAt: Time,
});
export type Import = Static<typeof Import>;

export const ImportQuery = Type.Object(
  { ...PageQuery, state: Type.Optional(Type.String()), clientId: Type.Optional(Type.String()) },
  { additionalProperties: false },
);
export const ImportResponse = Type.Object({
  imports: Type.Array(Import),
  redactions: Type.Optional(Redactions),
});

/** The failed imports to run again: those with these ids, or all that the caller is allowed to retry. */
export const RetryRequest = Body({
  ids: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, maxItems: MAX_RETRIED_IMPORTS_PER_REQUEST, uniqueItems: true }),
  ),
  all: Type.Optional(Type.Literal(true)),
});
export type RetryRequest = Static<typeof RetryRequest>;
