/** How a piece of a paragraph looks, as far as its text depends on it. */
export interface TextForm {
  isStruck: boolean;
  isRaised: boolean;
}

const PLAIN: TextForm = { isStruck: false, isRaised: false };
/** Spaces and tabs only separate words. */
const SPACES = /[ \t\u00a0]+/g;
/** It only says where a line can be broken. */
const SOFT_HYPHENS = /\u00ad/g;
const RAISED_NUMBER = /^[+−-]?\d+$/;
/** Text that is struck out must not look like valid text. */
const STRIKE = '~~';

/** The text of a paragraph while it is read. */
export class ParagraphText {
  #text = '';
  /** Whether a line has just begun. To look at the end of a text that grows would copy it each time. */
  #isNewLine = true;
  /** Text that is raised: `10` and a raised `6` must not become 106. */
  #raised = '';
  #isStruck = false;

  /** Whether nothing but white space was added. */
  get isBlank(): boolean {
    return this.#text.trim() === '' && this.#raised.trim() === '';
  }

  add(text: string, { isStruck, isRaised }: TextForm = PLAIN): void {
    if (text === '') return;
    if (!isRaised || isStruck !== this.#isStruck) this.#endRaised();
    if (isStruck !== this.#isStruck) this.#append(STRIKE);
    this.#isStruck = isStruck;
    if (isRaised) this.#raised += text;
    else this.#append(text);
  }

  /** Begins a new line, unless one has just begun. */
  breakLine(): void {
    this.#endRaised();
    if (!this.#isNewLine) this.#append('\n');
  }

  /** Ends the paragraph. Spaces that only separate words become one, unless `isExact`. */
  end(isExact = false): string {
    this.#endRaised();
    if (this.#isStruck) this.#append(STRIKE);
    this.#isStruck = false;
    const text = this.#text.replace(SOFT_HYPHENS, '');
    return isExact ? text : text.replace(SPACES, ' ').trim();
  }

  #append(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#isNewLine = text.endsWith('\n');
  }

  #endRaised(): void {
    this.#append(RAISED_NUMBER.test(this.#raised) ? `^${this.#raised}` : this.#raised);
    this.#raised = '';
  }
}
