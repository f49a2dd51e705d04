import { posix } from 'node:path';
import { type Extraction, type Extractor, FileFault } from '../../extraction.ts';
import { extractHtml } from '../../html.ts';
import { extractSavedPage } from '../../mail/saved-page.ts';
import { extractPlainText } from '../../plain-text.ts';
import { type Block, TextBudget } from '../../text.ts';
import { reasonOf, type UnreadParts } from '../../unread-parts.ts';
import { readChart } from '../charts.ts';
import type { Relation } from '../package.ts';
import { extractRtf } from '../rtf.ts';
import { readShown } from '../slides/shown.ts';
import type { ZipArchive } from '../zip-archive.ts';

/** What a part of a document shows, at each place that refers to it. */
export interface Embedded {
  blocks: readonly Block[];
  /** How much text that is, about, in characters. */
  length: number;
}

/** What the parts of a document are read with. */
export interface EmbeddedContext {
  archive: ZipArchive;
  unread: UnreadParts;
  budget: TextBudget;
  /** Reads a document within this one; null if it is within too many others. */
  readDocument: Extractor | null;
}

/** A header of MIME, with which a web page in one file begins. */
const MIME_HEADER =
  /^\s{0,100}(?:[\w-]{1,40}: ?[^\n]{0,900}\n)?(?:MIME-Version|Content-Type|From|Subject|Date) ?:/i;
const START_LENGTH = 2_000;

/** The reader of a text in another format; null if the format is not read. */
function readerOf(content: Uint8Array, part: string, { readDocument }: EmbeddedContext): Extractor | null {
  const start = Buffer.from(content.subarray(0, START_LENGTH))
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '');
  const extension = posix.extname(part).toLowerCase();
  if (start.startsWith('PK')) return /^\.(?:xls|ppt)[xm]$/.test(extension) ? null : readDocument;
  if (start.trimStart().startsWith('{\\rtf')) return extractRtf;
  if (/^\.(?:mht|mhtml|eml)$/.test(extension) || MIME_HEADER.test(start)) return extractSavedPage;
  if (/^\.(?:html?|xhtml)$/.test(extension) || start.trimStart().startsWith('<')) return extractHtml;
  return extension === '.txt' ? extractPlainText : null;
}

/** Reads a text in another format that is a part of the document. Null if it cannot be read. */
async function readChunk(part: string, context: EmbeddedContext): Promise<Block[] | null> {
  const content = (await context.archive.read(part)) ?? new Uint8Array();
  const read = readerOf(content, part, context);
  if (read === null) return null;
  const { parts, unread = [] }: Extraction = await read(content, () => undefined, posix.basename(part));
  context.unread.addAll(unread);
  const kind = read === extractPlainText ? 'paragraph' : 'markdown';
  return parts.map(({ text }) => ({ kind, text }));
}

async function readPart({ type, target }: Relation, context: EmbeddedContext): Promise<Block[] | null> {
  if (type === 'chart') return readChart(context.archive, target);
  if (type === 'aFChunk') return readChunk(target, context);
  const { title, blocks } = await readShown(context.archive, target);
  return [{ kind: 'paragraph', text: title }, ...blocks];
}

/** Blocks, rows and cells without text count too: each takes time wherever the document refers to them. */
const lengthOf = (block: Block) =>
  block.kind === 'table'
    ? block.rows.reduce((sum, row) => row.reduce((width, cell) => width + cell.length + 3, sum + 1), 1)
    : block.text.length + 1;

const TYPES = new Set(['aFChunk', 'chart', 'diagramData']);

/**
 * Reads the charts, diagrams and texts in other formats that a document refers to: their blocks, by the identifiers of their
 * relations. What cannot be read is named in `unread`.
 * @throws FileFault of the archive, and `too_many_chunks`, also for parts that the text does not refer to: all of them are in
 * memory together
 */
export async function readEmbedded(
  relations: readonly Relation[],
  context: EmbeddedContext,
): Promise<Map<string, Embedded>> {
  const byPart = new Map<string, Embedded>();
  const byRelation = new Map<string, Embedded>();
  const inMemory = new TextBudget();
  for (const relation of relations) {
    const { id, type, target } = relation;
    if (!TYPES.has(type) || !context.archive.names.has(target)) continue;
    let embedded = byPart.get(target);
    if (embedded === undefined) {
      const blocks = await readOrName(relation, context);
      embedded = { blocks, length: blocks.reduce((sum, block) => sum + lengthOf(block), 0) };
      inMemory.addText(embedded.length);
      byPart.set(target, embedded);
    }
    byRelation.set(id, embedded);
  }
  return byRelation;
}

/** Faults of one part, without which the rest of the document can be read. */
const FAULTS_OF_DOCUMENT = new Set(['too_many_chunks', 'zip_bomb']);

async function readOrName(relation: Relation, context: EmbeddedContext): Promise<Block[]> {
  const { unread } = context;
  try {
    const blocks = await readPart(relation, context);
    if (blocks !== null) return blocks;
    unread.add(posix.basename(relation.target), 'not_read');
  } catch (error) {
    if (!(error instanceof FileFault) || FAULTS_OF_DOCUMENT.has(error.code)) throw error;
    unread.add(posix.basename(relation.target), reasonOf(error));
  }
  return [];
}
