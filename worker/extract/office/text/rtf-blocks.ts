import { type Block, plainTextOf } from '../../text/markdown-blocks.ts';

/** The form of the paragraph that is read. */
export interface ParagraphForm {
  /** The level of a heading, from 1; null for text. */
  level: number | null;
  inTable: boolean;
  /** The depth of an item of a list, from 1. */
  depth: number;
}

const BULLET = '•';
/** Programs without lists write their bullets as text. */
const BULLET_AND_TAB = /^\s*•\t/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Collects the blocks of a document, of a note or of a comment. */
export class RtfBlocks {
  #blocks: Block[] = [];
  #text = '';
  /** The marker of an item of a list: a bullet or a number. */
  #marker = '';
  /** What is anchored in the paragraph, and comes after it. */
  #after: Block[] = [];
  /** The same of the table. */
  #afterTable: Block[] = [];
  #cell: string[] = [];
  #row: string[] = [];
  #rows: string[][] = [];

  addText(text: string): void {
    this.#text += text;
  }

  addMarker(text: string): void {
    this.#marker += text;
  }

  /** The marker was the text of the item. */
  useMarkerAsText(): void {
    this.#text = this.#marker + this.#text;
    this.#marker = BULLET;
  }

  /** Adds a note or a comment to the paragraph. */
  addAfter(label: string, blocks: readonly Block[]): void {
    const text = blocks.map(plainTextOf).join('\n').trim();
    if (text !== '') this.#after.push({ kind: 'paragraph', text: `${label} ${text}` });
  }

  endParagraph({ level, inTable, depth }: ParagraphForm): void {
    const text = this.#text.replace(BULLET_AND_TAB, '');
    const marker = text === this.#text ? this.#marker.trim() : BULLET;
    this.#text = '';
    this.#marker = '';
    if (inTable) {
      this.#cell.push(text);
      return;
    }
    this.#endTable();
    if (level !== null) this.#blocks.push({ kind: 'heading', level, text });
    else if (marker === '') this.#blocks.push({ kind: 'paragraph', text });
    else
      this.#blocks.push({
        kind: 'item',
        depth,
        text: LETTER_OR_DIGIT.test(marker) ? `${marker} ${text}` : text,
      });
    this.#blocks.push(...this.#after.splice(0));
  }

  endCell(): void {
    this.#cell.push(this.#text);
    this.#text = '';
    this.#marker = '';
    this.#row.push(this.#cell.join(' '));
    this.#cell = [];
    this.#afterTable.push(...this.#after.splice(0));
  }

  endRow(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
    this.#row = [];
  }

  /** Ends the document, and returns its blocks. */
  end(): Block[] {
    if (this.#cell.length > 0) this.endCell();
    this.endRow();
    this.endParagraph({ level: null, inTable: false, depth: 1 });
    return this.#blocks;
  }

  #endTable(): void {
    if (this.#rows.length === 0) return;
    this.#blocks.push({ kind: 'table', rows: this.#rows }, ...this.#afterTable.splice(0));
    this.#rows = [];
  }
}
