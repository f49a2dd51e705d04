import type { DocumentPart } from '../../../shared/text/prepared-chunks.ts';
import { type Extractor, FileFault } from '../extraction.ts';
import { type Block, plainTextOf, TextBudget, toMarkdown } from '../text.ts';
import { OpenDocumentReader } from './odt.ts';
import {
  CONTENT,
  mismatchFault,
  type OfficePackage,
  openDocument,
  openOffice,
  readMeta,
  readProperties,
  relationsOf,
} from './package.ts';
import { type Attributes, readXml, type XmlHandler } from './xml.ts';
import type { ZipArchive } from './zip-archive.ts';

/** What a slide contains. */
interface Slide {
  title: string;
  /** In the order in which they are read. */
  blocks: readonly Block[];
  notes: readonly Block[];
  comments: readonly string[];
}

/** Blocks with a word before them that says what they are. */
function labelled(label: string, blocks: readonly Block[]): Block[] {
  const text = blocks.map(plainTextOf).join('\n').trim();
  return text === '' ? [] : [{ kind: 'paragraph', text: `${label}: ${text}` }];
}

/** The parts of a presentation: one for each slide that has text. */
class SlideParts {
  readonly parts: DocumentPart[] = [];
  #slides = 0;
  readonly #budget = new TextBudget();

