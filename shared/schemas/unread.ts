import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { UNREAD_REASONS } from '../formats/unread-words.ts';
import { OneOf } from './common.ts';

/* What could not be read of a file whose other text was stored. */

/** The most entries of one file. */
export const MAX_UNREAD = 50;
/** The most names of one entry. If there are more, the last one says how many: `and 4,321 more`. */
export const MAX_UNREAD_NAMES = 1000;
/** The longest name, in UTF-16 code units. */
export const MAX_UNREAD_NAME = 200;

const Kind = OneOf(['page', 'sheet', 'part', 'attachment']);

/** Pieces of a file of one kind that were not read for one reason. */
export const Unread = Type.Object(
  {
    kind: Kind,
    names: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
      description:
        'which of them: their numbers, from 1, or their names. At most 1,000; if there are more, the last one is a text ' +
        'such as `and 4,321 more`',
    }),
    reason: Type.String({
      description: `a code: ${Object.entries(UNREAD_REASONS)
        .map(([code, words]) => `\`${code}\` (${words})`)
        .join(', ')}. Later versions can have more`,
    }),
  },
  { examples: [{ kind: 'page', names: [2, 5, 6, 7], reason: 'no_text' }] },
);
export type Unread = Static<typeof Unread>;

/**
 * All that was not read of a file. It has a default for answers that an earlier version stored for a repeat of the request:
 * an answer without a required field cannot be sent.
 */
export const UnreadPieces = Type.Array(Unread, {
  default: [],
  description:
    'what could not be read of the file; empty if all of it was read, and before the import is completed',
});

const BoundedUnread = Type.Array(
  Type.Object(
    {
      kind: Kind,
      names: Type.Array(Type.Union([Type.String({ maxLength: MAX_UNREAD_NAME }), Type.Integer()]), {
        minItems: 1,
        maxItems: MAX_UNREAD_NAMES,
      }),
      reason: Type.String({ pattern: '^[a-z][a-z0-9_]{0,49}$' }),
    },
    { additionalProperties: false },
  ),
  { maxItems: MAX_UNREAD },
);

/**
 * What was not read, if it is within the bounds; otherwise nothing. It comes from the process that read the file, which the
 * file can have taken over.
 */
export function storedUnread(given: unknown): Unread[] {
  return Value.Check(BoundedUnread, given) ? given : [];
}
