const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const words = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Characters that a terminal draws two columns wide. */
const WIDE =
  /^(?:\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff00-\uff60\uffe0-\uffe6])/u;
/** Characters that are drawn over the character before them. */
const OVER_ANOTHER = /^[\p{Mn}\p{Me}]$/u;
/** Characters that a terminal can execute as a command instead of showing them. */
const CONTROLS = /[\p{Cc}\p{Cf}]+/gu;
/**
 * Characters that a terminal can execute, or that change the order in which a line is shown. Not the ends of lines.
 * With ESC, the group is a style of the terminal client itself.
 */
const UNSAFE = /(?!\t|\r?\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}](\[(?:1|2|22|31|32|36|39)m)?/gu;
/** Scripts without spaces between words. A line can end after any of their words. */
const WITHOUT_BLANKS =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}/u;

function graphemeColumns(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2;
  return Math.max(1, Array.from(grapheme).filter((point) => !OVER_ANOTHER.test(point)).length);
}

/** The width of a text in a terminal, in columns. */
export function columns(text: string): number {
  let sum = 0;
  for (const { segment } of graphemes.segment(text)) sum += graphemeColumns(segment);
  return sum;
}

/** Makes untrusted text safe to print: on one line, without characters that could control the terminal. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(CONTROLS, '').trim();
}

/** Makes untrusted text safe to print: with its lines, and `\u{…}` for each character that could control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, (found, style?: string) => {
    if (found.startsWith('\u001b') && style !== undefined) return found;
    return `\\u{${found.codePointAt(0)?.toString(16)}}${style ?? ''}`;
  });
}

/** A text on one line, cut off to at most `width` columns with `…` at the end. */
export function fit(text: string, width: number): string {
  const line = oneLine(text);
  if (columns(line) <= width) return line;
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes.segment(line)) {
    used += graphemeColumns(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** A text in exactly `width` columns: cut off or filled with spaces. */
export function cell(text: string, width: number): string {
  const fitted = fit(text, width);
  return fitted + ' '.repeat(width - columns(fitted));
}

/** Splits a line into the pieces between which it can be broken. */
function breakable(line: string): string[] {
  return line
    .split(/(?<= )/)
    .flatMap((word) =>
      WITHOUT_BLANKS.test(word) ? [...words.segment(word)].map(({ segment }) => segment) : [word],
    );
}

/**
 * Wraps a text to at most `lines` lines of at most `width` columns. A word that is longer is cut off, except with
 * `Infinity` lines: then nothing is cut off, and it has a line of its own.
 */
export function wrap(text: string, width: number, lines: number): string[] {
  const pieces = breakable(oneLine(text));
  const done: string[] = [];
  const finished = (line: string) => (lines === Infinity ? line.trimEnd() : fit(line, width));
  let open = '';
  for (const [index, piece] of pieces.entries()) {
    if (open !== '' && columns((open + piece).trimEnd()) > width) {
      if (done.length === lines - 1) return [...done, fit(open + pieces.slice(index).join(''), width)];
      done.push(finished(open));
      open = '';
    }
    open += piece;
  }
  return open.trim() === '' ? done : [...done, finished(open)];
}
