import type { Chunk } from '../../shared/schemas/memory.ts';
import { splitCharacters } from '../../shared/text/characters.ts';

type Passage = Pick<Chunk, 'ordinal' | 'text' | 'repeated'>;

/** Between chunks that follow each other: only white space was lost there. */
const JOINT = '\n\n';
/** Between chunks that do not follow each other. */
export const GAP = '\n\n[…]\n\n';

/** Merges passages of one source into one text, in the order of the document. Neighbours are joined without a mark. */
export function mergePassages(passages: readonly Passage[]): string {
  const ordered = passages.toSorted((a, b) => a.ordinal - b.ordinal);
  return ordered
    .map((passage, index) => {
      const before = ordered[index - 1];
      if (before === undefined) return passage.text;
      if (before.ordinal + 1 !== passage.ordinal) return `${GAP}${passage.text}`;
      const { joint, text } = continuation(passage);
      return `${joint}${text}`;
    })
    .join('');
}

/**
 * A chunk as it continues the one before it: its text without the heading row of a table that it repeats, and what is
 * between the two. A table goes on with the next row, or with the rest of a row.
 */
export function continuation({ text, repeated = 0 }: Pick<Chunk, 'text' | 'repeated'>): {
  joint: string;
  text: string;
} {
  const [heading, own] = splitCharacters(text, repeated);
  if (heading === '') return { joint: JOINT, text: own };
  return { joint: heading.endsWith('\n') ? '\n' : ' ', text: own };
}
