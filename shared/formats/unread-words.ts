/** Pieces of a file of one kind that were not read for one reason. */
interface Unread {
  kind: string;
  names: readonly (string | number)[];
  reason: string;
}

/** Why a piece of a file was not read, in words, by its code. A reader can give a further code. */
export const UNREAD_REASONS = {
  no_text: 'no text: pictures or blank',
  no_letters: 'its fonts do not say which letters they show',
  damaged: 'damaged',
  locked: 'locked with a password, or encrypted',
  not_read: 'not read',
  left_out: 'left out: hidden, or not the content',
};

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
