import { type Block, oneLine, type TextBudget } from '../../text.ts';
import type { UnreadParts } from '../../unread-parts.ts';
import type { Attributes, XmlHandler } from '../xml.ts';
import { AlternateContent } from './alternate-content.ts';
import type { Embedded } from './embedded.ts';
import { EquationReader } from './equations.ts';
import { checkMark, Fields } from './fields.ts';
import type { ParagraphForms } from './paragraphs.ts';
import { type Properties, PropertyReader } from './properties.ts';
import { PLAIN_RUN, type Run, runOf } from './runs.ts';
import { StoryBlocks } from './story-blocks.ts';
import { symbolText, withSymbols } from './symbols.ts';
import { valueOf } from './values.ts';

/** What a text refers to, by identifiers. */
export interface StoryContext extends ParagraphForms {
  /** Charts, diagrams and texts in other formats, by their relations. */
  embedded: ReadonlyMap<string, Embedded>;
  /** The names of other parts, by their relations. */
  partNames: ReadonlyMap<string, string>;
  footnotes: ReadonlyMap<string, string>;
  endnotes: ReadonlyMap<string, string>;
  /** Comments, with their authors. */
  comments: ReadonlyMap<string, string>;
  budget: TextBudget;
  unread: UnreadParts;
}

/** Deleted text, the reading over a base text, and the codes of fields. */
const SKIPPED = new Set(['del', 'delInstrText', 'delText', 'instrText', 'moveFrom', 'rt']);
/** White space in the text of a file is a space. */
const BREAKS = /[\t\n\r]+/g;
/** The character that shows the state of a box to check. */
const BOX =
  /^\s*[\u2610-\u2612\u25a0-\u25ff\u2713-\u2718\uf000-\uf0ff\u{1f532}-\u{1f533}\u{1f5f5}-\u{1f5f9}\u{1f780}-\u{1f7ff}]/u;

/** Elements that stand for characters. */
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '-'],
  ['ptab', '\t'],
  ['tab', '\t'],
]);

/** Reads a text of WordprocessingML as blocks: that of the document, of a note or of a comment. */
export class StoryReader implements XmlHandler {
  readonly #context: StoryContext;
  readonly #readsCodes: boolean;
  readonly #blocks: StoryBlocks;
  readonly #properties = new PropertyReader();
  /** The fields of the text, then those of each box that is open. */
  readonly #fields: Fields[] = [new Fields()];
  readonly #runs: Run[] = [];
  readonly #copies = new AlternateContent();
  #equation: { reader: EquationReader; depth: number } | null = null;
  #skipped = 0;
  #isText = false;
  /** How many pieces were shown so far. */
  #shown = 0;
  /** The state of a box to check, before the character that shows it. */
  #checked: boolean | null = null;
  /** The name of the last drawing. */
  #drawing = '';
  readonly #notes = new Map<string, number>();
  readonly #endnotes: string[] = [];
  readonly #commented = new Set<string>();

  /** @param readsCodes whether the codes of fields are read as text: in a damaged text, a field never ends */
  constructor(context: StoryContext, readsCodes = false) {
    this.#context = context;
    this.#readsCodes = readsCodes;
    this.#blocks = new StoryBlocks(context, context.budget);
  }

  /** Whether all fields have ended. */
  get areFieldsEnded(): boolean {
    return this.#field.areEnded;
  }

