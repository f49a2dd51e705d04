import { type Block, plainTextOf } from '../text.ts';
import { type ListLabel, labelled, listBlock } from './list-label.ts';
import { nestedText } from './table-cells.ts';

/** The form of the paragraph that is read. */
export interface ParagraphForm {
  /** The level of a heading, from 1; null for text. */
  level: number | null;
  inTable: boolean;
  /** How many tables it is in, if that is more than one. */
  nesting: number;
  /** The depth of an item of a list, from 1. */
  depth: number;
}

const BULLET = '•';
/** Programs without lists write their bullets as text. */
const BULLET_AND_TAB = /^\s*•\t/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** A bullet of Word that is a letter: a small circle in a font of equal widths. */
const LETTER_BULLET = 'o';

/** The marker of a paragraph in a list, as its program wrote it. */
interface Marker {
  text: string;
  /** Whether it is in a font of symbols, whose letters are bullets. */
  isSymbol: boolean;
}

/** What a paragraph with a marker begins with; null without one. */
function labelOf({ text, isSymbol }: Marker): ListLabel | null {
  const shown = text.trim();
  if (shown === '') return null;
  const isBullet = isSymbol || shown === LETTER_BULLET || !LETTER_OR_DIGIT.test(shown);
  return { text: shown, isBullet, separator: text.trimEnd() === text ? '' : ' ' };
}

/** Collects the rows of a table in a cell. Tables that are nested more deeply are rows of it too. */
class NestedRows {
  #rows: string[][] = [];
  #row: string[] = [];
  #cell: string[] = [];

  addParagraph(text: string): void {
    this.#cell.push(text);
  }

  endCell(): void {
    this.#row.push(this.#cell.join(' '));
    this.#cell = [];
  }

  endRow(): void {
    if (this.#cell.length > 0) this.endCell();
    if (this.#row.length > 0) this.#rows.push(this.#row);
    this.#row = [];
  }

  /** Ends the table, and returns its text in one line; null if there is none. */
  end(): string | null {
    this.endRow();
    const rows = this.#rows;
    this.#rows = [];
    return rows.length === 0 ? null : nestedText(rows);
  }
}

/** Collects the blocks of a document, of a box of text, of a note or of a comment. */
export class RtfBlocks {
  readonly #blocks: Block[] = [];
  #text = '';
  /** The marker of an item of a list: a bullet or a number. */
  #marker: Marker = { text: '', isSymbol: false };
  /** What is anchored in the paragraph, and comes after it. */
  #after: Block[] = [];
  /** The same of the table. */
  #afterTable: Block[] = [];
  #cell: string[] = [];
  #row: string[] = [];
  #rows: string[][] = [];
  readonly #nested = new NestedRows();

  addText(text: string): void {
    this.#text += text;
  }

  /** Begins the marker of the paragraph. */
  beginMarker(): void {
    this.#marker = { text: '', isSymbol: false };
  }

  addMarker(text: string, isSymbol: boolean): void {
    this.#marker.text += text;
    if (text.trim() !== '') this.#marker.isSymbol = isSymbol;
  }

  /** The marker was the text of the item. */
  useMarkerAsText(): void {
    this.#text = this.#marker.text + this.#text;
    this.#marker = { text: BULLET, isSymbol: false };
  }

  /** Adds a note or a comment to the paragraph; without a label, a box of text. */
  addAfter(label: string | null, blocks: readonly Block[]): void {
    if (label === null) {
      for (const block of blocks) this.#after.push(block);
      return;
    }
    const text = blocks.map(plainTextOf).join('\n').trim();
    if (text !== '') this.#after.push({ kind: 'paragraph', text: `${label} ${text}` });
  }

  endParagraph({ level, inTable, nesting, depth }: ParagraphForm): void {
    const { text, label } = this.#takeText();
    if (inTable) {
      const shown = label === null ? text : plainTextOf(listBlock(label, depth, text));
      if (nesting > 1) this.#nested.addParagraph(shown);
      else {
        this.#endNested();
        this.#cell.push(shown);
      }
      return;
    }
    this.#endTable();
    if (level !== null)
      this.#blocks.push({ kind: 'heading', level, text: text.trim() === '' ? '' : labelled(label, text) });
    else if (label === null || text.trim() === '') this.#blocks.push({ kind: 'paragraph', text });
    else this.#blocks.push(listBlock(label, depth, text));
    this.#takeAfter(this.#blocks);
  }

  endCell(): void {
    const { text, label } = this.#takeText();
    this.#endNested();
    this.#cell.push(label === null ? text : plainTextOf(listBlock(label, 1, text)));
    this.#row.push(this.#cell.join(' '));
    this.#cell = [];
    this.#takeAfter(this.#afterTable);
  }

  endRow(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
    this.#row = [];
  }

  /** Ends a cell of a table in a cell. */
  endNestedCell(): void {
    const { text, label } = this.#takeText();
    this.#nested.addParagraph(label === null ? text : plainTextOf(listBlock(label, 1, text)));
    this.#nested.endCell();
  }

  /** Ends a row of a table in a cell. */
  endNestedRow(): void {
    if (this.#text.trim() !== '') this.endNestedCell();
    this.#nested.endRow();
  }

  /** Ends the document, and returns its blocks. */
  end(): Block[] {
    this.#endNested();
    if (this.#cell.length > 0) this.endCell();
    this.endRow();
    this.endParagraph({ level: null, inTable: false, nesting: 0, depth: 1 });
    return this.#blocks;
  }

  /** The text of the paragraph and its label, both of which end with it. */
  #takeText(): { text: string; label: ListLabel | null } {
    const text = this.#text.replace(BULLET_AND_TAB, '');
    const marker = text === this.#text ? this.#marker : { text: BULLET, isSymbol: false };
    this.#text = '';
    this.beginMarker();
    return { text, label: labelOf(marker) };
  }

  #endNested(): void {
    const text = this.#nested.end();
    if (text !== null) this.#cell.push(text);
  }

  /** Moves what is anchored one by one: a call cannot have so many arguments as there can be blocks. */
  #takeAfter(blocks: Block[]): void {
    for (const block of this.#after) blocks.push(block);
    this.#after = [];
  }

  #endTable(): void {
    if (this.#rows.length === 0) return;
    this.#blocks.push({ kind: 'table', rows: this.#rows });
    for (const block of this.#afterTable) this.#blocks.push(block);
    this.#afterTable = [];
    this.#rows = [];
  }
}
