import type { Unread } from '../../shared/schemas/unread.ts';
import { decodeText } from '../../worker/extract/encoding/decode.ts';
import type { Extractor } from '../../worker/extract/extraction.ts';

/*
 * An extractor of plain text that does not read all of a file: the first line of the file says what, as `unreadFile` writes
 * it. A file without such a line is read in full.
 */

const MARK = 'unread ';

/** A text file of which these pieces are not read. */
export const unreadFile = (unread: readonly Unread[], text: string) =>
  `${MARK}${JSON.stringify(unread)}\n${text}`;

/** A running worker that reads such files. */
export const PARTLY = { extractors: new URL(import.meta.url) };

const readPartly: Extractor = (content) => {
  const { text } = decodeText(content);
  const [first = '', ...lines] = text.split('\n');
  if (!first.startsWith(MARK)) return { title: null, parts: [{ text, place: null }] };
  const unread = JSON.parse(first.slice(MARK.length)) as Unread[];
  return { title: null, parts: [{ text: lines.join('\n'), place: null }], unread };
};

export const EXTRACTORS: Readonly<Record<string, () => Promise<Extractor>>> = {
  'text/plain': async () => readPartly,
};
