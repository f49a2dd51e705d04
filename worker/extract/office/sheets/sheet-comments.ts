import { relationsOf } from '../package/ooxml.ts';
import { readXml, type XmlHandler } from '../package/xml-events.ts';
import type { ZipArchive } from '../package/zip-archive.ts';
import { parseReference } from './cell-reference.ts';
import { unescapeText } from './workbook.ts';

/** The comments of a sheet by the number of their row, in order. */
export type Comments = Map<number, string[]>;

/** The line of a comment in the text of its row. */
export const commentLine = (cell: string, text: string) => `Comment on ${cell}: ${text.trim()}`;

/** How the two kinds of comments are written: an element for each, with its text in elements of another name. */
const KINDS = [
  { type: 'threadedComment', element: 'threadedComment', text: 'text' },
  { type: 'comments', element: 'comment', text: 't' },
];

/** Reads the comments of a sheet: those in threads, and the older notes. */
export async function readComments(archive: ZipArchive, sheet: string): Promise<Comments> {
  const comments: Comments = new Map();
  const relations = await relationsOf(archive, sheet);
  /** The cells with comments of the kinds that were read: a note repeats a thread for older programs. */
  const commented = new Set<string>();
  for (const kind of KINDS) {
    const cells: string[] = [];
    let [cell, text, isText, phonetic] = ['', '', false, false];
    const handler: XmlHandler = {
      open: (name, attributes) => {
        if (name === kind.element) [cell, text] = [attributes.ref ?? '', ''];
        else if (name === 'rPh') phonetic = true;
        else if (name === kind.text) isText = !phonetic;
      },
      text: (piece) => {
        if (isText) text += piece;
      },
      close: (name) => {
        if (name === kind.text) isText = false;
        else if (name === 'rPh') phonetic = false;
        if (name !== kind.element || text.trim() === '' || commented.has(cell)) return;
        const { row } = parseReference(cell);
        const ofRow = comments.get(row) ?? [];
        ofRow.push(commentLine(cell, unescapeText(text)));
        comments.set(row, ofRow);
        cells.push(cell);
      },
    };
    const targets = relations.filter(({ type }) => type === kind.type).map(({ target }) => target);
    for (const target of new Set(targets)) await readXml(archive, target, handler);
    for (const each of cells) commented.add(each);
  }
  return new Map([...comments].sort(([one], [other]) => one - other));
}
