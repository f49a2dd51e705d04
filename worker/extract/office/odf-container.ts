import type { Block } from '../text.ts';
import { labelled, listBlock } from './list-label.ts';
import type { ListPlace } from './odf-lists.ts';
import type { Row } from './odf-tables.ts';

/** An open element that contains blocks. */
export interface Container {
  kind: 'root' | 'paragraph' | 'table' | 'cell' | 'note' | 'comment';
  blocks: Block[];
  /** Of a paragraph: its text. */
  text: string;
  /** Of a paragraph: its heading level, or null. */
  level: number | null;
  /** Of a paragraph: how it is in a list; null if it is in none. */
  list: ListPlace | null;
  /** Of a paragraph: whether its text is hidden, and that of each text within it that has a style, innermost last. */
  hidden: boolean[];
  /** Of a paragraph: whether a field hides all of it. */
  isLeftOut: boolean;
  /** The depth of the outermost item of the list that is read, which is not indented. */
  base: number;
  rows: Row[];
  repeated: number;
  /** Of a note: its number. */
  number: number;
}

/** A container of a kind, with what is given. */
export const container = (kind: Container['kind'], given: Partial<Container> = {}): Container => ({
  kind,
  blocks: [],
  text: '',
  level: null,
  list: null,
  hidden: [],
  isLeftOut: false,
  base: 0,
  rows: [],
  repeated: 1,
  number: 0,
  ...given,
});

/** The block of a paragraph that has ended, with its number. A number without text is something to see only in a cell. */
function paragraphBlock({ text, level, list }: Container, isInCell: boolean): Block {
  if (text.trim() === '' && !isInCell)
    return list === null || list.depth === 0
      ? { kind: 'paragraph', text: '' }
      : { kind: 'item', depth: list.depth, text: '' };
  if (level !== null) return { kind: 'heading', level, text: labelled(list?.label ?? null, text) };
  const label = list?.label ?? null;
  return list === null || label === null ? { kind: 'paragraph', text } : listBlock(label, list.depth, text);
}

/** Adds a paragraph that has ended to what it is in. A further paragraph of an item is a line of it. */
export function addParagraph(outer: Container, paragraph: Container): void {
  const { text, level, list } = paragraph;
  const last = outer.blocks.at(-1);
  const lastItem = last?.kind === 'item' ? last : null;
  const isFurther = level === null && list?.isFurther === true && text.trim() !== '';
  if (isFurther && lastItem !== null && lastItem.depth === list.depth - outer.base + 1) {
    outer.blocks.splice(-1, 1, { ...lastItem, text: `${lastItem.text}\n${text}` });
    return;
  }
  const block = paragraphBlock(paragraph, outer.kind === 'cell');
  if (block.kind === 'item') {
    outer.base = lastItem === null ? block.depth : Math.min(outer.base, block.depth);
    outer.blocks.push({ ...block, depth: block.depth - outer.base + 1 });
  } else outer.blocks.push(block);
}
