import { cutPieces, type Piece } from '../../shared/text/chunking.ts';

/** All pieces of a text at once. */
export function cutText(text: string): Piece[] {
  return [...cutPieces(text)].filter((piece) => piece !== null);
}
