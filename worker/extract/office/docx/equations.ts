import type { Attributes, XmlHandler } from '../xml.ts';
import { valueOf } from './values.ts';

/*
 * Equations of Office (ISO/IEC 29500-1, 22.1), written in one line as people type them: `x^2`, `(a+b)/c`, `√x`.
 */

/** An open element of an equation. */
interface Node {
  name: string;
  /** The texts of its parts, by the names of their elements; those of `e` in order. */
  parts: Map<string, string[]>;
  /** The text of its other content, in order. */
  text: string;
  properties: Map<string, string>;
  /** What was added last to its text. To look at the end of the text itself would copy it each time. */
  last: string;
  /** Whether its text ends with the name of a function. */
  endsWithWord: boolean;
}

const nodeOf = (name: string): Node => ({
  name,
  parts: new Map(),
  text: '',
  properties: new Map(),
  last: '',
  endsWithWord: false,
});

/** Elements that are built from named parts. */
const BUILT = new Set(
  'acc bar d eqArr f func groupChr limLow limUpp m mr nary rad sPre sSub sSubSup sSup oMath'.split(' '),
);
/** The parts of such elements. */
const PARTS = new Set('e num den sub sup deg fName lim'.split(' '));
/** What has no text of the equation: its properties, deleted text and its form. */
const SKIPPED = new Set('ctrlPr del moveFrom argPr instrText delText annotation Fallback'.split(' '));
const PROPERTIES = new Set([
  'begChr',
  'endChr',
  'sepChr',
  'chr',
  'pos',
  'type',
  'degHide',
  'subHide',
  'supHide',
]);

