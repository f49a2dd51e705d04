import type { Extractor } from '../extraction.ts';
import { type Block, plainTextOf, TextBudget, toMarkdown } from '../text.ts';
import { UnreadParts } from '../unread-parts.ts';
import { addParagraph, type Container, container } from './odf-container.ts';
import { type ListPlace, OpenDocumentLists } from './odf-lists.ts';
import { EmbeddedObjects } from './odf-objects.ts';
import { OpenDocumentStyles } from './odf-styles.ts';
import { isLayout, type Row } from './odf-tables.ts';
import { CONTENT, charactersOf, collapsed, openDocument, readMeta } from './package.ts';
import { cellText } from './table-cells.ts';
import { type Attributes, readXml, type XmlHandler } from './xml.ts';

/** The part with the styles that have names. */
const STYLES = 'styles.xml';

/** Elements that are left out: deleted text, lists of the headings, forms, embedded objects, and aids to read. */
const SKIPPED = new Set([
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
const ITEMS = new Set(['text:list-header', 'text:list-item']);
const LISTS = new Set(['text:list', 'text:numbered-paragraph']);
const CELL = /^table:(?:covered-)?table-cell$/;
/** Elements that a person does not see if the text around them is hidden. */
const ANCHORED = /^(?:text:note|draw:frame|office(?:ooo)?:annotation)$/;
const OBJECTS = new Set(['draw:object', 'draw:object-ole']);
/** Fields and sections that can be hidden by a condition. */
const CONDITIONAL = new Set(['text:hidden-text', 'text:section']);
/** LibreOffice has its own name for comments on slides. */
const ANNOTATION = /^office(?:ooo)?:annotation$/;
/** No program shows a table with more columns. */
const MAX_COLUMNS = 1_000;

/** Whether an element says that it is hidden. That of a style says so of a text. */
function isHidden(name: string, attributes: Attributes): boolean {
  if (name === 'style:text-properties') return false;
  if (attributes['text:display'] === 'none') return true;
  return CONDITIONAL.has(name) && attributes['text:is-hidden'] === 'true';
}

function outlineLevelOf(attributes: Attributes): number {
  const level = Number(attributes['text:outline-level'] ?? 1);
  return level >= 1 ? Math.trunc(level) : 1;
}

/** Reads the text of a document of OpenDocument as blocks. */
export class OpenDocumentReader implements XmlHandler {
  #root = container('root');
  #stack: Container[] = [this.#root];
  readonly #budget = new TextBudget();
  #skipped = 0;
  #notes = 0;
  /** The styles of this document by name, and the ones that they are made from. */
  readonly #parents = new Map<string, string>();
  readonly #styles: OpenDocumentStyles;
  readonly #lists: OpenDocumentLists;
  readonly #objects: EmbeddedObjects;
  readonly #onUnread: (name: string) => void;

  /**
   * @param onUnread is called for each embedded object that is not read, with what it is
   * @param styles the styles with names, to which those of the text are added
   */
  constructor(objects: EmbeddedObjects, onUnread: (name: string) => void, styles = new OpenDocumentStyles()) {
    this.#objects = objects;
    this.#onUnread = onUnread;
    this.#styles = styles;
    this.#lists = new OpenDocumentLists(styles.lists);
  }

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
    if (this.#skipped > 0 || SKIPPED.has(name) || isHidden(name, attributes)) this.#skipped += 1;
    else if (this.#isHidden && ANCHORED.test(name)) this.#skipped += 1;
    else if (OBJECTS.has(name)) this.#readObject(attributes['xlink:href'] ?? '');
    else if (PARAGRAPHS.has(name)) this.#openParagraph(name, attributes);
    else if (name === 'text:span') this.#openSpan(attributes);
    else if (name === 'text:hidden-paragraph') this.#leaveOut(attributes);
    else if (name === 'text:list') this.#lists.openList(attributes, this.#top);
    else if (name === 'text:numbered-paragraph') this.#lists.openNumbered(attributes, this.#top);
    else if (ITEMS.has(name)) this.#lists.openItem(attributes, name === 'text:list-header');
    else if (name === 'table:table') this.#stack.push(container('table'));
    else if (name === 'table:table-row') this.#within('table')?.rows.push([]);
    else if (CELL.test(name)) {
      const times = Number(attributes['table:number-columns-repeated'] ?? 1);
      this.#stack.push(container('cell', { repeated: times >= 1 ? Math.trunc(times) : 1 }));
    } else if (name === 'text:note') this.#openNote();
    else if (ANNOTATION.test(name)) this.#stack.push(container('comment'));
    else if (name === 'style:style') {
      this.#parents.set(attributes['style:name'] ?? '', attributes['style:parent-style-name'] ?? '');
      this.#styles.open(name, attributes);
    } else {
      this.#styles.open(name, attributes);
      this.#addText(charactersOf(name, attributes) ?? '');
    }
  }

  text(piece: string): void {
    if (this.#skipped === 0) this.#addText(collapsed(piece));
  }

  close(name: string): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (PARAGRAPHS.has(name)) this.#closeParagraph();
    else if (name === 'text:span') this.#within('paragraph')?.hidden.pop();
    else if (LISTS.has(name)) this.#lists.closeList();
    else if (name === 'table:table') this.#closeTable();
    else if (CELL.test(name)) this.#closeCell();
    else if (name === 'text:note') this.#closeLabelled('note', (number) => `[${number}]`);
    else if (ANNOTATION.test(name)) this.#closeLabelled('comment', () => 'Comment:');
    else this.#styles.close(name);
  }

  /** Adds the text of a formula, and leaves out other objects. */
  #readObject(reference: string): void {
    this.#skipped = 1;
    const formula = this.#objects.formula(reference);
    const unread = this.#objects.nameOf(reference);
    if (unread !== null) this.#onUnread(unread);
    if (formula === null) return;
    if (this.#within('paragraph') !== null) this.#addText(formula);
    else {
      this.#budget.addText(formula.length);
      this.#top.blocks.push({ kind: 'paragraph', text: formula });
    }
  }

  #openParagraph(name: string, attributes: Attributes): void {
    const style = attributes['text:style-name'] ?? '';
    const isHidden = this.#styles.isHidden('paragraph', style) ?? false;
    const level = this.#levelOf(name, attributes);
    this.#stack.push(
      container('paragraph', { level, list: this.#countParagraph(name, attributes), hidden: [isHidden] }),
    );
  }

  /** Counts a paragraph or heading, and returns the number that it has. */
  #countParagraph(name: string, attributes: Attributes): ListPlace | null {
    const listStyle = this.#styles.listStyle(attributes['text:style-name'] ?? '');
    const place = this.#lists.paragraph(this.#top, listStyle);
    if (place !== null || name !== 'text:h') return place;
    return {
      depth: 0,
      label: this.#lists.heading(outlineLevelOf(attributes), attributes, listStyle),
      isFurther: false,
    };
  }

  #openSpan(attributes: Attributes): void {
    const isHidden = this.#styles.isHidden('text', attributes['text:style-name'] ?? '') ?? this.#isHidden;
    this.#within('paragraph')?.hidden.push(isHidden);
  }

  /** Leaves out the paragraph that is open if this field hides it. */
  #leaveOut(attributes: Attributes): void {
    const paragraph = this.#within('paragraph');
    if (paragraph !== null && attributes['text:is-hidden'] === 'true') paragraph.isLeftOut = true;
  }

  /** Whether the text that is read now is hidden. */
  get #isHidden(): boolean {
    return this.#within('paragraph')?.hidden.at(-1) ?? false;
  }

  #levelOf(name: string, attributes: Attributes): number | null {
    const style = attributes['text:style-name'] ?? '';
    if (name === 'text:p') return style === 'Title' || this.#parents.get(style) === 'Title' ? 1 : null;
    if (name !== 'text:h') return null;
    return outlineLevelOf(attributes);
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
    if (paragraph === null || this.#isHidden) return;
    this.#budget.addText(text.length);
    paragraph.text += text;
  }

  #pop(kind: Container['kind']): Container | null {
    return this.#top.kind === kind ? (this.#stack.pop() ?? null) : null;
  }

  #closeParagraph(): void {
    const closed = this.#pop('paragraph');
    if (closed === null || closed.isLeftOut) return;
    this.#budget.addText(closed.list?.label?.text.length ?? 0);
    addParagraph(this.#top, closed);
    // What is anchored in the paragraph comes after it: text boxes, notes, comments.
    for (const block of closed.blocks) this.#top.blocks.push(block);
  }

  #closeCell(): void {
    const cell = this.#pop('cell');
    const row = this.#within('table')?.rows.at(-1);
    if (cell === null || row === undefined) return;
    row.push({ blocks: cell.blocks, times: cell.repeated });
  }

  #closeTable(): void {
    const table = this.#pop('table');
    if (table === null) return;
    if (isLayout(table.rows)) {
      // One by one: a call cannot have so many arguments as a table can have blocks.
      for (const { blocks } of table.rows.flat()) for (const block of blocks) this.#top.blocks.push(block);
    } else this.#top.blocks.push({ kind: 'table', rows: table.rows.map((row) => this.#cellsOf(row)) });
  }

  /** The texts of a row, without empty cells at its end. */
  #cellsOf(row: Row): string[] {
    const cells: string[] = [];
    for (const { blocks, times } of row) {
      const text = cellText(blocks);
      const repeated = Math.min(times, MAX_COLUMNS - cells.length);
      this.#budget.addText(Math.max(0, repeated - 1) * text.length);
      for (let nth = 0; nth < repeated; nth++) cells.push(text);
    }
    return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
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
  const styles = new OpenDocumentStyles();
  await readXml(archive, STYLES, styles, { prefixes: true });
  const pieces = new UnreadParts();
  const counts = new Map<string, number>();
  const addUnread = (name: string) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    pieces.add(`${name} ${count}`, 'not_read');
  };
  const objects = await EmbeddedObjects.read(archive, pieces);
  const reader = new OpenDocumentReader(objects, addUnread, styles);
  await readXml(archive, CONTENT, reader, { prefixes: true, onPiece: report });
  const parts = [{ text: toMarkdown(reader.takeBlocks()), place: null }];
  return { ...properties, parts, ...pieces.end(parts.length) };
};
