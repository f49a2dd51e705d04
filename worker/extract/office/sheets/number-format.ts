/** Reads format codes of spreadsheets: how a number, a percentage or a date is shown. */

/** How a section of a code shows the digits of a number. */
export type Digits =
  /** In full. */
  | { kind: 'plain' }
  /** Divided, with so many decimals: the second number of them only if they are not zeros. */
  | { kind: 'fixed'; divisor: number; least: number; most: number }
  | { kind: 'padded'; digits: number }
  /** The digits from the right in the places of `0`, `#` and `?`. The other characters are between them. */
  | { kind: 'mask'; mask: string }
  /** A whole number and a fraction with at most, or exactly, this denominator. */
  | { kind: 'fraction'; denominator: number; isExact: boolean }
  /** None: only the text of the section is shown. */
  | { kind: 'none' };

/** The numbers that a section is for: `[>=1000]`. */
export interface Condition {
  operator: '<' | '<=' | '=' | '<>' | '>=' | '>';
  bound: number;
}

/** A section of a format code. */
export interface Section {
  condition: Condition | null;
  before: string;
  after: string;
  digits: Digits;
  /** Whether it has a colour, as sections of negative numbers without a sign often have. */
  isColored: boolean;
}

/** How a format code shows numbers. */
export type NumberFormat =
  | { kind: 'plain' }
  | { kind: 'date' | 'minute' | 'time' | 'elapsed' }
  | { kind: 'number'; sections: readonly Section[] };

/** A longer code is not of a program. */
const MAX_CODE_LENGTH = 1_000;
/** The programs show no more decimals. */
const MAX_DECIMALS = 30;
const MAX_DENOMINATOR = 999;

/** Parts of a format code that are text, colours, conditions or fill. */
const LITERALS = /"[^"]{0,99}"|\\.|[_*].|\[(?!(?:h{1,9}|m{1,9}|s{1,9})\])[^\]]{0,99}\]/gi;
const ELAPSED = /\[(?:h{1,9}|m{1,9}|s{1,9})\]/i;
const HALF_OF_DAY = /am\/pm|a\/p/gi;
/** Parts of a second are the only digits of a date. */
const SECOND_PART = /s[.,]0/i;
/** Years and days as some programs write them in German and French. */
const LOCAL_DATE = /jj|tt|aaaa/;

/** The pieces of a section, in order. */
const PIECE =
  /"(?<quoted>[^"]{0,99})"?|\\(?<escaped>.)|[_*].?|\[(?<bracket>[^\]]{0,99})\]?|general|standard|e[+-]0{1,9}|(?<digit>[0#?])|(?<sign>[^])/giu;
const CONDITION = /^(<=|>=|<>|<|>|=)(-?\d{1,15}(?:\.\d{1,15})?)$/;
const COLOR =
  /^(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d{1,2}|schwarz|blau|grün|rot|weiß|gelb)$/i;

/** The formats that have a number and no code in the file, by the first number of each range. */
const BUILT_IN: readonly [first: number, last: number, code: string][] = [
  [9, 9, '0%'],
  [10, 10, '0.00%'],
  [12, 12, '# ?/?'],
  [13, 13, '# ??/??'],
  [14, 17, 'yyyy-mm-dd'],
  [18, 21, 'h:mm:ss'],
  [22, 22, 'yyyy-mm-dd h:mm'],
  [27, 31, 'yyyy-mm-dd'],
  [32, 33, 'h:mm'],
  [34, 36, 'yyyy-mm-dd'],
  [45, 45, 'mm:ss'],
  [46, 46, '[h]:mm:ss'],
  [47, 47, 'mm:ss'],
  [50, 58, 'yyyy-mm-dd'],
];

