import { pushAll } from '../../push-all.ts';
import type { Block, TextBudget } from '../../text.ts';
import { ParagraphText, type TextForm } from './paragraph-text.ts';
import { type ParagraphForms, paragraphBlock } from './paragraphs.ts';
import type { Properties } from './properties.ts';
import { type Row, tableBlocks } from './tables.ts';

/** An open element that contains blocks: the text itself, a cell, or a box of text. */
interface Blocks {
  kind: 'root' | 'cell' | 'box';
  blocks: Block[];
  /** Notes, which come after the outermost table. */
  notes: Block[];
  /** The text of a paragraph whose mark is deleted: the next paragraph continues it. */
  carried: ParagraphText | null;
  /** The level of the outermost item of the list, which is not indented. */
  base: number;
  /** Of a cell. */
  properties: Properties;
}

interface Paragraph {
  kind: 'paragraph';
  text: ParagraphText;
  properties: Properties;
  /** What is anchored in it. */
  after: Block[];
  notes: Block[];
}

interface Table {
  kind: 'table';
  rows: Row[];
  notes: Block[];
}

type Container = Blocks | Paragraph | Table;

const blocksOf = (kind: Blocks['kind']): Blocks => ({
  kind,
  blocks: [],
  notes: [],
  carried: null,
  base: 0,
  properties: {},
});

/** Arranges the paragraphs, tables and boxes of a text as blocks, in the order in which they are read. */
export class StoryBlocks {
  readonly #forms: ParagraphForms;
  readonly #budget: TextBudget;
  #root = blocksOf('root');
  #stack: Container[] = [this.#root];

  constructor(forms: ParagraphForms, budget: TextBudget) {
    this.#forms = forms;
    this.#budget = budget;
  }

  /** The properties of the paragraph that is open; null outside of paragraphs. */
  get paragraph(): Properties | null {
    return this.#paragraph?.properties ?? null;
  }

  /** The blocks since the last call. */
  takeBlocks(): Block[] {
    this.#endCarried(this.#root);
    const { blocks } = this.#root;
    this.#root = blocksOf('root');
    this.#stack = [this.#root];
    return blocks;
  }

  openParagraph(): void {
    const outer = this.#top;
    const carried = 'carried' in outer ? outer.carried : null;
    if ('carried' in outer) outer.carried = null;
    const text = carried ?? new ParagraphText();
    this.#stack.push({ kind: 'paragraph', text, properties: {}, after: [], notes: [] });
  }

  /** Adds text to the paragraph that is open. Returns whether there is one. */
  addText(text: string, form?: TextForm): boolean {
    this.#paragraph?.text.add(text, form);
    return this.#paragraph !== null;
  }

  /** Begins a new line in the paragraph that is open. */
  breakLine(): void {
    this.#paragraph?.text.breakLine();
  }

  /** Adds blocks that are anchored here: they come after the paragraph. */
  addBlocks(blocks: readonly Block[]): void {
    const top = this.#top;
    if (top.kind === 'table') return;
    pushAll(top.kind === 'paragraph' ? top.after : top.blocks, blocks);
  }

  /** Adds a note. It comes after the paragraph, or after the table that the paragraph is in. */
  addNote(text: string): void {
    const block: Block = { kind: 'paragraph', text };
    this.#count(block);
    this.#addNotes(this.#top, [block]);
  }

  closeParagraph(): void {
    const paragraph = this.#paragraph;
    if (paragraph === null) return;
    this.#stack.pop();
    const outer = this.#top;
    if (!('carried' in outer) || paragraph.properties.continues !== true) {
      const block = paragraphBlock(paragraph, this.#forms, outer.kind === 'cell');
      if (block !== null) this.#addBlock(outer, block);
    } else outer.carried = paragraph.text;
    this.addBlocks(paragraph.after);
    this.#addNotes(outer, paragraph.notes);
  }

  openBox(): void {
    this.#stack.push(blocksOf('box'));
  }

  closeBox(): void {
    if (this.#top.kind !== 'box') return;
    this.#endCarried(this.#top);
    const { blocks, notes } = this.#top;
    this.#stack.pop();
    this.addBlocks(blocks);
    this.#addNotes(this.#top, notes);
  }

  openTable(): void {
    this.#stack.push({ kind: 'table', rows: [], notes: [] });
  }

  openRow(): void {
    if (this.#top.kind === 'table') this.#top.rows.push({ cells: [], before: 0, isLeftOut: false });
  }

  openCell(): void {
    if (this.#top.kind !== 'table') return;
    if (this.#top.rows.length === 0) this.openRow();
    this.#stack.push(blocksOf('cell'));
  }

  closeCell(): void {
    const cell = this.#top;
    if (cell.kind !== 'cell') return;
    this.#endCarried(cell);
    this.#stack.pop();
    const row = this.#top.kind === 'table' ? this.#top.rows.at(-1) : undefined;
    if (row === undefined) return;
    const { span = 1, isContinued = false } = cell.properties;
    row.cells.push({ blocks: cell.blocks, span, isContinued });
    if (!row.isLeftOut) this.#addNotes(this.#top, cell.notes);
  }

  closeTable(): void {
    const table = this.#top;
    if (table.kind !== 'table') return;
    this.#stack.pop();
    this.addBlocks(tableBlocks(table.rows, this.#budget));
    this.#addNotes(this.#top, table.notes);
  }

  /** Applies properties that have ended to what is open. `holder` is their element. */
  applyProperties(holder: string, properties: Properties): void {
    const top = this.#top;
    if (holder === 'pPr' && top.kind === 'paragraph') top.properties = properties;
    else if (holder === 'tcPr' && top.kind === 'cell') top.properties = properties;
    else if (holder === 'trPr' && top.kind === 'table') {
      const row = top.rows.at(-1);
      if (row !== undefined)
        Object.assign(row, { before: properties.before ?? 0, isLeftOut: properties.isLeftOut ?? false });
    }
  }

  get #top(): Container {
    return this.#stack.at(-1) ?? this.#root;
  }

  get #paragraph(): Paragraph | null {
    return this.#top.kind === 'paragraph' ? this.#top : null;
  }

  /** Adds the block of a paragraph. Paragraphs of code are one block, and the first item of a list is not indented. */
  #addBlock(outer: Container, block: Block): void {
    this.#count(block);
    if (!('base' in outer)) {
      this.addBlocks([block]);
      return;
    }
    const last = outer.blocks.at(-1);
    if (block.kind === 'item') {
      outer.base = last?.kind === 'item' ? Math.min(outer.base, block.depth) : block.depth;
      outer.blocks.push({ ...block, depth: block.depth - outer.base + 1 });
    } else if (block.kind === 'code' && last?.kind === 'code') last.text += `\n${block.text}`;
    else outer.blocks.push(block);
  }

  #addNotes(outer: Container, notes: readonly Block[]): void {
    pushAll(outer.kind === 'root' ? outer.blocks : outer.notes, notes);
  }

  #endCarried(outer: Blocks): void {
    const text = outer.carried?.end() ?? '';
    if (text !== '') outer.blocks.push({ kind: 'paragraph', text });
    outer.carried = null;
  }

  #count(block: Block): void {
    if (block.kind !== 'table') this.#budget.addText(block.text.length + 1);
  }
}
