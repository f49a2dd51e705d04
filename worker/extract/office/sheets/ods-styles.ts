import type { Attributes } from '../xml.ts';

/** What the styles of a spreadsheet of OpenDocument say: which cells are bold, and which sheets are hidden. */
export class OdsStyles {
  readonly #bold = new Set<string>();
  readonly #hidden = new Set<string>();
  /** The style that is read. */
  #open: { name: string; family: string } | null = null;

  /** Takes an element of the part with the content. Its styles are before its sheets. */
  openElement(name: string, attributes: Attributes): void {
    if (name === 'style:style') {
      const family = attributes['style:family'] ?? '';
      this.#open = { name: attributes['style:name'] ?? '', family };
      // A style that changes another one, which is before it, is as bold as that one.
      const parent = attributes['style:parent-style-name'];
      if (family === 'table-cell' && parent !== undefined && this.#bold.has(parent)) {
        this.#bold.add(this.#open.name);
      }
    } else if (name === 'style:text-properties' && this.#open?.family === 'table-cell') {
      const weight = attributes['fo:font-weight'];
      if (weight === 'bold') this.#bold.add(this.#open.name);
      else if (weight !== undefined) this.#bold.delete(this.#open.name);
    } else if (name === 'style:table-properties' && this.#open?.family === 'table') {
      if (attributes['table:display'] === 'false') this.#hidden.add(this.#open.name);
    }
  }

  /** Whether cells of a style are bold. */
  isBold(style: string | undefined): boolean {
    return style !== undefined && this.#bold.has(style);
  }

  /** Whether sheets of a style are hidden. */
  isHidden(style: string | undefined): boolean {
    return style !== undefined && this.#hidden.has(style);
  }
}