  /**
   * Adds the next slide. Hidden slides count as well.
   * @throws FileFault `too_many_chunks`
   */
  add({ title, blocks, notes, comments }: Slide): void {
    this.#slides += 1;
    const text = toMarkdown([
      { kind: 'heading', level: 1, text: title },
      ...blocks,
      ...labelled('Notes', notes),
      ...comments.flatMap((comment) => labelled('Comment', [{ kind: 'paragraph', text: comment }])),
    ]);
    this.#budget.addText(text.length);
    if (text !== '') this.parts.push({ text, place: { slide: this.#slides } });
  }
}

/** What a part of a presentation shows: a slide, its notes, a comment, or a diagram. */
export interface Shown {
  title: string;
  blocks: Block[];
}

/** Fields that repeat on every slide, and the picture of the slide on its page of notes. */
const REPEATED_PLACEHOLDERS = new Set(['dt', 'ftr', 'hdr', 'sldNum', 'sldImg']);
const TITLES = new Set(['title', 'ctrTitle']);

interface Paragraph {
  level: number;
  text: string;
}

/** The lines of a shape as one block. Paragraphs below the first level are items of a list. */
function shapeBlocks(paragraphs: readonly Paragraph[]): Block[] {
  const lines = paragraphs
    .filter(({ text }) => text.trim() !== '')
    .map(({ level, text }) => (level > 0 ? `${'  '.repeat(level - 1)}- ${text.trim()}` : text.trim()));
  return lines.length === 0 ? [] : [{ kind: 'paragraph', text: lines.join('\n') }];
}

/** Reads the text of shapes, tables and descriptions of pictures, in the order of the file, which is that of reading. */
class ShownReader implements XmlHandler {
  readonly shown: Shown = { title: '', blocks: [] };
  /** The kind of the placeholder that the shape fills; null in a shape of its own. */
  #placeholder: string | null = null;
  #paragraphs: Paragraph[] = [];
  #rows: string[][] | null = null;
  #inRun = false;
  #isText = false;
  /** How many elements are open in a copy for programs that do not know the other one. */
  #inFallback = 0;

  open(name: string, attributes: Attributes): void {
    if (this.#inFallback > 0 || name === 'Fallback') this.#inFallback += 1;
    else if (name === 'sp') this.#begin();
    else if (name === 'ph') this.#placeholder = attributes.type ?? 'body';
    else if (name === 'tbl') this.#rows = [];
    else if (name === 'tr') this.#rows?.push([]);
    else if (name === 'tc') this.#paragraphs = [];
    else if (name === 'p') this.#paragraphs.push({ level: 0, text: '' });
    else if (name === 'pPr') this.#setLevel(attributes.lvl);
    else if (name === 'br') this.#addText('\n');
    else if (name === 'r' || name === 'fld') this.#inRun = true;
    else if (name === 't') this.#isText = this.#inRun;
    else if (name === 'cNvPr' && attributes.descr !== undefined) {
      this.shown.blocks.push({ kind: 'paragraph', text: attributes.descr });
    }
  }

  text(piece: string): void {
    if (this.#isText && this.#inFallback === 0) this.#addText(piece);
  }

  close(name: string): void {
    if (this.#inFallback > 0) this.#inFallback -= 1;
    else if (name === 't') this.#isText = false;
    else if (name === 'r' || name === 'fld') this.#inRun = false;
    else if (name === 'tc') this.#rows?.at(-1)?.push(this.#takeText());
    else if (name === 'tbl') {
      if (this.#rows !== null) this.shown.blocks.push({ kind: 'table', rows: this.#rows });
      this.#rows = null;
    } else if (name === 'sp') this.#endShape();
  }

  /** Ends the part: paragraphs outside of shapes, as in diagrams and comments, are a block too. */
  end(): Shown {
    this.#endShape();
    return this.shown;
  }

  #begin(): void {
    this.#endShape();
    this.#placeholder = null;
  }

  #setLevel(stated: string | undefined): void {
    const paragraph = this.#paragraphs.at(-1);
    const level = Number(stated ?? 0);
    if (paragraph !== undefined && level >= 1 && level <= 8) paragraph.level = Math.trunc(level);
  }

  #addText(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph !== undefined) paragraph.text += text;
  }

  #takeText(): string {
    const text = this.#paragraphs.map((each) => each.text).join(' ');
    this.#paragraphs = [];
    return text;
  }

  #endShape(): void {
    const paragraphs = this.#paragraphs;
    this.#paragraphs = [];
    const placeholder = this.#placeholder ?? '';
    this.#placeholder = null;
    if (REPEATED_PLACEHOLDERS.has(placeholder)) return;
    if (TITLES.has(placeholder) && this.shown.title === '') {
      this.shown.title = paragraphs
        .map(({ text }) => text)
        .join(' ')
        .trim();
    } else this.shown.blocks.push(...shapeBlocks(paragraphs));
  }
}

/** Reads a slide, a page of notes or a diagram. */
async function readShown(archive: ZipArchive, path: string): Promise<Shown> {
  const reader = new ShownReader();
  await readXml(archive, path, reader);
  return reader.end();
}

/** Reads the comments on a slide, in both forms. */
async function readSlideComments(archive: ZipArchive, path: string): Promise<string[]> {
  const comments: string[] = [];
  let reader = new ShownReader();
  let plain: string | null = null;
  await readXml(archive, path, {
    open: (name, attributes) => {
      if (name === 'text') plain = '';
      else if (name === 'txBody') reader = new ShownReader();
      else reader.open(name, attributes);
    },
    text: (piece) => {
      if (plain === null) reader.text(piece);
      else plain += piece;
    },
    close: (name) => {
      if (name === 'text') {
        comments.push(plain ?? '');
        plain = null;
      } else if (name === 'txBody') comments.push(reader.end().blocks.map(plainTextOf).join('\n'));
      else reader.close(name);
    },
  });
  return comments;
}

const missingSlideFault = () =>
  new FileFault('corrupt', 'The file is damaged: a slide is missing. Send it again from a copy that opens.');

/** The paths of the slides in the order of the presentation. */
async function slidePaths({ archive, main }: OfficePackage): Promise<string[]> {
  const relations = new Map((await relationsOf(archive, main)).map((each) => [each.id, each]));
  const paths: string[] = [];
  let root: string | null = null;
  await readXml(archive, main, {
    open: (name, attributes) => {
      root ??= name;
      if (name !== 'sldId') return;
      // The number of the slide has no prefix; the reference to its part has one.
      const [, id] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? [];
      // The list of the sections repeats the numbers, without references.
      if (id === undefined) return;
      const relation = relations.get(id);
      if (relation?.type !== 'slide') throw missingSlideFault();
      paths.push(relation.target);
    },
  });
  if (root !== 'presentation') throw mismatchFault('PPTX', null);
  return paths;
}

/** Reads a slide with what belongs to it. A part that several slides name is read once. */
async function readSlide(archive: ZipArchive, path: string, seen: Set<string>): Promise<Slide> {
  const notes: Block[] = [];
  const comments: string[] = [];
  const isNew = (part: string) => !seen.has(part) && seen.add(part).size > 0;
  if (!archive.names.has(path)) throw missingSlideFault();
  if (!isNew(path)) return { title: '', blocks: [], notes, comments };
  const { title, blocks } = await readShown(archive, path);
  for (const { type, target } of await relationsOf(archive, path)) {
    if (!['diagramData', 'notesSlide', 'comments'].includes(type) || !isNew(target)) continue;
    if (type === 'comments') comments.push(...(await readSlideComments(archive, target)));
    else (type === 'notesSlide' ? notes : blocks).push(...(await readShown(archive, target)).blocks);
  }
  return { title, blocks, notes, comments };
}

/** Presentations of PowerPoint: each slide a part, with its notes and comments, hidden slides too. */
export const extractPptx: Extractor = async (content, report) => {
  const office = await openOffice(content, 'PPTX');
  const properties = await readProperties(office.archive);
  const paths = await slidePaths(office);
  const slides = new SlideParts();
  const seen = new Set<string>();
  for (const [index, path] of paths.entries()) {
    slides.add(await readSlide(office.archive, path, seen));
    report((index + 1) / paths.length);
  }
  return { ...properties, parts: slides.parts };
};

/** Frames that repeat on every slide. */
const REPEATED_ROLES = new Set(['date-time', 'footer', 'header', 'page-number']);

/** Reads the slides of a presentation. */
class PresentationReader implements XmlHandler {
  readonly #reader = new OpenDocumentReader();
  readonly #slides: SlideParts;
  #title = '';
  #blocks: Block[] = [];
  #notes: Block[] = [];
  #inSlide = false;
  #inNotes = false;
  /** The frames that are open, innermost last: whether each is that of the title. */
  readonly #frames: boolean[] = [];

  constructor(slides: SlideParts) {
    this.#slides = slides;
  }

  open(name: string, attributes: Attributes): void {
    this.#reader.open(name, attributes);
    if (this.#reader.isSkipping) return;
    if (name === 'draw:page') this.#inSlide = true;
    else if (name === 'presentation:notes') {
      this.#take();
      this.#inNotes = true;
    } else if (name === 'draw:frame') {
      const role = attributes['presentation:class'] ?? '';
      if (REPEATED_ROLES.has(role)) {
        this.#reader.skip();
        return;
      }
      this.#take();
      this.#frames.push(role === 'title');
    }
  }

  text(piece: string): void {
    this.#reader.text(piece);
  }

  close(name: string): void {
    const wasSkipping = this.#reader.isSkipping;
    this.#reader.close(name);
    if (wasSkipping) return;
    if (name === 'draw:frame') {
      this.#take(this.#frames.pop());
    } else if (name === 'presentation:notes') {
      this.#take();
      this.#inNotes = false;
    } else if (name === 'draw:page') this.#closeSlide();
  }

  /** Moves the blocks that were read to where they belong. */
  #take(isTitle = false): void {
    const blocks = this.#reader.takeBlocks();
    if (!this.#inSlide) return;
    if (isTitle && !this.#inNotes && this.#title === '')
      this.#title = blocks.map(plainTextOf).join(' ').trim();
    else (this.#inNotes ? this.#notes : this.#blocks).push(...blocks);
  }

  #closeSlide(): void {
    this.#take();
    this.#slides.add({ title: this.#title, blocks: this.#blocks, notes: this.#notes, comments: [] });
    this.#title = '';
    this.#blocks = [];
    this.#notes = [];
    this.#inSlide = false;
  }
}

/** Presentations of OpenDocument, like those of PowerPoint. */
export const extractOdp: Extractor = async (content, report) => {
  const archive = await openDocument(content, 'ODP');
  const properties = await readMeta(archive);
  const slides = new SlideParts();
  await readXml(archive, CONTENT, new PresentationReader(slides), { prefixes: true, onPiece: report });
  return { ...properties, parts: slides.parts };
};
