import { countOf } from './docx/values.ts';
import type { ListLabel } from './list-label.ts';
import { type ListStyles, labelOf, MAX_LEVEL, startOf } from './odf-list-styles.ts';
import type { Attributes } from './xml.ts';

/** The last number of each level, by the number of the level; undefined before its first item. */
type Counts = (number | undefined)[];

interface Item {
  /** Whether it is the head of a list, which has no number. */
  isHeader: boolean;
  /** Whether its first paragraph was read, which has the number. */
  isCounted: boolean;
  start: number | null;
  /** The style of this item only. */
  style: string | null;
}

interface OpenList {
  /** What the list is in. Paragraphs in other containers, such as a cell in the list, are not in the list. */
  holder: object;
  counts: Counts;
  style: string | null;
  level: number;
  item: Item | null;
}

/** How a paragraph is in a list. */
export interface ListPlace {
  /** The level of the list, from 1. */
  depth: number;
  /** Null if nothing is before the text. */
  label: ListLabel | null;
  /** Whether an item that has its number in an earlier paragraph has this one too. */
  isFurther: boolean;
}

/** Counts a paragraph of a level; the levels below begin again. */
function count(counts: Counts, level: number, first: number, start: number | null): void {
  const last = counts[level];
  counts[level] = start ?? (last === undefined ? first : last + 1);
  counts.length = level + 1;
}

/** The lists of a text of OpenDocument, whose items and headings it counts in order (ODF 1.3 part 3, 5.3 and 19.880). */
export class OpenDocumentLists {
  readonly #styles: ListStyles;
  readonly #stack: OpenList[] = [];
  readonly #byId = new Map<string, Counts>();
  /** The counts of the last list of each style. */
  readonly #ofStyle = new Map<string, Counts>();
  readonly #outline: Counts = [];

  constructor(styles: ListStyles) {
    this.#styles = styles;
  }

  /** @param holder what the list is in */
  openList(attributes: Attributes, holder: object): void {
    const outer = this.#innermost(holder);
    const style = attributes['text:style-name'] ?? outer?.style ?? null;
    const level = Math.min((outer?.level ?? 0) + 1, MAX_LEVEL);
    const counts = outer === null ? this.#countsOf(style, attributes) : outer.counts;
    const isContinued = attributes['text:continue-numbering'] === 'true';
    if (outer !== null && !isContinued) counts.length = Math.min(counts.length, level);
    this.#remember(attributes['xml:id'], style, counts);
    this.#stack.push({ holder, counts, style, level, item: null });
  }

  /** A paragraph that is an item of a list without being in one (`text:numbered-paragraph`). */
  openNumbered(attributes: Attributes, holder: object): void {
    const id = attributes['text:list-id'];
    const style = attributes['text:style-name'] ?? null;
    const counts = this.#byId.get(id ?? '') ?? this.#countsOf(style, attributes);
    this.#remember(id, style, counts);
    const level = countOf(attributes['text:level'], 1, MAX_LEVEL) ?? 1;
    this.#stack.push({ holder, counts, style, level, item: null });
    this.openItem(attributes);
  }

  closeList(): void {
    this.#stack.pop();
  }

  /** @param isHeader whether it is the head of a list, which has no number */
  openItem(attributes: Attributes, isHeader = false): void {
    const list = this.#stack.at(-1);
    if (list === undefined) return;
    const style = attributes['text:style-override'] ?? null;
    list.item = { isHeader, isCounted: false, start: startOf(attributes), style };
  }

  /**
   * Reads the next paragraph, and counts it if it is the first of its item.
   * @param holder what it is in
   * @param listStyle that of its own style, which applies if the list has none
   * @returns null if it is in no list
   */
  paragraph(holder: object, listStyle: string | null): ListPlace | null {
    const list = this.#innermost(holder);
    if (list === null) return null;
    const { counts, level, item } = list;
    if (item === null || item.isHeader || item.isCounted)
      return { depth: level, label: null, isFurther: item?.isCounted === true };
    item.isCounted = true;
    const levels = this.#styles.levels(item.style ?? list.style ?? listStyle ?? '') ?? new Map();
    count(counts, level, levels.get(level)?.start ?? 1, item.start);
    return { depth: level, label: labelOf(levels, level, counts), isFurther: false };
  }

  /**
   * Counts a heading that is in no list.
   * @param listStyle the list style of its own style: an empty name is that of no number
   */
  heading(level: number, attributes: Attributes, listStyle: string | null): ListLabel | null {
    if (listStyle === '' || attributes['text:is-list-header'] === 'true' || level > MAX_LEVEL) return null;
    const { levels } = this.#styles.outline;
    const first = levels.get(level)?.start ?? 1;
    const start = startOf(attributes) ?? first;
    count(this.#outline, level, first, attributes['text:restart-numbering'] === 'true' ? start : null);
    return levels.has(level) ? labelOf(levels, level, this.#outline) : null;
  }

  #innermost(holder: object): OpenList | null {
    const list = this.#stack.at(-1);
    return list?.holder === holder ? list : null;
  }

  /** The counts of a list that is in no other: those of the list that it continues, or new ones. */
  #countsOf(style: string | null, attributes: Attributes): Counts {
    if (style === this.#styles.outline.name) return this.#outline;
    const continued = this.#byId.get(attributes['text:continue-list'] ?? '');
    const ofStyle =
      attributes['text:continue-numbering'] === 'true' ? this.#ofStyle.get(style ?? '') : undefined;
    return continued ?? ofStyle ?? [];
  }

  #remember(id: string | undefined, style: string | null, counts: Counts): void {
    if (id !== undefined) this.#byId.set(id, counts);
    this.#ofStyle.set(style ?? '', counts);
  }
}
