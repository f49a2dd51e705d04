import type { Attributes } from './xml-events.ts';

/** A longer run of spaces has no meaning in a text. */
const MAX_SPACES = 100;
const WHITE_SPACE = /[\t\n\r ]+/g;

/** The characters that an element of OpenDocument stands for within a paragraph; null for other elements. */
export function charactersOf(name: string, attributes: Attributes): string | null {
  if (name === 'text:s')
    return ' '.repeat(Math.min(MAX_SPACES, Math.max(1, Number(attributes['text:c'] ?? 1) || 1)));
  if (name === 'text:tab') return '\t';
  return name === 'text:line-break' ? '\n' : null;
}

/** The text of a piece of a paragraph: white space in the file counts as one space. */
export const collapsed = (piece: string) => piece.replace(WHITE_SPACE, ' ');