/** Letters with a style of their own, which a search would not find: `𝑥` is `x`. */
const STYLED = /[\u{1d400}-\u{1d7ff}\u210e]/gu;
/** Needs no brackets beside a mark: a number, a letter, a word, or what is in brackets. */
const SIMPLE = /^(?:[+−-]?(?:[\d.,]+|∞)|\p{L}[\p{L}\p{M}′']*|\([^()]*\)|[*+′−-])$/u;
/** The name of a function. */
const NAME = /^\p{L}{2,10}$/u;
/** A sign that a word is apart from. */
const LETTER_AT_END = /[\p{L}\p{M}\p{N})]$/u;
const NAME_AT_START = /^\p{L}{2,10}(?!\p{L})/u;
/** What the name of a function can be in. */
const NAMED = new Set(['func', 'limLow', 'limUpp', 'sSub', 'sSubSup', 'sSup']);
const SPACES = /\s+/g;

/** Longer texts are not tested: each level of an equation would test all below it again. */
const MAX_SIMPLE = 200;

const grouped = (text: string) =>
  text === '' || (text.length <= MAX_SIMPLE && SIMPLE.test(text)) ? text : `(${text})`;
const lowered = (text: string) => (text === '' ? '' : `_${grouped(text)}`);
const raised = (text: string) => (text === '' ? '' : `^${grouped(text)}`);

/** A mark over a letter follows it in Unicode. */
const isCombining = (text: string) => /^\p{M}+$/u.test(text);

type Build = (part: (name: string) => string, node: Node) => string;

const all = ({ parts }: Node) => parts.get('e') ?? [];
const property = ({ properties }: Node, name: string, otherwise: string) => properties.get(name) ?? otherwise;
const isSet = ({ properties }: Node, name: string) =>
  !['0', 'off', 'false', undefined].includes(properties.get(name));

const accented: Build = (part, node) => {
  const mark = property(node, 'chr', '\u0302');
  return isCombining(mark) && [...part('e')].length === 1 ? `${part('e')}${mark}` : part('e');
};

const BUILDERS: Readonly<Record<string, Build>> = {
  acc: accented,
  d: (_, node) =>
    property(node, 'begChr', '(') +
    all(node).join(property(node, 'sepChr', '|')) +
    property(node, 'endChr', ')'),
  eqArr: (_, node) => all(node).join('\n'),
  f: (part, node) =>
    property(node, 'type', 'bar') === 'noBar'
      ? `${part('num')}¦${part('den')}`
      : `${grouped(part('num'))}/${grouped(part('den'))}`,
  func: (part) => (/^[([]/.test(part('e')) ? part('fName') + part('e') : `${part('fName')} ${part('e')}`),
  limLow: (part) => `${part('e')}${lowered(part('lim'))}`,
  limUpp: (part) => `${part('e')}${raised(part('lim'))}`,
  m: (_, { parts }) => (parts.get('mr') ?? []).join('; '),
  mr: (_, node) => all(node).join(', '),
  nary: (part, node) =>
    `${property(node, 'chr', '∫')}${isSet(node, 'subHide') ? '' : lowered(part('sub'))}${isSet(node, 'supHide') ? '' : raised(part('sup'))} ${part('e')}`,
  rad: (part, node) =>
    isSet(node, 'degHide') || part('deg') === ''
      ? `√${grouped(part('e'))}`
      : `√[${part('deg')}]${grouped(part('e'))}`,
  sPre: (part) => `${lowered(part('sub'))}${raised(part('sup'))} ${part('e')}`.trim(),
  sSub: (part) => `${grouped(part('e'))}${lowered(part('sub'))}`,
  sSup: (part) => `${grouped(part('e'))}${raised(part('sup'))}`,
  sSubSup: (part) => `${grouped(part('e'))}${lowered(part('sub'))}${raised(part('sup'))}`,
};

/** Reads one equation. */
export class EquationReader implements XmlHandler {
  readonly #stack: Node[] = [nodeOf('oMath')];
  #skipped = 0;
  #isText = false;
  #isUpright = false;

  open(name: string, attributes: Attributes): void {
    if (this.#skipped > 0 || SKIPPED.has(name)) this.#skipped += 1;
    else if (BUILT.has(name) || PARTS.has(name)) {
      this.#stack.push(nodeOf(name));
    } else if (PROPERTIES.has(name)) this.#top.properties.set(name, valueOf(attributes, 'val') ?? '');
    else if (name === 'r') this.#isUpright = false;
    else if (name === 'sty') this.#isUpright = valueOf(attributes, 'val') === 'p';
    else if (name === 't') this.#isText = true;
    else if (name === 'br') this.#addPiece(this.#top, ' ');
  }

  text(piece: string): void {
    if (this.#isText && this.#skipped === 0) {
      const text = piece.replace(STYLED, (letter) => letter.normalize('NFKC')).replace(SPACES, ' ');
      const isWord = this.#isUpright && NAME.test(text);
      this.#add(text, isWord, isWord);
    }
  }

  close(name: string): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (name === 't') this.#isText = false;
    else if (this.#stack.length > 1 && this.#top.name === name) this.#closeNode();
  }

  /** The text of the equation. */
  end(): string {
    while (this.#stack.length > 1) this.#closeNode();
    return this.#top.text.trim();
  }

  /** Adds text. A word is apart from the letters around it: `sin x`. */
  #add(text: string, startsWithWord: boolean, endsWithWord: boolean): void {
    const node = this.#top;
    const isApart =
      (startsWithWord && LETTER_AT_END.test(node.last)) ||
      (node.endsWithWord && /^[\p{L}\p{N}√]/u.test(text));
    this.#addPiece(node, isApart ? ` ${text}` : text);
    node.endsWithWord = endsWithWord;
  }

  #addPiece(node: Node, piece: string): void {
    if (piece === '') return;
    node.text += piece;
    node.last = piece;
  }

  get #top(): Node {
    return this.#stack.at(-1) as Node;
  }

  #closeNode(): void {
    const node = this.#stack.pop() as Node;
    const build = Object.hasOwn(BUILDERS, node.name) ? BUILDERS[node.name] : undefined;
    const part = (name: string) => (node.parts.get(name) ?? []).join(' ').trim();
    const text = build === undefined ? node.text : build(part, node);
    const { name, parts: outer } = this.#top;
    if (!(PARTS.has(node.name) && Object.hasOwn(BUILDERS, name)) && node.name !== 'mr') {
      const isWord = NAMED.has(node.name) && NAME_AT_START.test(text);
      this.#add(text, isWord, isWord && node.name !== 'func');
    } else if (outer.has(node.name)) outer.get(node.name)?.push(text);
    else outer.set(node.name, [text]);
  }
}
