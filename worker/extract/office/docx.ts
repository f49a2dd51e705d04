import { posix } from 'node:path';
import type { Extractor, ReportProgress } from '../extraction.ts';
import { TextBudget, toMarkdown } from '../text.ts';
import { UnreadParts } from '../unread-parts.ts';
import { readEmbedded } from './docx/embedded.ts';
import { readNotes } from './docx/notes.ts';
import { Numbering, readNumbering } from './docx/numbering.ts';
import { type StoryContext, StoryReader } from './docx/story.ts';
import { readStyles, Styles } from './docx/styles.ts';
import {
  mismatchFault,
  type OfficePackage,
  openOffice,
  type Relation,
  readProperties,
  relationsOf,
} from './package.ts';
import { readXml } from './xml.ts';

/** Documents within documents are read down to this depth. */
const MAX_DEPTH = 3;

/** The path of the part of a type. Some programs leave out the relation. */
function partOf(relations: readonly Relation[], main: string, type: string): string {
  return (
    relations.find((each) => each.type === type)?.target ?? posix.join(posix.dirname(main), `${type}.xml`)
  );
}

/** Reads all that the text of a document refers to. */
async function readContext(
  { archive, main }: OfficePackage,
  depth: number,
  budget: TextBudget,
): Promise<StoryContext> {
  const unread = new UnreadParts();
  const relations = await relationsOf(archive, main);
  const read = async <T>(instead: T, type: string, reader: (part: string) => Promise<T>) => {
    const part = partOf(relations, main, type);
    return (await unread.readOrAdd(posix.basename(part), () => reader(part))) ?? instead;
  };
  const none: ReadonlyMap<string, string> = new Map();
  const context: StoryContext = {
    styles: await read(new Styles(), 'styles', (part) => readStyles(archive, part)),
    numbering: await read(new Numbering(), 'numbering', (part) => readNumbering(archive, part)),
    embedded: new Map(),
    partNames: new Map(relations.map(({ id, target }) => [id, posix.basename(target)])),
    footnotes: none,
    endnotes: none,
    comments: none,
    budget,
    unread,
  };
  const notes = (type: string) => read(none, type, (part) => readNotes(archive, part, context));
  const readDocument = depth < MAX_DEPTH ? documentReader(depth + 1, budget) : null;
  return {
    ...context,
    footnotes: await notes('footnotes'),
    endnotes: await notes('endnotes'),
    comments: await notes('comments'),
    embedded: await readEmbedded(relations, { archive, unread, budget, readDocument }),
  };
}

/** Reads the text of a document. In a damaged one, in which a field never ends, the codes of fields are read as text. */
async function readStory({ archive, main }: OfficePackage, context: StoryContext, report: ReportProgress) {
  for (const readsCodes of [false, true]) {
    context.numbering.restart();
    const reader = new StoryReader(context, readsCodes);
    let root: string | null = null;
    await readXml(
      archive,
      main,
      {
        open: (name, attributes) => {
          root ??= name;
          reader.open(name, attributes);
        },
        text: (piece) => reader.text(piece),
        close: (name) => reader.close(name),
      },
      { onPiece: report },
    );
    if (root !== 'document') throw mismatchFault('DOCX', null);
    if (reader.areFieldsEnded || readsCodes) return reader.takeBlocks();
  }
  return [];
}

/** @param depth how many documents this one is within */
function documentReader(depth: number, budget: TextBudget): Extractor {
  return async (content, report) => {
    const office = await openOffice(content, 'DOCX');
    const properties = await readProperties(office.archive);
    const context = await readContext(office, depth, budget);
    const text = toMarkdown(await readStory(office, context, report));
    const parts = [{ text, place: null }];
    return { ...properties, parts, ...context.unread.end(parts.length) };
  };
}

/**
 * Word documents: one part, because where the pages of a document end is decided only when it is printed. Pictures, headers
 * and footers are left out.
 */
export const extractDocx: Extractor = (content, report) =>
  documentReader(0, new TextBudget())(content, report);
