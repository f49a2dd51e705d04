import { type Static, Type } from 'typebox';
import { Body, CreatedWith, Id, Nullable, OneOf, Redactions, Text, Time } from './common.ts';

/** The longest note of feedback. */
export const MAX_FEEDBACK_NOTE = 1000;

export const VERDICTS = ['useful', 'wrong', 'outdated'] as const;
export const Verdict = OneOf([...VERDICTS]);
export type Verdict = Static<typeof Verdict>;

export const FeedbackRequest = Body({
  queryId: Type.String({ description: 'of the answer of your search' }),
  chunkId: Type.String({ description: 'the chunk_id of one of its hits, or of one of their passages' }),
  verdict: OneOf(
    [...VERDICTS],
    'wrong and outdated put the memory or the source into the list of memories in review',
  ),
  note: Type.Optional(Text(MAX_FEEDBACK_NOTE)),
});
export type FeedbackRequest = Static<typeof FeedbackRequest>;

export const Feedback = Type.Object({
  id: Id,
  queryId: Id,
  chunkId: Id,
  sourceId: Id,
  memoryId: Nullable(Id, 'the memory whose text the hit is; null for other sources'),
  verdict: Verdict,
  note: Nullable(Type.String()),
  createdBy: Id,
  createdWith: CreatedWith,
  createdAt: Time,
});
export type Feedback = Static<typeof Feedback>;
/** Stored feedback, and the credentials that were found in its note. */
export const GivenFeedback = Type.Object({ ...Feedback.properties, redactions: Redactions });
export type GivenFeedback = Static<typeof GivenFeedback>;

/** Feedback that waits for a decision, as a reviewer sees it. */
export const OpenFeedback = Type.Object({
  verdict: Verdict,
  note: Nullable(Type.String()),
  createdAt: Time,
  chunkId: Id,
  text: Type.String({ description: 'of the hit; empty if the text has been replaced since' }),
});
export type OpenFeedback = Static<typeof OpenFeedback>;
