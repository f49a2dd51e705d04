import type { Attributes, XmlHandler } from './xml.ts';

/** A chain of styles is not longer in a document; one that is can be a circle. */
const MAX_CHAIN = 50;

/** What a style says itself. */
interface Style {
  parent: string | null;
  /** Whether its text is hidden; null if it does not say. */
  isHidden: boolean | null;
}

/** Collects the styles of a document of OpenDocument: those with names, and those that the program made for its text. */
export class OpenDocumentStyles implements XmlHandler {
  /** By their family and name: a paragraph and a text can have styles of the same name. */
  readonly #styles = new Map<string, Style>();
  #open: Style | null = null;

  open(name: string, attributes: Attributes): void {
    if (name === 'style:style') {
      const family = attributes['style:family'] ?? '';
      const parent = attributes['style:parent-style-name'];
      this.#open = { parent: parent === undefined ? null : `${family} ${parent}`, isHidden: null };
      this.#styles.set(`${family} ${attributes['style:name'] ?? ''}`, this.#open);
    } else if (name === 'style:text-properties' && this.#open !== null) {
      const display = attributes['text:display'];
      if (display === 'none' || display === 'true') this.#open.isHidden = display === 'none';
    }
  }

  close(name: string): void {
    if (name === 'style:style') this.#open = null;
  }

  /** Whether a style hides its text, by itself or by a style that it is made from; null if none of them says. */
  isHidden(family: 'paragraph' | 'text', name: string): boolean | null {
    let style = this.#styles.get(`${family} ${name}`);
    for (let length = 0; style !== undefined && length < MAX_CHAIN; length += 1) {
      if (style.isHidden !== null || style.parent === null) return style.isHidden;
      style = this.#styles.get(style.parent);
    }
    return null;
  }
}
