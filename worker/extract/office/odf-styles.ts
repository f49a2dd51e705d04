import { ListStyles } from './odf-list-styles.ts';
import type { Attributes, XmlHandler } from './xml.ts';

/** A chain of styles is not longer in a document; one that is can be a circle. */
const MAX_CHAIN = 50;

/** What a style says itself. */
interface Style {
  parent: string | null;
  /** Whether its text is hidden; null if it does not say. */
  isHidden: boolean | null;
  /** The style of the list of its paragraphs: empty if they have no number, and null if it does not say. */
  list: string | null;
}

/** Collects the styles of a document of OpenDocument: those with names, and those that the program made for its text. */
export class OpenDocumentStyles implements XmlHandler {
  /** By their family and name: a paragraph and a text can have styles of the same name. */
  readonly #styles = new Map<string, Style>();
  readonly lists = new ListStyles();
  #open: Style | null = null;

  open(name: string, attributes: Attributes): void {
    if (name === 'style:style') {
      const family = attributes['style:family'] ?? '';
      const parent = attributes['style:parent-style-name'];
      this.#open = {
        parent: parent === undefined ? null : `${family} ${parent}`,
        isHidden: null,
        list: attributes['style:list-style-name'] ?? null,
      };
      this.#styles.set(`${family} ${attributes['style:name'] ?? ''}`, this.#open);
    } else if (name === 'style:text-properties' && this.#open !== null) {
      const display = attributes['text:display'];
      if (display === 'none' || display === 'true') this.#open.isHidden = display === 'none';
    } else this.lists.open(name, attributes);
  }

  close(name: string): void {
    if (name === 'style:style') this.#open = null;
    else this.lists.close(name);
  }

  /** Whether a style hides its text, by itself or by a style that it is made from; null if none of them says. */
  isHidden(family: 'paragraph' | 'text', name: string): boolean | null {
    return this.#first(`${family} ${name}`, ({ isHidden }) => isHidden);
  }

  /** The list style of a paragraph style, in the same way. It is empty if its paragraphs have no number. */
  listStyle(name: string): string | null {
    return this.#first(`paragraph ${name}`, ({ list }) => list);
  }

  /** What the first style says that says it: the named one, or one that it is made from. */
  #first<T>(name: string, says: (style: Style) => T | null): T | null {
    let style = this.#styles.get(name);
    for (let length = 0; style !== undefined && length < MAX_CHAIN; length += 1) {
      const said = says(style);
      if (said !== null || style.parent === null) return said;
      style = this.#styles.get(style.parent);
    }
    return null;
  }
}
