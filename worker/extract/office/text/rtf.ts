import { type Extractor, FileFault } from '../../extraction.ts';
import { toMarkdown } from '../../text/markdown-blocks.ts';
import { oneLine } from '../../text/markdown-text.ts';
import { mismatchFault, refuseOle } from '../package/kinds.ts';
import { RtfReader } from './rtf-reader.ts';
import { rtfTokens } from './rtf-tokens.ts';

const START = '{\\rtf';
/** White space and a byte order mark can come before the start. */
const MAX_BEFORE_START = 100;

/** Rich text: one part with its headings, lists, tables, notes and comments. Pictures and objects are left out. */
export const extractRtf: Extractor = async (content) => {
  refuseOle(content, 'RTF');
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const start = bytes.subarray(0, MAX_BEFORE_START).indexOf(START);
  if (start < 0) throw mismatchFault('RTF', null);
  const reader = new RtfReader();
  for (const token of rtfTokens(bytes.subarray(start))) {
    reader.read(token);
    // What is after the last group is not text of the document.
    if (token.kind === 'close' && reader.isComplete) break;
  }
  if (!reader.isComplete) {
    throw new FileFault(
      'corrupt',
      'The file is damaged: it ends too early. Send it again from a copy that opens.',
    );
  }
  const { blocks, date } = reader.end();
  return {
    title: oneLine(reader.title) || null,
    date,
    parts: [{ text: toMarkdown(blocks), place: null }],
  };
};
