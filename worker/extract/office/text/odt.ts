import type { Extractor } from '../../extraction.ts';
import { toMarkdown } from '../../text/markdown-blocks.ts';
import { CONTENT, openDocument, readMeta } from '../package/odf.ts';
import { readXml } from '../package/xml-events.ts';
import { OpenDocumentReader } from './odf-reader.ts';

/** Text documents of OpenDocument: one part, because where a page ends is decided only when it is printed. */
export const extractOdt: Extractor = async (content, report) => {
  const archive = await openDocument(content, 'ODT');
  const properties = await readMeta(archive);
  const reader = new OpenDocumentReader();
  await readXml(archive, CONTENT, reader, { prefixes: true, onPiece: report });
  return { ...properties, parts: [{ text: toMarkdown(reader.takeBlocks()), place: null }] };
};
