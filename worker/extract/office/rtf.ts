import { type Extractor, FileFault } from '../extraction.ts';
import { documentDay } from '../properties/days.ts';
import { documentTitle } from '../properties/titles.ts';
import { type Block, toMarkdown } from '../text.ts';
import { mismatchFault, refuseOle } from './package.ts';
import { type ParagraphForm, RtfBlocks } from './rtf-blocks.ts';
import {
  CHARACTERS,
  decodeRun,
  encodingOfCharset,
  encodingOfPage,
  NEWER,
  PARAGRAPH_ENDS,
  type RtfToken,
  rtfTokens,
  SKIPPED,
  SYMBOL_CHARSET,
  SYMBOLS,
} from './rtf-tokens.ts';

/** What becomes of the text of a group. That of `fallback` is for programs without Unicode. */
type Destination =
  | 'text'
  | 'skipped'
  | 'fallback'
  | 'fonts'
  | 'info'
  | 'title'
  | 'time'
  | 'marker'
  | 'property';

/** Those of which the characters are read. */
const READ: ReadonlySet<Destination> = new Set(['text', 'title', 'marker', 'property']);

/** The state that a group inherits, and that ends with it. */
interface GroupState extends ParagraphForm {
  destination: Destination;
  /** So many characters after `\u` are for programs without Unicode. */
  fallback: number;
  font: number;
  isHidden: boolean;
  isDeleted: boolean;
  /** The note, comment or box of text that ends with the group. A box has no label. */
  ends: { blocks: RtfBlocks; label: string | null } | null;
}

const MAX_DEPTH = 1_000;
/** A comment can be in a note. The text of a note that is nested more deeply is a part of the outer one. */
const MAX_NOTES_DEPTH = 3;

/** The groups with the text of a shape: of Word, and of its first editions. */
const BOXES = new Set(['dptxbxtext', 'shptxt']);
/** The property of a shape with the text that it draws as a picture (WordArt). */
const DRAWN_TEXT = 'gtextUNICODE';
/** The groups that begin a note or a comment. */
const NOTES = new Set(['annotation', 'endnote', 'footnote']);

