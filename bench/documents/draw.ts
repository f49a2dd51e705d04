import { seededRandom } from '../../test/support/generated-text.ts';
import { type Language, WORDS } from './languages.ts';

/** A row of a table. `<` is covered by the cell before it, `^` by the cell above. */
export type Row = readonly string[];
export type Look = 'ruled' | 'plain' | 'zebra' | 'lines';

type Words<Is> = Is extends string ? { is: Is; text: string } : never;

/** A piece of a document, in reading order. In a text, `^1` is a superscript; each line of it is a line of its own. */
export type Block =
  | Words<'heading' | 'text' | 'caption' | 'note' | 'twice'>
  | { is: 'list'; items: readonly string[]; ordered: boolean }
  | { is: 'contents'; rows: readonly Row[] }
  | { is: 'code'; lines: readonly string[] }
  | { is: 'table'; rows: readonly Row[]; look: Look; head: boolean }
  | { is: 'columns'; count: number; blocks: readonly Block[] }
  | { is: 'beside'; how: Beside; sides: readonly (readonly Block[])[] };
export type Beside = 'grid' | 'flex' | 'absolute' | 'float' | 'table';

/** Draws texts, the same for the same seed. */
export class Draw {
  readonly #random: () => number;
  readonly #words: readonly string[];
  /** Whether words have spaces between them. */
  readonly #spaced: boolean;

  constructor(seed: string, language: Language = 'en') {
    const hash = [...seed].reduce((sum, char) => Math.imul(sum, 31) + char.charCodeAt(0), 7);
    this.#random = seededRandom(hash);
    this.#words = WORDS[language].split(/\s+/);
    this.#spaced = !['zh', 'ja', 'tw'].includes(language);
  }

  below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  many<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, index) => make(index));
  }

  /** Many blocks, some for each. */
  series(least: number, most: number, make: (index: number) => Block[]): Block[] {
    return this.many(least, most, make).flat();
  }

  shuffled<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => [this.#random(), item] as const);
    return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
  }

  words(least: number, most = least): string {
    return this.many(least, most, () => this.pick(this.#words)).join(this.#spaced ? ' ' : '');
  }

  code(): string {
    return `${this.pick([...'BDFHKLMPRTX'])}${1000 + this.below(9000)}`;
  }

  amount(): string {
    return String(1 + this.below(90));
  }

  money(): string {
    const cents = String(this.below(100)).padStart(2, '0');
    return `${this.below(2) === 0 ? '' : `${1 + this.below(99)},`}${100 + this.below(900)}.${cents}`;
  }

  title(): string {
    const text = this.words(2, 4);
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  sentence(): string {
    if (!this.#spaced) return `${this.words(2, 3)}，${this.words(2, 4)}。`;
    const middle = this.below(3) === 0 ? `, ${this.code()} ${this.words(3, 6)}` : '';
    const text = `${this.words(5, 9)}${middle}.`;
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  text(least = 3, most = 6): string {
    return this.many(least, most, () => this.sentence()).join(this.#spaced ? ' ' : '');
  }

  paragraphs(least: number, most: number): Block[] {
    return this.many(least, most, () => text(this.text()));
  }

  heading(): Block {
    return { is: 'heading', text: this.title() };
  }

  table(look: Look, least: number, most: number, cells: readonly (() => string)[], head = true): Block {
    const rows = this.many(least, most, () => cells.map((cell) => cell()));
    return { is: 'table', look, head, rows: head ? [cells.map(() => this.words(1, 2)), ...rows] : rows };
  }

  /** A table of articles: a code, a name, a number and a price. */
  articles(look: Look, least: number, most: number): Block {
    const name = () => this.words(1, 2);
    return this.table(look, least, most, [() => this.code(), name, () => this.amount(), () => this.money()]);
  }

  chapters(least: number, most: number): Block[] {
    return this.series(least, most, () => [this.heading(), ...this.paragraphs(2, 4)]);
  }

  sides(count: number, least: number, most: number): Block[][] {
    return this.many(count, count, () => [this.heading(), ...this.paragraphs(least, most)]);
  }

  address(): Block {
    const lines = [
      this.title(),
      `${this.words(1)} ${this.amount()}`,
      `${10_000 + this.below(80_000)} ${this.words(1)}`,
    ];
    return text(lines.join('\n'));
  }
}

/** A paragraph. */
export const text = (words: string): Block => ({ is: 'text', text: words });
export const list = (items: readonly string[], ordered = false): Block => ({ is: 'list', items, ordered });
export const columns = (count: number, blocks: readonly Block[]): Block => ({ is: 'columns', count, blocks });
export const beside = (how: Beside, sides: readonly Block[][]): Block => ({ is: 'beside', how, sides });
