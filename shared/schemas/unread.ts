import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { OneOf } from './common.ts';

/* What could not be read of a file whose other text was stored. */

/** Why a piece of a file was not read, in words, by its code. A reader can give a further code. */
export const UNREAD_REASONS = {
  no_text: 'no text: pictures or blank',
  no_letters: 'its fonts do not say which letters they show',
  damaged: 'damaged',
  locked: 'locked with a password, or encrypted',
  not_read: 'not read',
  left_out: 'left out: hidden, or not the content',
};

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

/**
 * What was not read, in words: `pages 2, 5-7 (no text: pictures or blank); attachment budget.xlsx (not read)`. Each list is
 * cut after ten of its numbers, ranges or names. The console runs it too, so it needs nothing but its argument and
 * `UNREAD_REASONS`.
 * @returns an empty text if all was read
 */
export function unreadWords(unread: readonly Unread[]): string {
  const most = 10;
  const reasons: Readonly<Record<string, string>> = UNREAD_REASONS;
  const parts = unread.slice(0, most).map(({ kind, names, reason }) => {
    const runs: { first: string | number; last: string | number; count: number }[] = [];
    for (const name of names) {
      const run = runs.at(-1);
      if (typeof name === 'number' && typeof run?.last === 'number' && name === run.last + 1) {
        run.last = name;
        run.count += 1;
      } else runs.push({ first: name, last: name, count: 1 });
    }
    const shown = runs.slice(0, most);
    const texts = shown.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`));
    const left = names.length - shown.reduce((sum, { count }) => sum + count, 0);
    // The last name can itself say how many there are besides.
    const [, besides] = /^and ([\d,]+) more$/.exec(String(names.at(-1))) ?? [];
    const more = left > 0 && besides !== undefined ? left - 1 + Number(besides.replaceAll(',', '')) : left;
    const list = `${texts.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
    return `${kind}${names.length === 1 ? '' : 's'} ${list} (${reasons[reason] ?? reason.replaceAll('_', ' ')})`;
  });
  return [...parts, ...(unread.length > most ? [`and ${unread.length - most} more`] : [])].join('; ');
}

/**
 * What was not read, as a sentence without a full stop: `Not read: pages 2, 5-7 (no text: pictures or blank)`. The console
 * runs it too.
 * @returns an empty text if all was read
 */
export function unreadLine(unread: readonly Unread[]): string {
  const words = unreadWords(unread);
  return words === '' ? '' : `Not read: ${words}`;
}
