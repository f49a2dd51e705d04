/** The parts of names in program text: `getUserById` has "get", "user", "by" and "id", `sha256` has "sha" and "256". */

import { DIGIT, HUMP, isHump, LETTER, OMITTED, unitTraits } from './characters.ts';

/** Longer words are not divided: they are not names, and would have very many parts. */
const MAX_NAME_LENGTH = 64;
/** A part with more changes between letters and digits is a code, such as a hash, whose pieces mean nothing. */
const MAX_DIGIT_PIECES = 3;

/** Receives the parts of a word, each as a part of a text. */
interface PartVisitor {
  part(normal: string, from: number, to: number): void;
}

/** Whether a word with these traits can have parts. */
export function hasParts(traits: number): boolean {
  return (traits & OMITTED) === 0 && ((traits & HUMP) !== 0 || traits === (LETTER | DIGIT));
}

type VisitPart = (from: number, to: number) => void;

/** A word: a part of a normalized text, and of the same text before it was turned into lower case. */
interface Name {
  normal: string;
  cased: string;
  from: number;
  to: number;
}

const isUpper = ({ normal, cased }: Name, index: number) => isHump(normal, cased, index);
const isDigit = ({ normal }: Name, index: number) => unitTraits(normal.charCodeAt(index)) === DIGIT;
const isLower = (name: Name, index: number) =>
  index < name.to && !isUpper(name, index) && !isDigit(name, index);

/**
 * Visits the parts of a word: between a lower and an upper case letter, before the last capital of several if a lower
 * case letter follows (`HTTPServer`), after digits (`utf8Decoder`), and between letters and digits. A word of one part
 * is not visited.
 */
export function visitParts(
  normal: string,
  cased: string,
  from: number,
  to: number,
  visitor: PartVisitor,
): void {
  if (to - from > MAX_NAME_LENGTH) return;
  const name: Name = { normal, cased, from, to };
  const visit: VisitPart = (start, end) => visitor.part(normal, start, end);
  let start = from;
  // Where the second capital of a part is that begins with two: "OAuth" is both one part and "O" with "Auth".
  let second = 0;
  const end = (at: number) => {
    if (start > from || at < to) visit(start, at);
    if (second > 0) {
      visit(start, second);
      visit(second, at);
    }
    visitDigitPieces(name, start, at, visit);
    start = at;
    second = 0;
  };
  let hasLetter = !isDigit(name, from);
  for (let i = from + 1; i < to; i++) {
    if (!isUpper(name, i)) {
      hasLetter ||= !isDigit(name, i);
      continue;
    }
    if (!isUpper(name, i - 1)) {
      // Digits before the first letter belong to it: "3DModel".
      if (hasLetter) end(i);
    } else if (isLower(name, i + 1) && !isPlural(name, i + 1)) {
      if (i - start > 1) end(i);
      else second = i;
    }
    hasLetter = true;
  }
  end(to);
}

/** Whether the "s" of "APIs" is at this index: the acronym before it is one part with it. */
function isPlural(name: Name, index: number): boolean {
  return name.normal.charCodeAt(index) === 0x73 && !isLower(name, index + 1);
}

/** Visits the runs of letters and of digits of a part that has both. */
function visitDigitPieces(name: Name, from: number, to: number, visit: VisitPart): void {
  const starts = [from];
  for (let i = from + 1; i < to; i++) {
    if (isDigit(name, i) !== isDigit(name, i - 1)) starts.push(i);
    if (starts.length > MAX_DIGIT_PIECES) return;
  }
  if (starts.length === 1) return;
  for (const [index, start] of starts.entries()) visit(start, starts[index + 1] ?? to);
}