/** Reads the tokens of an RTF file. */
class RtfReader {
  title = '';
  #page = encodingOfPage(1252);
  #defaultFont = -1;
  readonly #fonts = new Map<number, string>();
  /** The fonts whose letters are symbols. */
  readonly #symbolFonts = new Set<number>();
  readonly #states: GroupState[] = [];
  #state: GroupState = {
    destination: 'text',
    fallback: 1,
    font: -1,
    isHidden: false,
    isDeleted: false,
    ends: null,
    level: null,
    inTable: false,
    nesting: 0,
    depth: 1,
  };
  /** The blocks that are read now, and those outside, which continue after a note. */
  #blocks = new RtfBlocks();
  readonly #outer: RtfBlocks[] = [];
  #notes = 0;
  /** The name of the last property of a shape. */
  #property = '';
  /** Whether the group has just begun with a star: a program that does not know it must leave it out. */
  #isStarred = false;
  #isFirst = false;
  /** How many characters are still left out after `\u`. */
  #left = 0;
  /** The characters that are not yet decoded: the first `#pendingLength` bytes. */
  #pending = Buffer.alloc(1024);
  #pendingLength = 0;
  #times = new Map<string, number>();
  #time = { name: '', year: 0, month: 0, day: 0 };

  /** Reads the next token. @throws FileFault `too_deep` */
  read(token: RtfToken): void {
    if (token.kind === 'bytes') {
      this.#addBytes(token.bytes);
      return;
    }
    this.#flush();
    if (token.kind === 'open') this.#open();
    else if (token.kind === 'close') this.#close();
    else if (this.#left > 0) this.#left -= 1;
    else if (token.kind === 'symbol') this.#addSymbol(token.symbol);
    else this.#readWord(token.name, token.value);
  }

  /** Whether all groups have ended. */
  get isComplete(): boolean {
    return this.#states.length === 0;
  }

  /** Ends the document. */
  end(): { blocks: Block[]; date: string | null } {
    this.#flush();
    const times = ['revtim', 'creatim'].flatMap((name) => this.#times.get(name) ?? []);
    const days = times.map((time) => new Date(time));
    return { blocks: this.#blocks.end(), date: documentDay('office', ...days) };
  }

  #open(): void {
    if (this.#states.length >= MAX_DEPTH) {
      throw new FileFault(
        'too_deep',
        `The file is nested more than ${MAX_DEPTH} levels deep: save it in a simpler form.`,
      );
    }
    this.#left = 0;
    this.#states.push(this.#state);
    this.#state = { ...this.#state, ends: null };
    this.#isFirst = true;
    this.#isStarred = false;
  }

  #close(): void {
    this.#left = 0;
    this.#isFirst = false;
    const { ends, destination } = this.#state;
    const outer = this.#states.pop();
    if (outer === undefined) return;
    if (destination === 'time' && outer.destination !== 'time') this.#endTime();
    this.#state = outer;
    if (ends === null) return;
    const note = ends.blocks.end();
    this.#blocks = this.#outer.pop() ?? this.#blocks;
    this.#blocks.addAfter(ends.label, note);
  }

  #addSymbol(symbol: string): void {
    if (symbol === '*') this.#isStarred = this.#isFirst;
    else {
      this.#isFirst = false;
      this.#addText(SYMBOLS[symbol] ?? '');
    }
  }

  #readWord(name: string, value: number | null): void {
    const isFirst = this.#isFirst;
    const isStarred = this.#isStarred;
    this.#isFirst = false;
    this.#isStarred = false;
    if (this.#state.destination === 'skipped') return;
    if (isFirst && this.#beginGroup(name, isStarred)) return;
    if (name === 'u') this.#addUnit(value ?? 0);
    else if (name === 'uc') this.#state.fallback = Math.min(Math.max(value ?? 1, 0), 100);
    else if (name === 'ansicpg') this.#page = encodingOfPage(value ?? 0);
    else if (name === 'mac') this.#page = encodingOfPage(10_000);
    else if (name === 'f') this.#state.font = value ?? -1;
    else if (name === 'deff') this.#state.font = this.#defaultFont = value ?? -1;
    else if (name === 'fcharset') this.#addFont(value ?? 0);
    else if (this.#state.destination === 'marker' && PARAGRAPH_ENDS.has(name)) this.#endMarkedParagraph();
    else if (this.#state.destination === 'time') this.#addTime(name, value ?? 0);
    else if (this.#state.destination === 'text') this.#readLayout(name, value);
    else this.#addText(CHARACTERS.get(name) ?? '');
  }

  /** Finds out what the group is from its first word. Returns whether the word has no other meaning. */
  #beginGroup(name: string, isStarred: boolean): boolean {
    const { destination } = this.#state;
    if (name === 'fonttbl') this.#state.destination = 'fonts';
    else if (name === 'info') this.#state.destination = 'info';
    else if (destination === 'info') this.#beginInfo(name);
    else if (NOTES.has(name) && destination === 'text' && this.#outer.length < MAX_NOTES_DEPTH)
      this.#beginNote(name);
    else if (BOXES.has(name) && destination === 'text') this.#beginBox();
    else if (name === 'sn') this.#beginProperty();
    else if (name === 'sv' && destination === 'text' && this.#property === DRAWN_TEXT) this.#beginBox();
    else if (name === 'sv') this.#state.destination = 'skipped';
    else if (name === 'upr' && destination === 'text') this.#state.destination = 'fallback';
    else if (name === 'ud' && destination === 'fallback') this.#state.destination = 'text';
    else if (name === 'listtext' || name === 'pntext') {
      this.#state.destination = destination === 'text' ? 'marker' : 'skipped';
      if (destination === 'text') this.#blocks.beginMarker();
    } else if (SKIPPED.has(name) || (isStarred && !NEWER.has(name))) this.#state.destination = 'skipped';
    else return false;
    return true;
  }

  #beginInfo(name: string): void {
    const isTime = name === 'revtim' || name === 'creatim';
    this.#state.destination = isTime ? 'time' : name === 'title' ? 'title' : 'skipped';
    this.#time = { name, year: 0, month: 0, day: 0 };
  }

  #beginNote(name: string): void {
    if (name !== 'annotation') {
      this.#notes += 1;
      this.#blocks.addText(`[${this.#notes}]`);
    }
    this.#beginBlocks(name === 'annotation' ? 'Comment:' : `[${this.#notes}]`);
  }

  #beginBox(): void {
    if (this.#outer.length < MAX_NOTES_DEPTH) this.#beginBlocks(null);
  }

  /** Begins the name of a property of a shape. */
  #beginProperty(): void {
    this.#property = '';
    this.#state.destination = this.#state.destination === 'text' ? 'property' : 'skipped';
  }

  /** Begins what is anchored in the paragraph, until the group ends. */
  #beginBlocks(label: string | null): void {
    this.#outer.push(this.#blocks);
    this.#blocks = new RtfBlocks();
    Object.assign(this.#state, {
      ends: { blocks: this.#blocks, label },
      level: null,
      inTable: false,
      nesting: 0,
      depth: 1,
    });
  }

  #readLayout(name: string, value: number | null): void {
    const state = this.#state;
    if (PARAGRAPH_ENDS.has(name)) {
      if (!state.isDeleted) this.#blocks.endParagraph(state);
    } else if (name === 'cell') this.#blocks.endCell();
    else if (name === 'row') this.#blocks.endRow();
    else if (name === 'nestcell') this.#blocks.endNestedCell();
    else if (name === 'nestrow') this.#blocks.endNestedRow();
    else if (name === 'pard') Object.assign(state, { level: null, inTable: false, nesting: 0, depth: 1 });
    else if (name === 'plain')
      Object.assign(state, { font: this.#defaultFont, isHidden: false, isDeleted: false });
    else if (name === 'intbl') state.inTable = true;
    else if (name === 'itap') state.nesting = value ?? 0;
    else if (name === 'outlinelevel')
      state.level = value !== null && value >= 0 && value < 9 ? value + 1 : null;
    else if (name === 'ilvl') state.depth = Math.min(Math.max(value ?? 0, 0), 8) + 1;
    else if (name === 'v') state.isHidden = value !== 0;
    else if (name === 'deleted') state.isDeleted = value !== 0;
    else this.#addText(CHARACTERS.get(name) ?? '');
  }

  /** AbiWord writes the whole item into the group of its marker: what was read is its text. */
  #endMarkedParagraph(): void {
    for (const state of [this.#state, ...this.#states]) {
      if (state.destination === 'marker') state.destination = 'text';
    }
    this.#blocks.useMarkerAsText();
    this.#blocks.endParagraph(this.#state);
  }

  /** Adds a code unit, and leaves out the characters after it that older programs show instead. */
  #addUnit(value: number): void {
    this.#addText(String.fromCharCode(value & 0xffff));
    this.#left = this.#state.fallback;
  }

  #addBytes(bytes: Uint8Array): void {
    this.#isFirst = false;
    const left = Math.min(this.#left, bytes.length);
    this.#left -= left;
    const { destination } = this.#state;
    if (READ.has(destination)) this.#append(bytes.subarray(left));
  }

  /** Copies the bytes: a piece of a file can be one byte, and an object for each would take very much memory. */
  #append(bytes: Uint8Array): void {
    const length = this.#pendingLength + bytes.length;
    if (length > this.#pending.length) {
      const larger = Buffer.alloc(length * 2);
      this.#pending.copy(larger, 0, 0, this.#pendingLength);
      this.#pending = larger;
    }
    this.#pending.set(bytes, this.#pendingLength);
    this.#pendingLength = length;
  }

  /** Decodes the characters before this token together: a character can have two bytes. */
  #flush(): void {
    if (this.#pendingLength === 0) return;
    const encoding = this.#fonts.get(this.#state.font) ?? this.#page;
    const text = decodeRun(this.#pending.subarray(0, this.#pendingLength), encoding);
    this.#pendingLength = 0;
    this.#addText(text);
  }

  #addText(text: string): void {
    const { destination, isHidden, isDeleted } = this.#state;
    if (text === '' || isHidden || isDeleted) return;
    if (destination === 'text') this.#blocks.addText(text);
    else if (destination === 'title') this.title += text;
    else if (destination === 'property') this.#property += text;
    else if (destination === 'marker') this.#blocks.addMarker(text, this.#symbolFonts.has(this.#state.font));
  }

  #addFont(charset: number): void {
    if (this.#state.destination !== 'fonts') return;
    const encoding = encodingOfCharset(charset);
    if (charset === SYMBOL_CHARSET) this.#symbolFonts.add(this.#state.font);
    if (encoding !== null) this.#fonts.set(this.#state.font, encoding);
  }

  #addTime(name: string, value: number): void {
    if (name === 'yr') this.#time.year = value;
    else if (name === 'mo') this.#time.month = value;
    else if (name === 'dy') this.#time.day = value;
  }

  #endTime(): void {
    const { name, year, month, day } = this.#time;
    // The day of an unknown time is 0.
    if (year > 0 && month > 0 && day > 0) this.#times.set(name, Date.UTC(year, month - 1, day));
  }
}

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
    title: documentTitle(reader.title),
    date,
    parts: [{ text: toMarkdown(blocks), place: null }],
  };
};
