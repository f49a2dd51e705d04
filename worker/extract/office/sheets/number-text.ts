import type { Condition, Digits, NumberFormat, Section } from './number-format.ts';

/** Shows a number as a format code says. */

/** The precision of the programs. Further digits are the error of binary numbers: 0.1 + 0.2. */
const PRECISION = 15;
const rounded = (number: number) => Number(number.toPrecision(PRECISION));
const EXACT = /^-?\d{1,15}$/;

/** Shows the stored text of a number in full. */
export function showPlain(stored: string): string {
  return EXACT.test(stored) ? stored : String(rounded(Number(stored)));
}

const HOLDS: Record<Condition['operator'], (number: number, bound: number) => boolean> = {
  '<': (number, bound) => number < bound,
  '<=': (number, bound) => number <= bound,
  '=': (number, bound) => number === bound,
  '<>': (number, bound) => number !== bound,
  '>=': (number, bound) => number >= bound,
  '>': (number, bound) => number > bound,
};

/** With so many decimals, of which the last ones are left out if they are zeros. */
function showFixed(number: number, least: number, most: number): string {
  const text = rounded(number).toFixed(most);
  let end = text.length;
  while (end > text.length - (most - least) && text[end - 1] === '0') end -= 1;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}

/** Puts the digits of a whole number in the places of a mask, from the right. */
function showMasked(digits: string, mask: string): string {
  let rest = digits;
  let text = '';
  for (const character of [...mask].reverse()) {
    if (!'0#?'.includes(character)) text = character + text;
    else if (rest !== '') {
      text = (rest.at(-1) ?? '') + text;
      rest = rest.slice(0, -1);
    } else if (character === '0') text = `0${text}`;
  }
  return rest + text;
}

/** The fraction that is nearest to a number below 1. */
function nearestFraction(part: number, { denominator, isExact }: Digits & { kind: 'fraction' }) {
  let best = { over: Math.round(part * denominator), under: denominator };
  if (isExact) return best;
  for (let under = denominator; under >= 1; under--) {
    const over = Math.round(part * under);
    if (Math.abs(over / under - part) <= Math.abs(best.over / best.under - part)) best = { over, under };
  }
  return best;
}

function showFraction(number: number, digits: Digits & { kind: 'fraction' }): string {
  const { over, under } = nearestFraction(number % 1, digits);
  const whole = Math.floor(number) + (over === under ? 1 : 0);
  if (over === 0 || over === under) return String(whole);
  return `${whole === 0 ? '' : `${whole} `}${over}/${under}`;
}

/** Shows the digits of a number that is not negative. */
function showDigits(number: number, digits: Digits): string {
  const whole = Number.isInteger(number) ? String(number) : null;
  if (digits.kind === 'none') return '';
  if (digits.kind === 'fixed') return showFixed(number / digits.divisor, digits.least, digits.most);
  if (digits.kind === 'padded' && whole !== null) return whole.padStart(digits.digits, '0');
  if (digits.kind === 'mask' && whole !== null && /^\d+$/.test(whole)) return showMasked(whole, digits.mask);
  if (digits.kind === 'fraction' && number < 1e9) return showFraction(number, digits);
  return showPlain(String(number));
}

/** The section for a number. One for zeros is used only if it says something in words: zeros are often shown as `-`. */
function sectionFor(number: number, sections: readonly Section[]): Section | undefined {
  const [first, second, third] = sections;
  if (sections.some(({ condition }) => condition !== null)) {
    return sections.find(
      ({ condition }) => condition === null || HOLDS[condition.operator](number, condition.bound),
    );
  }
  if (number < 0) return second ?? first;
  const hasWords = third !== undefined && /\p{L}/u.test(third.before + third.after);
  return number === 0 && hasWords ? third : first;
}

/**
 * The sign of a negative number, and the texts around its digits. A section of negative numbers has its own sign. Brackets
 * and a colour are shown as a sign, because without its format the number would be another one.
 */
function signed({ before, after, isColored }: Section, isOwn: boolean): [before: string, after: string] {
  if (!isOwn) return [`-${before}`, after];
  if (before.includes('(') && after.includes(')')) {
    return [`-${before.replace('(', '')}`, after.replace(')', '')];
  }
  return [isColored && !before.includes('-') ? `-${before}` : before, after];
}

/** Shows the stored text of a number by the sections of its format. */
export function showBySections(stored: string, { sections }: NumberFormat & { kind: 'number' }): string {
  const number = Number(stored);
  const section = sectionFor(number, sections);
  const isEmpty =
    section === undefined ||
    (section.digits.kind === 'none' && (section.before + section.after).trim() === '');
  // A number that is hidden by its format is in the file all the same.
  if (isEmpty) return showPlain(stored);
  const isOwn = sections.length > 1 && section === sections[1] && section.condition === null;
  const [before, after] = number < 0 ? signed(section, isOwn) : [section.before, section.after];
  const text =
    number >= 0 && section.digits.kind === 'plain'
      ? showPlain(stored)
      : showDigits(Math.abs(number), section.digits);
  return `${before}${text}${after}`.replace(/\s+/g, ' ').trim();
}
