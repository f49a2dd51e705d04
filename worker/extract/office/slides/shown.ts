import { type Block, plainTextOf } from '../../text.ts';
import { type Attributes, readXml, type XmlHandler } from '../xml.ts';
import type { ZipArchive } from '../zip-archive.ts';

/** What a part of a presentation shows: a slide, its notes, a comment, or a diagram. */
interface Shown {
  title: string;
  blocks: Block[];
  /** Whether it is a slide that is left out when the presentation is shown. */
  isHidden: boolean;
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
  readonly shown: Shown = { title: '', blocks: [], isHidden: false };
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
    else if (name === 'sld') this.shown.isHidden = attributes.show === '0' || attributes.show === 'false';
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
export async function readShown(archive: ZipArchive, path: string): Promise<Shown> {
  const reader = new ShownReader();
  await readXml(archive, path, reader);
  return reader.end();
}

/** Reads the comments on a slide, in both forms. */
export async function readSlideComments(archive: ZipArchive, path: string): Promise<string[]> {
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