  /** The blocks since the last call, with the endnotes at their end. */
  takeBlocks(): Block[] {
    for (const note of this.#endnotes.splice(0)) this.#blocks.addNote(note);
    return this.#blocks.takeBlocks();
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skipped > 0) this.#skipped += 1;
    else if (this.#equation !== null) {
      this.#equation.depth += 1;
      this.#equation.reader.open(name, attributes);
    } else if (this.#properties.isOpen || PropertyReader.isHolder(name))
      this.#properties.open(name, attributes);
    else if (SKIPPED.has(name) || this.#copies.open(name, this.#shown)) this.#skipped = 1;
    else if (!this.#openPart(name)) this.#openContent(name, attributes);
  }

  text(piece: string): void {
    if (this.#skipped > 0) return;
    if (this.#equation !== null) this.#equation.reader.text(piece);
    else if (this.#isText)
      this.#addText(this.#withMark(withSymbols(piece.replace(BREAKS, ' '), this.#run.font)));
  }

  close(name: string): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (this.#equation !== null) this.#closeInEquation(name);
    else if (this.#properties.isOpen) this.#apply(name, this.#properties.close());
    else if (name === 't') this.#isText = false;
    else if (name === 'r') this.#runs.pop();
    else if (name === 'p') this.#blocks.closeParagraph();
    else if (name === 'tc') this.#blocks.closeCell();
    else if (name === 'tbl') this.#blocks.closeTable();
    else if (name === 'txbxContent') this.#closeBox();
    else if (name === 'oMathPara') this.#blocks.breakLine();
    else if (name === 'sdtContent') this.#addMark();
    else this.#copies.close(name, this.#shown);
  }

  /** Opens an element that contains text. Returns whether it is one. */
  #openPart(name: string): boolean {
    if (name === 't') this.#isText = true;
    else if (name === 'r') this.#runs.push(this.#runOf({}));
    else if (name === 'p') this.#blocks.openParagraph();
    else if (name === 'tbl') this.#blocks.openTable();
    else if (name === 'tr') this.#blocks.openRow();
    else if (name === 'tc') this.#blocks.openCell();
    else if (name === 'txbxContent') this.#openBox();
    else if (name === 'oMath') this.#equation = { reader: new EquationReader(), depth: 1 };
    else if (name === 'oMathPara') this.#blocks.breakLine();
    else return false;
    return true;
  }

  /** Reads an element that stands for characters, or that refers to something. */
  #openContent(name: string, attributes: Attributes): void {
    const characters = CHARACTERS.get(name);
    if (characters !== undefined) this.#addText(characters);
    else if (name === 'sym') {
      this.#addText(this.#withMark(symbolText(valueOf(attributes, 'font'), valueOf(attributes, 'char'))));
    } else if (name === 'docPr') this.#openDrawing(attributes);
    else if (name === 'shape') this.#addDescription(attributes.alt);
    else if (name === 'textpath') this.#addDescription(attributes.string);
    else if (!this.#openReference(name, attributes)) this.#addText(this.#field.open(name, attributes));
  }

  /** Reads an element that refers to a note, a comment or another part. Returns whether it is one. */
  #openReference(name: string, attributes: Attributes): boolean {
    const id = attributes['r:id'] ?? valueOf(attributes, 'id') ?? '';
    if (name === 'footnoteReference') this.#addNote(name + id, this.#context.footnotes.get(id), false);
    else if (name === 'endnoteReference') this.#addNote(name + id, this.#context.endnotes.get(id), true);
    else if (name === 'commentReference' || name === 'commentRangeEnd') this.#addComment(id);
    else if (name === 'altChunk' || name === 'chart') this.#addEmbedded(id);
    else if (name === 'relIds') this.#addEmbedded(valueOf(attributes, 'dm') ?? '');
    else if (name === 'OLEObject') this.#addObject(id, valueOf(attributes, 'ProgID') ?? '');
    else if (name === 'control') this.#addControl(id, valueOf(attributes, 'name') ?? '');
    else return false;
    return true;
  }

  get #field(): Fields {
    return this.#fields.at(-1) as Fields;
  }

  get #run(): Run {
    return this.#runs.at(-1) ?? PLAIN_RUN;
  }

  /** Whether nothing is shown here: hidden text, and the code of a field. */
  get #isHidden(): boolean {
    return this.#run.isHidden || (this.#field.isCode && !this.#readsCodes);
  }

  #runOf(given: Properties): Run {
    const { styles } = this.#context;
    const paragraph = this.#blocks.paragraph;
    return runOf(given, paragraph === null ? null : styles.paragraph(paragraph.style ?? null), styles);
  }

  #apply(holder: string, found: Properties | null): void {
    if (found === null) return;
    if (holder === 'rPr') {
      if (this.#runs.length > 0) this.#runs[this.#runs.length - 1] = this.#runOf(found);
    } else if (holder === 'sdtPr') this.#checked = found.isChecked ?? null;
    else this.#blocks.applyProperties(holder, found);
  }

  #addText(text: string): void {
    if (text === '' || this.#isHidden) return;
    const isAdded = this.#blocks.addText(text, this.#run);
    if (!isAdded || text.trim() === '') return;
    this.#shown += 1;
    this.#field.markText();
  }

  /** The text of a box to check, with a mark in place of the character that shows its state. */
  #withMark(text: string): string {
    if (this.#checked === null || text.trim() === '') return text;
    const mark = checkMark(this.#checked);
    this.#checked = null;
    return `${mark} ${text.replace(BOX, '')}`;
  }

  #addMark(): void {
    if (this.#checked !== null) this.#addText(`${checkMark(this.#checked)} `);
    this.#checked = null;
  }

  #addDescription(text: string | undefined): void {
    const line = oneLine(text ?? '');
    if (line !== '') this.#addText(` ${line} `);
  }

  #openDrawing(attributes: Attributes): void {
    this.#drawing = attributes.name ?? '';
    const isHidden = ['1', 'true'].includes(attributes.hidden ?? '');
    if (!isHidden) this.#addDescription(attributes.descr || attributes.title);
  }

