import { type Static, Type } from 'typebox';
import {
  Body,
  CreatedWith,
  Id,
  LayerKind,
  Metadata,
  Name,
  Nullable,
  OccurredAt,
  OneOf,
  PageQuery,
  Redactions,
  StoredOccurrence,
  Text,
  Time,
  WriteScope,
} from './common.ts';

/** The longest text of a capture: what was learned, not the whole session. */
export const MAX_SUMMARY = 64_000;

/** The position of a capture within its session. */
export const Sequence = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'position within the session; a repeated number returns the capture that already has it',
});

export const CaptureRequest = Body({
  sessionId: Name,
  summary: Text(MAX_SUMMARY),
  sequence: Type.Optional(Sequence),
  scope: Type.Optional(WriteScope),
  startedAt: Type.Optional(Time),
  endedAt: Type.Optional(Time),
  occurredAt: Type.Optional(OccurredAt),
  metadata: Type.Optional(Metadata),
});

export type CaptureRequest = Static<typeof CaptureRequest>;

export const Capture = Type.Object({
  id: Id,
  state: OneOf(['staged', 'claimed', 'completed']),
  sessionId: Type.String(),
  sequence: Nullable(Type.Integer()),
  summary: Type.String(),
  layer: LayerKind,
  clientId: Nullable(Id),
  startedAt: Nullable(Time),
  endedAt: Nullable(Time),
  occurredAt: StoredOccurrence,
  metadata: Metadata,
  createdBy: Id,
  createdWith: CreatedWith,
  createdAt: Time,
});

export type Capture = Static<typeof Capture>;

/** A capture in a list. */
export const ListedCapture = Type.Object({
  ...Capture.properties,
  summary: Nullable(
    Type.String(),
    'null in a capture of another person, unless a memory in review or a published memory refers to it',
  ),
  memoryIds: Type.Optional(
    Type.Array(Id, {
      description:
        'the memories made of it that the caller can read: published ones, with Full access in every state. Absent without any',
    }),
  ),
});

export type ListedCapture = Static<typeof ListedCapture>;

export const CaptureQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(Capture.properties.state),
    sessionId: Type.Optional(Name),
  },
  { additionalProperties: false },
);

export const CaptureResponse = Type.Object({ capture: Capture, redactions: Type.Optional(Redactions) });

export type CaptureResponse = Static<typeof CaptureResponse>;
