import { type Static, Type } from 'typebox';
import { Id, OneOf, Time } from './common.ts';

/** A text that a memory had, and its changes against the text before it. */
export const MemoryVersion = Type.Object({
  version: Type.Integer({ description: 'the version of the memory that first had this text' }),
  title: Type.String(),
  content: Type.String(),
  actorId: Id,
  createdAt: Time,
  changes: Type.Array(
    Type.Object({
      op: OneOf(['equal', 'insert', 'delete']),
      text: Type.String(),
    }),
    {
      description:
        'of the content by words, against the version before. If too many words differ, the whole content is deleted and inserted',
    },
  ),
});
export type MemoryVersion = Static<typeof MemoryVersion>;