  #openBox(): void {
    if (this.#isHidden) {
      this.#skipped = 1;
      return;
    }
    this.#blocks.openBox();
    this.#fields.push(new Fields());
  }

  #closeBox(): void {
    this.#blocks.closeBox();
    this.#fields.pop();
  }

  #closeInEquation(name: string): void {
    if (this.#equation === null) return;
    const { reader } = this.#equation;
    this.#equation.depth -= 1;
    if (this.#equation.depth > 0) {
      reader.close(name);
      return;
    }
    this.#equation = null;
    this.#addText(reader.end());
  }

  #addNote(key: string, text: string | undefined, isAtEnd: boolean): void {
    if (this.#isHidden || text === undefined || text === '') return;
    const known = this.#notes.get(key);
    const number = known ?? this.#notes.size + 1;
    this.#addText(`[${number}]`);
    if (known !== undefined) return;
    this.#notes.set(key, number);
    const note = `[${number}] ${text}`;
    if (isAtEnd) this.#endnotes.push(note);
    else this.#blocks.addNote(note);
  }

  #addComment(id: string): void {
    const text = this.#context.comments.get(id);
    if (text === undefined || this.#isHidden || this.#commented.has(id)) return;
    this.#commented.add(id);
    this.#blocks.addBlocks([{ kind: 'paragraph', text }]);
  }

  #addEmbedded(id: string): void {
    if (this.#isHidden) return;
    const embedded = this.#context.embedded.get(id);
    const name = this.#drawing || this.#context.partNames.get(id);
    if (embedded !== undefined) {
      this.#context.budget.addText(embedded.length);
      this.#blocks.addBlocks(embedded.blocks);
    }
    if (embedded === undefined && name !== undefined) this.#context.unread.add(name, 'not_read');
    this.#shown += 1;
  }

  #addObject(id: string, kind: string): void {
    const part = this.#context.partNames.get(id);
    this.#addUnread(part === undefined ? kind : `${part}${kind === '' ? '' : ` (${kind})`}`);
  }

  #addControl(id: string, name: string): void {
    this.#addUnread(name || (this.#context.partNames.get(id) ?? ''));
  }

  #addUnread(name: string): void {
    if (this.#isHidden) return;
    this.#context.unread.add(name || 'object', 'not_read');
    this.#shown += 1;
  }
}
