import type { Chunk } from '../../shared/schemas/memory.ts';

type Passage = Pick<Chunk, 'ordinal' | 'text'>;

/** Between chunks that follow each other: only white space was lost there. */
export const JOINT = '\n\n';
/** Between chunks that do not follow each other. */
export const GAP = '\n\n[…]\n\n';

/** Merges passages of one source into one text, in the order of the document. Neighbours are joined without a mark. */
export function mergePassages(passages: readonly Passage[]): string {
  const ordered = passages.toSorted((a, b) => a.ordinal - b.ordinal);
  return ordered
    .map(({ ordinal, text }, index) => {
      const before = ordered[index - 1];
      if (before === undefined) return text;
      return `${before.ordinal + 1 === ordinal ? JOINT : GAP}${text}`;
    })
    .join('');
}
