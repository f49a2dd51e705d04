import { type Static, Type } from 'typebox';
import { Body, Id, Name, Nullable, OneOf, Time } from './common.ts';
import { Layer, WriteScope } from './memory.ts';

/** Files that one request may bring, and imports that one may name. */
export const IMPORTS_A_REQUEST = 50;
export const RETRIES_A_REQUEST = 200;

export const ImportRequest = Body({
  items: Type.Array(
    Body({
      filename: Name,
      title: Type.Optional(Name),
      mediaType: Type.Optional(Type.String({ maxLength: 300 })),
      text: Type.Optional(Type.String()),
      contentBase64: Type.Optional(Type.String()),
    }),
    { minItems: 1, maxItems: IMPORTS_A_REQUEST },
  ),
  scope: Type.Optional(WriteScope),
});
export type ImportRequest = Static<typeof ImportRequest>;

export const IMPORT_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
/** What a run does first, second and last. */
export const IMPORT_STAGES = ['reading', 'cutting', 'storing'] as const;
export type ImportStage = (typeof IMPORT_STAGES)[number];

const Progress = Type.Object({
  stage: OneOf([...IMPORT_STAGES]),
  percent: Type.Integer({ description: 'of the stage, 0–100' }),
});

export const Import = Type.Object({
  id: Id,
  filename: Type.String(),
  title: Type.String(),
  mediaType: Type.String(),
  bytes: Type.Integer(),
  sha256: Nullable(Type.String({ description: 'of the file, in hexadecimal' })),
  layer: Layer,
  clientId: Nullable(Id),
  state: OneOf([...IMPORT_STATES]),
  progress: Nullable(Progress, 'of the run, while one is under way'),
  attempts: Type.Integer({ description: 'every run' }),
  error: Nullable(
    Type.Object({ code: Type.String(), message: Type.String() }),
    'why the last run that failed did; kept until one completes',
  ),
  payloadPrunedAt: Nullable(Time, 'when the file was let go; without it there is no retry'),
  sourceId: Nullable(Id),
  createdBy: Id,
  createdAt: Time,
  updatedAt: Time,
});
export type Import = Static<typeof Import>;
export const ImportResponse = Type.Object({ imports: Type.Array(Import) });

/** Which failed imports to run again: these, or all that the caller may. */
export const RetryRequest = Body({
  ids: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, maxItems: RETRIES_A_REQUEST, uniqueItems: true }),
  ),
  all: Type.Optional(Type.Literal(true)),
});
export type RetryRequest = Static<typeof RetryRequest>;
