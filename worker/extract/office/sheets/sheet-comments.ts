import { relationsOf } from '../package/ooxml.ts';
import { readXml } from '../package/xml-events.ts';
import type { ZipArchive } from '../package/zip-archive.ts';
import { parseReference } from './cell-reference.ts';

/** The comments of a sheet by the number of their row, in order. */
export type Comments = Map<number, string[]>;

/** The line of a comment in the text of its row. */
export const commentLine = (cell: string, text: string) => `Comment on ${cell}: ${text.trim()}`;

/** How the two kinds of comments are written: an element for each, with its text in elements of another name. */
const KINDS = [
  // The older kind repeats the newer one, for programs that do not know it.
  { type: 'threadedComment', element: 'threadedComment', text: 'text' },
  { type: 'comments', element: 'comment', text: 't' },
];

/** Reads the comments of a sheet. */
export async function readComments(archive: ZipArchive, sheet: string): Promise<Comments> {
  const comments: Comments = new Map();
  const relations = await relationsOf(archive, sheet);
  const kind = KINDS.find(({ type }) => relations.some((each) => each.type === type));
  if (kind === undefined) return comments;
  let [cell, text, isText] = ['', '', false];
  for (const { type, target } of relations) {
    if (type !== kind.type) continue;
    await readXml(archive, target, {
      open: (name, attributes) => {
        if (name === kind.element) [cell, text] = [attributes.ref ?? '', ''];
        else if (name === kind.text) isText = true;
      },
      text: (piece) => {
        if (isText) text += piece;
      },
      close: (name) => {
        if (name === kind.text) isText = false;
        if (name !== kind.element || text.trim() === '') return;
        const { row } = parseReference(cell);
        const ofRow = comments.get(row) ?? [];
        ofRow.push(commentLine(cell, text));
        comments.set(row, ofRow);
      },
    });
  }
  return new Map([...comments].sort(([one], [other]) => one - other));
}
