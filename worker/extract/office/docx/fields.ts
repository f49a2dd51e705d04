import type { Attributes } from '../xml.ts';
import { countOf, isOn, valueOf } from './values.ts';

/** A field that is open: its code, then its result. */
interface Field {
  isCode: boolean;
  hasText: boolean;
  /** What a field of a form shows. It has no result. */
  box: boolean | null;
  entries: string[];
  chosen: number;
}

const newField = (): Field => ({ isCode: true, hasText: false, box: null, entries: [], chosen: 0 });
/** Word has no more entries in a list of a form. */
const MAX_ENTRIES = 25;

/** Marks of boxes to check, as forms of PDF have them. */
export const checkMark = (isChecked: boolean) => (isChecked ? '[x]' : '[ ]');

/** Follows the fields of a text, whose codes are not shown. */
export class Fields {
  readonly #open: Field[] = [];
  #codes = 0;

  /** Whether the text here is the code of a field. */
  get isCode(): boolean {
    return this.#codes > 0;
  }

  /** Whether all fields have ended. */
  get areEnded(): boolean {
    return this.#open.length === 0;
  }

  /** Says that text is shown here: the field needs no other. */
  markText(): void {
    const field = this.#open.at(-1);
    if (field !== undefined) field.hasText = true;
  }

  /** Reads an element of a field. Returns the text that is shown in its place. */
  open(name: string, attributes: Attributes): string {
    const field = this.#open.at(-1);
    const value = valueOf(attributes, 'val');
    if (name === 'fldChar') return this.#turn(valueOf(attributes, 'fldCharType') ?? '');
    if (field === undefined || !field.isCode) return '';
    if (name === 'checkBox') field.box = false;
    else if (field.box !== null && (name === 'default' || name === 'checked')) field.box = isOn(attributes);
    else if (name === 'result' || (name === 'default' && field.box === null)) {
      field.chosen = countOf(value, 0, MAX_ENTRIES) ?? field.chosen;
    } else if (name === 'listEntry' && field.entries.length < MAX_ENTRIES) field.entries.push(value ?? '');
    return '';
  }

  #turn(type: string): string {
    const field = this.#open.at(-1);
    if (type === 'begin') {
      this.#open.push(newField());
      this.#codes += 1;
    } else if (field !== undefined && type === 'separate' && field.isCode) this.#endCode(field);
    else if (field !== undefined && type === 'end') {
      if (field.isCode) this.#endCode(field);
      this.#open.pop();
      if (field.hasText) this.markText();
      else if (!this.isCode)
        return field.box === null ? (field.entries[field.chosen] ?? '') : checkMark(field.box);
    }
    return '';
  }

  #endCode(field: Field): void {
    field.isCode = false;
    this.#codes -= 1;
  }
}