/** Whether a code is of a date or a time, and which. */
function timeKind(section: string): 'date' | 'minute' | 'time' | 'elapsed' | null {
  if (ELAPSED.test(section)) return 'elapsed';
  const code = section.replace(HALF_OF_DAY, 'h').toLowerCase();
  if (code.includes('general') || code.includes('standard')) return null;
  if (/[0#?]/.test(code) && !SECOND_PART.test(code)) return null;
  const hasTime = /[hs]/.test(code);
  const hasDate = /[yd]/.test(code) || LOCAL_DATE.test(code) || (code.includes('m') && !hasTime);
  if (hasDate) return hasTime ? 'minute' : 'date';
  return hasTime ? 'time' : null;
}

/** What a section has, before it is known what its digits mean. */
interface Pieces {
  condition: Condition | null;
  isColored: boolean;
  before: string;
  /** The places of digits and what is between them. */
  inner: string;
  after: string;
  /** Whether it shows a number as the format `General` does. */
  isGeneral: boolean;
}

function readPieces(section: string): Pieces {
  const found: Pieces = {
    condition: null,
    isColored: false,
    before: '',
    inner: '',
    after: '',
    isGeneral: false,
  };
  const addText = (text: string) => {
    if (found.inner === '' && !found.isGeneral) found.before += text;
    else found.after += text;
  };
  for (const { 0: whole, groups = {} } of section.matchAll(PIECE)) {
    const { quoted, escaped, bracket, digit, sign } = groups;
    if (digit !== undefined || (sign === '.' && found.after === '')) {
      // What was taken for the text behind the digits is between them.
      found.inner += found.after + whole;
      found.after = '';
    } else if (bracket !== undefined) {
      const [, operator, bound] = CONDITION.exec(bracket) ?? [];
      if (operator !== undefined) {
        found.condition = { operator: operator as Condition['operator'], bound: Number(bound) };
      } else if (COLOR.test(bracket)) found.isColored = true;
      else if (bracket.startsWith('$')) addText(bracket.slice(1).split('-', 1)[0] ?? '');
    } else if (/^(?:general|standard)$/i.test(whole)) found.isGeneral = true;
    else if (/^e[+-]0/i.test(whole)) found.isGeneral = true;
    else addText(quoted ?? escaped ?? sign ?? '');
  }
  return found;
}

const countOf = (text: string, characters: RegExp) => text.match(characters)?.length ?? 0;

/** A fraction whose denominator is to be found, and one whose denominator is given. */
const ANY_FRACTION = /^[0#? ]*\/ ?([0#?]{1,9})$/;
const GIVEN_FRACTION = /^\/ ?(\d{1,3})(?!\d)/;

/** What the places of digits mean. `scale` is how often a number is divided by 1,000. */
function digitsOf(inner: string, scale: number, isPercent: boolean): Digits {
  const places = ANY_FRACTION.exec(inner)?.[1];
  if (places !== undefined) {
    const denominator = Math.min(10 ** places.length - 1, MAX_DENOMINATOR);
    return { kind: 'fraction', denominator, isExact: false };
  }
  const point = inner.indexOf('.');
  if (isPercent || scale > 0) {
    const decimals = point < 0 ? '' : inner.slice(point);
    return {
      kind: 'fixed',
      divisor: 1000 ** Math.min(scale, 9) / (isPercent ? 100 : 1),
      least: Math.min(countOf(decimals, /0/g), MAX_DECIMALS),
      most: Math.min(countOf(decimals, /[0#?]/g), MAX_DECIMALS),
    };
  }
  if (/^0{2,20}$/.test(inner)) return { kind: 'padded', digits: inner.length };
  const isGrouped = /^#[0#?]*$/.test(inner.replace(/[,\u00a0\u202f ]/g, ''));
  return point >= 0 || isGrouped || /^[0#?]*$/.test(inner.replaceAll(',', ''))
    ? { kind: 'plain' }
    : { kind: 'mask', mask: inner };
}

function parseSection(code: string): Section {
  const { condition, isColored, before, inner, after, isGeneral } = readPieces(code);
  // Commas behind the last digit divide the number.
  const scale = /^,*/.exec(after)?.[0].length ?? 0;
  const isPercent = (before + after).includes('%');
  const denominator = Number(GIVEN_FRACTION.exec(after)?.[1] ?? 0);
  let digits: Digits = { kind: 'plain' };
  if (denominator > 0 && inner !== '') {
    digits = { kind: 'fraction', denominator, isExact: true };
    return { condition, before, after: after.replace(GIVEN_FRACTION, ''), digits, isColored };
  }
  if (!isGeneral && inner === '') digits = { kind: 'none' };
  else if (!isGeneral) digits = digitsOf(inner, scale, isPercent);
  return { condition, before, after: after.slice(scale), digits, isColored };
}

/** The sections of a code. A semicolon within quotes ends none. */
function sectionsOf(code: string): string[] {
  const sections = [''];
  for (const [piece] of code.matchAll(/"[^"]{0,99}"?|\\.?|;|[^";\\]+/gu)) {
    if (piece === ';') sections.push('');
    else sections.push((sections.pop() ?? '') + piece);
  }
  return sections;
}

const isPlain = ({ condition, before, after, digits }: Section) =>
  condition === null && before === '' && after.trim() === '' && digits.kind === 'plain';

/** Reads a format code. The first of several sections tells whether it is of dates. */
export function parseFormat(given: string): NumberFormat {
  const code = given.slice(0, MAX_CODE_LENGTH);
  const [bare = ''] = code.replace(LITERALS, '').split(';', 1);
  const kind = timeKind(bare);
  if (kind !== null) return { kind };
  const sections = sectionsOf(code)
    .slice(0, 3)
    .filter((section) => !section.includes('@'))
    .map(parseSection);
  const [first] = sections;
  if (first === undefined || (sections.length === 1 && isPlain(first))) return { kind: 'plain' };
  return { kind: 'number', sections };
}

/** The format of a number that the program knows without a code. */
export function builtInFormat(id: number): NumberFormat {
  const code = BUILT_IN.find(([first, last]) => id >= first && id <= last)?.[2];
  return code === undefined ? { kind: 'plain' } : parseFormat(code);
}
