import type { Attributes } from '../xml.ts';
import { NO_OUTLINE } from './styles.ts';
import { MAX_COLUMNS } from './tables.ts';
import { countOf, isOn, MAX_LEVEL, valueOf } from './values.ts';

/** What the properties of a paragraph, a run, a row, a cell or a content control say; undefined where they say nothing. */
export interface Properties {
  /** Of a paragraph or of a run: the identifier of its style. */
  style?: string | undefined;
  numId?: string | undefined;
  ilvl?: number | undefined;
  outline?: number | undefined;
  /** Whether the mark at the end of the paragraph is hidden. */
  isMarkHidden?: boolean | undefined;
  /** Whether the next paragraph continues this one. */
  continues?: boolean | undefined;
  isHidden?: boolean | undefined;
  isStruck?: boolean | undefined;
  isRaised?: boolean | undefined;
  font?: string | undefined;
  /** Of a row: columns before its first cell. */
  before?: number | undefined;
  /** Of a row that is hidden or deleted. */
  isLeftOut?: boolean | undefined;
  span?: number | undefined;
  isContinued?: boolean | undefined;
  /** Of a content control that is a box to check. */
  isChecked?: boolean | undefined;
}

const HOLDERS = new Set(['pPr', 'rPr', 'trPr', 'tcPr', 'tblPr', 'tblPrEx', 'sdtPr', 'sectPr']);

/** Text that is moved up by so much is an exponent, in half points. LibreOffice writes exponents so. */
const RAISED = 6;

/** Reads properties, without the former ones that tracked changes keep. */
export class PropertyReader {
  #path: string[] = [];
  #found: Properties = {};

  /** Whether properties are open, so that all elements are part of them. */
  get isOpen(): boolean {
    return this.#path.length > 0;
  }

  /** Whether an element holds properties. */
  static isHolder(name: string): boolean {
    return HOLDERS.has(name);
  }

  open(name: string, attributes: Attributes): void {
    const [holder, parent] = this.#path;
    this.#path.push(name);
    if (holder === undefined) this.#found = {};
    else if (this.#path.length === 2) this.#read(holder, name, attributes);
    else if (this.#path.length === 3) this.#readNested(holder, parent ?? '', name, attributes);
  }

  /** Ends an element. Returns what was found if it is the one that holds the properties, otherwise null. */
  close(): Properties | null {
    this.#path.pop();
    return this.isOpen ? null : this.#found;
  }

  #read(holder: string, name: string, attributes: Attributes): void {
    const value = valueOf(attributes, 'val');
    if (holder === 'pPr') {
      if (name === 'pStyle') this.#found.style = value;
      // The letter at the beginning of a text that is as high as several lines is a paragraph of its own.
      else if (name === 'framePr' && !['none', undefined].includes(valueOf(attributes, 'dropCap')))
        this.#found.continues = true;
      else if (name === 'outlineLvl') this.#found.outline = countOf(value, 0, NO_OUTLINE) ?? undefined;
    } else if (holder === 'rPr') this.#readRun(name, attributes);
    else if (holder === 'trPr') {
      if (name === 'gridBefore') this.#found.before = countOf(value, 0, MAX_COLUMNS) ?? 0;
      else if (name === 'del' || (name === 'hidden' && isOn(attributes))) this.#found.isLeftOut = true;
    } else if (holder === 'tcPr') {
      if (name === 'gridSpan') this.#found.span = countOf(value, 1, MAX_COLUMNS) ?? 1;
      else if (name === 'vMerge' || name === 'hMerge') this.#found.isContinued ||= value !== 'restart';
    } else if (holder === 'sdtPr' && name === 'checkbox') this.#found.isChecked = false;
  }

  #readRun(name: string, attributes: Attributes): void {
    const value = valueOf(attributes, 'val');
    if (name === 'rStyle') this.#found.style = value;
    else if (name === 'vanish') this.#found.isHidden = isOn(attributes);
    else if (name === 'strike' || name === 'dstrike') this.#found.isStruck ||= isOn(attributes);
    else if (name === 'vertAlign') this.#found.isRaised = value === 'superscript';
    else if (name === 'position') this.#found.isRaised ||= Number(value) >= RAISED;
    else if (name === 'rFonts') this.#found.font = valueOf(attributes, 'ascii');
  }

  #readNested(holder: string, parent: string, name: string, attributes: Attributes): void {
    const value = valueOf(attributes, 'val');
    if (holder === 'pPr' && parent === 'numPr') {
      if (name === 'numId') this.#found.numId = value;
      else if (name === 'ilvl') this.#found.ilvl = countOf(value, 0, MAX_LEVEL) ?? 0;
    } else if (holder === 'pPr' && parent === 'rPr') {
      if (name === 'vanish') this.#found.isMarkHidden = isOn(attributes);
      else if (name === 'del' || name === 'moveFrom') this.#found.continues = true;
    } else if (holder === 'sdtPr' && parent === 'checkbox' && name === 'checked') {
      this.#found.isChecked = isOn(attributes);
    }
  }
}
