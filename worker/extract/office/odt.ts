import type { Extractor } from '../extraction.ts';
import { type Block, plainTextOf, TextBudget, toMarkdown } from '../text.ts';
import { CONTENT, charactersOf, collapsed, openDocument, readMeta } from './package.ts';
import { type Attributes, readXml, type XmlHandler } from './xml.ts';

/** Elements that are left out: deleted text, lists of the headings, forms, embedded objects, and aids to read. */
const SKIPPED = new Set([
  'draw:object',
  'draw:object-ole',
  'office:dde-source',
  'office:event-listeners',
  'office:forms',
  'office:scripts',
  'table:shapes',
  'text:alphabetical-index',
  'text:bibliography',
  'text:illustration-index',
  'text:note-citation',
  'text:object-index',
  'text:ruby-text',
  'text:table-index',
  'text:table-of-content',
  'text:tracked-changes',
  'text:user-index',
]);
/** Elements with the text of a paragraph. The description of a picture is one too. */
const PARAGRAPHS = new Set(['svg:desc', 'text:h', 'text:p']);
const CELL = /^table:(?:covered-)?table-cell$/;
/** LibreOffice has its own name for comments on slides. */
const ANNOTATION = /^office(?:ooo)?:annotation$/;
/** No program shows a table with more columns. */
const MAX_COLUMNS = 1_000;

/** An open element that contains blocks. */
interface Container {
  kind: 'root' | 'paragraph' | 'table' | 'cell' | 'note' | 'comment' | 'list';
  blocks: Block[];
  /** Of a paragraph: its text. */
  text: string;
  /** Of a paragraph: its heading level, or null. */
  level: number | null;
  rows: string[][];
  repeated: number;
  /** Of a note: its number. */
  number: number;
}

const container = (kind: Container['kind'], given: Partial<Container> = {}): Container => ({
  kind,
  blocks: [],
  text: '',
  level: null,
  rows: [],
  repeated: 1,
  number: 0,
  ...given,
});

/** Reads the text of a document of OpenDocument as blocks. */
export class OpenDocumentReader implements XmlHandler {
  #root = container('root');
  #stack: Container[] = [this.#root];
  readonly #budget = new TextBudget();
  #skipped = 0;
  #notes = 0;
  #lists = 0;
  /** The styles of this document by name, and the ones that they are made from. */
  readonly #parents = new Map<string, string>();

  /** The blocks since the last call. */
  takeBlocks(): Block[] {
    const { blocks } = this.#root;
    this.#root.blocks = [];
    return blocks;
  }

  /** Leaves out the element that is open now, and everything in it. */
  skip(): void {
    this.#skipped = 1;
  }

  /** Whether the element that is open now is left out. */
  get isSkipping(): boolean {
    return this.#skipped > 0;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skipped > 0 || SKIPPED.has(name)) this.#skipped += 1;
    else if (PARAGRAPHS.has(name))
      this.#stack.push(container('paragraph', { level: this.#levelOf(name, attributes) }));
    else if (name === 'text:list') this.#lists += 1;
    else if (name === 'table:table') this.#stack.push(container('table'));
    else if (name === 'table:table-row') this.#within('table')?.rows.push([]);
    else if (CELL.test(name)) {
      const times = Number(attributes['table:number-columns-repeated'] ?? 1);
      this.#stack.push(container('cell', { repeated: times >= 1 ? Math.trunc(times) : 1 }));
    } else if (name === 'text:note') this.#openNote();
    else if (ANNOTATION.test(name)) this.#stack.push(container('comment'));
    else if (name === 'style:style') {
      this.#parents.set(attributes['style:name'] ?? '', attributes['style:parent-style-name'] ?? '');
    } else this.#addText(charactersOf(name, attributes) ?? '');
  }

  text(piece: string): void {
    if (this.#skipped === 0) this.#addText(collapsed(piece));
  }

  close(name: string): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (PARAGRAPHS.has(name)) this.#closeParagraph();
    else if (name === 'text:list') this.#lists -= 1;
    else if (name === 'table:table') this.#closeTable();
    else if (CELL.test(name)) this.#closeCell();
    else if (name === 'text:note') this.#closeLabelled('note', (number) => `[${number}]`);
    else if (ANNOTATION.test(name)) this.#closeLabelled('comment', () => 'Comment:');
  }

  #levelOf(name: string, attributes: Attributes): number | null {
    const style = attributes['text:style-name'] ?? '';
    if (name === 'text:p') return style === 'Title' || this.#parents.get(style) === 'Title' ? 1 : null;
    if (name !== 'text:h') return null;
    const level = Number(attributes['text:outline-level'] ?? 1);
    return level >= 1 ? Math.trunc(level) : 1;
  }

  get #top(): Container {
    return this.#stack.at(-1) ?? this.#root;
  }

  /** The innermost container, if it is of this kind. */
  #within(kind: Container['kind']): Container | null {
    return this.#top.kind === kind ? this.#top : null;
  }

  #addText(text: string): void {
    const paragraph = this.#within('paragraph');
    if (paragraph === null) return;
    this.#budget.addText(text.length);
    paragraph.text += text;
  }

  #pop(kind: Container['kind']): Container | null {
    return this.#top.kind === kind ? (this.#stack.pop() ?? null) : null;
  }

  #closeParagraph(): void {
    const closed = this.#pop('paragraph');
    if (closed === null) return;
    const { text, level, blocks } = closed;
    const depth = this.#top.kind === 'root' || this.#top.kind === 'cell' ? this.#lists : 0;
    if (level !== null) this.#top.blocks.push({ kind: 'heading', level, text });
    else if (depth > 0) this.#top.blocks.push({ kind: 'item', depth, text });
    else this.#top.blocks.push({ kind: 'paragraph', text });
    // What is anchored in the paragraph comes after it: text boxes, notes, comments.
    this.#top.blocks.push(...blocks);
  }

  #closeCell(): void {
    const cell = this.#pop('cell');
    const row = this.#within('table')?.rows.at(-1);
    if (cell === null || row === undefined) return;
    const text = cell.blocks.map(plainTextOf).join(' ');
    const times = Math.min(cell.repeated, MAX_COLUMNS - row.length);
    this.#budget.addText(Math.max(0, times - 1) * text.length);
    for (let nth = 0; nth < times; nth++) row.push(text);
  }

  #closeTable(): void {
    const table = this.#pop('table');
    if (table === null) return;
    const rows = table.rows.map((row) => row.slice(0, row.findLastIndex((cell) => cell.trim() !== '') + 1));
    this.#top.blocks.push({ kind: 'table', rows });
  }

  #openNote(): void {
    this.#notes += 1;
    this.#addText(`[${this.#notes}]`);
    this.#stack.push(container('note', { number: this.#notes }));
  }

  #closeLabelled(kind: 'note' | 'comment', label: (number: number) => string): void {
    const closed = this.#pop(kind);
    if (closed === null) return;
    const text = closed.blocks.map(plainTextOf).join('\n').trim();
    if (text !== '') this.#top.blocks.push({ kind: 'paragraph', text: `${label(closed.number)} ${text}` });
  }
}

/** Text documents of OpenDocument: one part, because where a page ends is decided only when it is printed. */
export const extractOdt: Extractor = async (content, report) => {
  const archive = await openDocument(content, 'ODT');
  const properties = await readMeta(archive);
  const reader = new OpenDocumentReader();
  await readXml(archive, CONTENT, reader, { prefixes: true, onPiece: report });
  return { ...properties, parts: [{ text: toMarkdown(reader.takeBlocks()), place: null }] };
};
