import { readXml, type XmlHandler } from './xml.ts';
import type { ZipArchive } from './zip-archive.ts';

/* Formulas of OpenDocument, which are MathML, written in one line as people type them: `(a+b)/c`, `x^2`, `√c`. */

/** An open element: the texts of its children. */
interface Node {
  name: string;
  children: string[];
  text: string;
}

/** Elements with a text of their own. */
const TOKENS = new Set(['mi', 'mn', 'mo', 'mtext', 'ms']);
/** One letter, a number or a word; an expression in brackets. */
const SIMPLE = /^(?:[\p{L}\p{N}.,]+|\([^()]*\))$/u;
/** Longer texts get brackets without a look: each level of a formula would look at all below it again. */
const MAX_SIMPLE = 200;

/** What is between the parts of an element. */
const SEPARATORS: ReadonlyMap<string, string> = new Map([
  ['mfenced', ', '],
  ['mtr', ', '],
  ['mtable', '; '],
]);

const grouped = (text: string) => (text.length <= MAX_SIMPLE && SIMPLE.test(text) ? text : `(${text})`);

/** How elements are written that have a fixed number of parts. */
const WRITTEN: Readonly<Record<string, (first: string, second: string, third: string) => string>> = {
  mfrac: (above, below) => `${grouped(above)}/${grouped(below)}`,
  msup: (base, above) => `${base}^${grouped(above)}`,
  mover: (base, above) => `${base}^${grouped(above)}`,
  msub: (base, below) => `${base}_${grouped(below)}`,
  munder: (base, below) => `${base}_${grouped(below)}`,
  msubsup: (base, below, above) => `${base}_${grouped(below)}^${grouped(above)}`,
  munderover: (base, below, above) => `${base}_${grouped(below)}^${grouped(above)}`,
  mroot: (base, degree) => `${grouped(degree)}√${grouped(base)}`,
};

function written({ name, children, text }: Node): string {
  if (TOKENS.has(name)) return text.trim();
  if (name === 'mspace') return ' ';
  const write = Object.hasOwn(WRITTEN, name) ? WRITTEN[name] : undefined;
  const [first = '', second = '', third = ''] = children;
  if (write !== undefined) return write(first, second, third);
  const separator = SEPARATORS.get(name) ?? '';
  // Not `join`, which would copy the text at each level of the formula.
  const all = children.reduce(
    (joined, child, index) => (index === 0 ? child : joined + separator + child),
    '',
  );
  if (name === 'msqrt') return `√${grouped(all)}`;
  return name === 'mfenced' ? `(${all})` : all;
}

class FormulaReader implements XmlHandler {
  readonly #stack: Node[] = [];
  result = '';

  open(name: string): void {
    this.#stack.push({ name, children: [], text: '' });
  }

  text(piece: string): void {
    const node = this.#stack.at(-1);
    if (node !== undefined) node.text += piece;
  }

  close(): void {
    const node = this.#stack.pop();
    if (node === undefined) return;
    const parent = this.#stack.at(-1);
    const text = written(node);
    if (parent === undefined) this.result = text;
    // The notes of a program are not shown. An empty part keeps its place.
    else if (!node.name.startsWith('annotation')) parent.children.push(text);
  }
}

/**
 * The text of a formula; null if the archive has no such part.
 * @throws FileFault like `readXml`
 */
export async function mathText(archive: ZipArchive, path: string): Promise<string | null> {
  const reader = new FormulaReader();
  return (await readXml(archive, path, reader)) ? reader.result : null;
}
