import { countOf } from './docx/values.ts';
import { isBulletText, type ListLabel, MAX_LABEL } from './list-label.ts';
import { showListNumber } from './list-numbers.ts';
import type { Attributes } from './xml.ts';

/** OpenDocument has ten levels of lists. */
export const MAX_LEVEL = 10;
/** Larger numbers are those of a damaged file. */
const MAX_START = 1_000_000;
/** No program shows a longer text before or after a number. */
const MAX_AFFIX = 255;

/** A level of a list, or of the headings. */
interface Level {
  isBullet: boolean;
  /** The name of a format of `showListNumber`; null if it shows no number. */
  format: string | null;
  prefix: string;
  suffix: string;
  /** How many numbers it shows: its own, and those of the levels above. */
  shown: number;
  start: number;
  /** All of it in LibreOffice, with `%1%` for the number of the first level; null if the file does not have it. */
  pattern: string | null;
  separator: string;
}

/** The levels of a list style by their numbers, from 1. */
export type Levels = ReadonlyMap<number, Level>;

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['1', 'decimal'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
  // LibreOffice names others by their first numbers.
  ['01, 02', 'decimalZero'],
  ['１, ２', 'decimalFullWidth'],
  ['①, ②', 'decimalEnclosedCircle'],
  ['一, 二', 'chineseCounting'],
  ['壹, 贰', 'chineseLegalSimplified'],
  ['壹, 貳', 'ideographLegalTraditional'],
  ['壱, 弐', 'japaneseLegal'],
  ['甲, 乙', 'ideographTraditional'],
  ['子, 丑', 'ideographZodiac'],
  ['ア, イ', 'aiueo'],
  ['イ, ロ', 'iroha'],
  ['일, 이', 'koreanCounting'],
  ['가, 나', 'ganada'],
  ['ㄱ, ㄴ', 'chosung'],
  ['А, Б', 'russianUpper'],
  ['а, б', 'russianLower'],
  ['أ, ب', 'arabicAlpha'],
]);
/** The first two numbers of such a name. */
const FIRST_TWO = /^[^,]{1,20}, [^,]{1,20}/;

/** The format of the numbers of a level; null if it shows none. */
function formatOf(attributes: Attributes): string | null {
  const name = attributes['style:num-format'] ?? '';
  if (name === '') return null;
  const isCounted = attributes['style:num-letter-sync'] !== 'true';
  if (name === 'a') return isCounted ? 'lowerLetterCounted' : 'lowerLetter';
  if (name === 'A') return isCounted ? 'upperLetterCounted' : 'upperLetter';
  return FORMATS.get(FIRST_TWO.exec(name)?.[0] ?? name) ?? 'decimal';
}

const LEVELS = new Set([
  'text:list-level-style-bullet',
  'text:list-level-style-image',
  'text:list-level-style-number',
  'text:outline-level-style',
]);
const NUMBER = /^text:(?:list-level-style-number|outline-level-style)$/;

function levelOf(name: string, attributes: Attributes): Level {
  return {
    isBullet: !NUMBER.test(name),
    format: formatOf(attributes),
    prefix: (attributes['style:num-prefix'] ?? '').slice(0, MAX_AFFIX),
    suffix: (attributes['style:num-suffix'] ?? '').slice(0, MAX_AFFIX),
    shown: countOf(attributes['text:display-levels'], 1, MAX_LEVEL) ?? 1,
    start: startOf(attributes) ?? 1,
    pattern: attributes['loext:num-list-format']?.slice(0, MAX_AFFIX) ?? null,
    separator: ' ',
  };
}

/** The number with which a list begins, if an element gives one. */
export const startOf = (attributes: Attributes) => countOf(attributes['text:start-value'], 0, MAX_START);

/** The styles of the lists of a document, and that of its headings. */
export class ListStyles {
  readonly #styles = new Map<string, Map<number, Level>>();
  /** The style of the headings, which is also that of lists with its name. */
  outline: { name: string; levels: Levels } = { name: 'Outline', levels: new Map() };
  #open: Map<number, Level> | null = null;
  #level: Level | null = null;

  open(name: string, attributes: Attributes): void {
    if (name === 'text:list-style' || name === 'text:outline-style') {
      this.#open = new Map();
      const own = attributes['style:name'] ?? 'Outline';
      if (name === 'text:list-style') this.#styles.set(own, this.#open);
      else this.outline = { name: own, levels: this.#open };
    } else if (LEVELS.has(name) && this.#open !== null) {
      this.#level = levelOf(name, attributes);
      this.#open.set(countOf(attributes['text:level'], 1, MAX_LEVEL) ?? 1, this.#level);
    } else if (name === 'style:list-level-label-alignment' && this.#level !== null) {
      this.#level.separator = attributes['text:label-followed-by'] === 'nothing' ? '' : ' ';
    }
  }

  close(name: string): void {
    if (name === 'text:list-style' || name === 'text:outline-style') this.#open = null;
    else if (LEVELS.has(name)) this.#level = null;
  }

  /** The levels of a list style; null if the document has none of this name. */
  levels(name: string): Levels | null {
    return name === this.outline.name ? this.outline.levels : (this.#styles.get(name) ?? null);
  }
}

const PLACE = /%(\d{1,2})%/g;

/**
 * What a paragraph of a level begins with. A level that the style does not have is one of bullets.
 * @param values the last number of each level; a level without one shows its first
 */
export function labelOf(levels: Levels, number: number, values: readonly (number | undefined)[]): ListLabel {
  const level = levels.get(number);
  if (level === undefined || level.isBullet) return { text: '', isBullet: true, separator: ' ' };
  const show = (index: number) => {
    const { format = 'decimal', start = 1 } = levels.get(index) ?? {};
    return format === null ? '' : showListNumber(values[index] ?? start, format);
  };
  const { prefix, suffix, shown, pattern, separator } = level;
  const above = Array.from(
    { length: Math.min(shown, number) },
    (_, index) => index + 1 + number - Math.min(shown, number),
  );
  const numbers = above.map(show).filter((text) => text !== '');
  const text =
    pattern === null
      ? prefix + numbers.join('.') + suffix
      : pattern.replace(PLACE, (_, index: string) => show(Number(index)));
  return { text: text.trim().slice(0, MAX_LABEL), isBullet: isBulletText(text), separator };
}
