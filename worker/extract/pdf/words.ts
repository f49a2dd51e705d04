import { firstIndex, leastOf, middleOf, mostOf } from './boxes.ts';
import type { Drawing } from './drawing.ts';
import type { DrawnWord } from './letters.ts';
import type { DrawnRule } from './shapes.ts';

/* The words and rules of a page in the units and the direction of its text, each once. */

/** A word in the direction of its text: `left` and `right` along the line, `y` of its baseline, which grows downwards. */
export interface Word {
  text: string;
  /** See `DrawnWord`. */
  letters: string[] | null;
  left: number;
  right: number;
  y: number;
  size: number;
  font: string;
  spaced: boolean;
}

/** A straight line from `from` to `to` at `at`: x for a vertical one, y for a horizontal one. */
export interface Rule {
  at: number;
  from: number;
  to: number;
}

/** The text of a page in one direction. */
export interface Sheet {
  words: Word[];
  verticalRules: Rule[];
  horizontalRules: Rule[];
  /** The middles of small round shapes. */
  dots: { x: number; y: number }[];
  spacedFonts: ReadonlySet<string>;
  monospacedFonts: ReadonlySet<string>;
  /** Whether its lines are columns of letters that stand below each other. */
  vertical: boolean;
  /** The upper and the lower edge of the page. */
  top: number;
  bottom: number;
}

/** A direction at most this far from an axis of the page is that of the axis, in degrees: scans are slightly turned. */
const NEAR_AXIS = 5;
/** The same word this close was drawn twice, relative to its size and to its width. */
const TWICE = 0.15;
const TWICE_OF_WIDTH = 0.4;
/** So many places of a word are compared. */
const MOST_PLACES = 60;
/** An invisible word is over a visible one if so much of its width is. */
const COVERED = 0.5;
/** If so many of the invisible words are over visible ones, all of them are a layer over text. */
const LAYER = 0.6;
/** So many words before a word that do not reach it are looked at, and so many in all for one page. */
const MOST_BEFORE = 20;
const MOST_VISITS = 2_000_000;
/** Words are at one height if their baselines differ by less than this, relative to the size. */
const SAME_HEIGHT = 0.6;
/** Rules shorter than this, relative to the size of the text, are ticks and strokes. */
const SHORTEST_RULE = 0.5;
/** Rules this close are one. */
const SAME_RULE = 1.5;
/** So many rules at one place are compared. */
const MOST_OPEN = 200;
/** Only words of about a line are compared with each other. */
const BUCKET = 12;

function directionOf({ startX, startY, endX, endY, vertical }: DrawnWord): number {
  if (vertical) return -90;
  const angle = (Math.atan2(endY - startY, endX - startX) * 180) / Math.PI;
  const axis = Math.round(angle / 90) * 90;
  return Math.abs(angle - axis) <= NEAR_AXIS ? (axis === -180 ? 180 : axis) : Math.round(angle);
}

/** A vertical column of letters is a line too; they only run down, and the next line is at the left. */
const groupOf = (word: DrawnWord) => `${directionOf(word)}${word.vertical ? ' vertical' : ''}`;

/** The mean direction of words, in radians, by their lengths. */
function meanAngle(words: readonly DrawnWord[], degrees: number): number {
  const [ux, uy] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  let [along, across] = [0, 0];
  for (const { startX, startY, endX, endY } of words) {
    const [dx, dy] = [endX - startX, endY - startY];
    along += dx * ux + dy * uy;
    across += dy * ux - dx * uy;
  }
  const turned = Math.atan2(across, along);
  // Less than this is the rounding of numbers.
  return (degrees * Math.PI) / 180 + (Math.abs(turned) < 0.0005 ? 0 : turned);
}

/** Leaves out words that were drawn again at the same place, to look bold. */
function once(words: readonly Word[]): Word[] {
  const places = new Map<string, Word[]>();
  return words.filter((word) => {
    const { text, left, right, y, size } = word;
    const near = Math.min(TWICE * size, TWICE_OF_WIDTH * (right - left) || TWICE * size);
    const same = places.get(text);
    if (same === undefined) {
      places.set(text, [word]);
      return true;
    }
    if (same.some((other) => Math.abs(other.left - left) <= near && Math.abs(other.y - y) <= near))
      return false;
    same.push(word);
    // A word is drawn twice in a row, or with its line or its page; a page has few words more often than this.
    if (same.length > MOST_PLACES) same.shift();
    return true;
  });
}

/** The visible words of a page, by their lines. */
class VisibleWords {
  readonly #rows: Map<number, Word[]>;
  readonly #first: number;
  readonly #last: number;
  #visits = 0;

  constructor(words: readonly Word[]) {
    this.#rows = Map.groupBy(words, ({ y }) => Math.floor(y / BUCKET));
    for (const row of this.#rows.values()) row.sort((a, b) => a.left - b.left);
    this.#first = leastOf(this.#rows.keys());
    this.#last = mostOf(this.#rows.keys());
  }

  /** Whether enough of the width of a word is over them. */
  cover(word: Word): boolean {
    const width = word.right - word.left || word.size;
    const reach = Math.max(word.size, BUCKET);
    let covered = 0;
    const last = Math.min(Math.floor((word.y + reach) / BUCKET), this.#last);
    for (let row = Math.max(Math.floor((word.y - reach) / BUCKET), this.#first); row <= last; row += 1) {
      for (const other of this.#overlapping(this.#rows.get(row) ?? [], word)) {
        if (Math.abs(other.y - word.y) > SAME_HEIGHT * Math.max(word.size, other.size)) continue;
        covered += Math.min(word.right, other.right) - Math.max(word.left, other.left);
        if (covered >= COVERED * width) return true;
      }
    }
    return false;
  }

  /** The words of a row, which are ordered by `left`, that overlap one. */
  *#overlapping(row: readonly Word[], { left, right }: Word): Generator<Word> {
    // Words of a line hardly overlap, so some that end before the word end the search.
    let missed = 0;
    for (let index = firstIndex(row, (each) => each.left >= right) - 1; index >= 0; index -= 1) {
      this.#visits += 1;
      const word = row[index];
      if (word === undefined || missed >= MOST_BEFORE || this.#visits > MOST_VISITS) return;
      if (word.right > left) yield word;
      else missed += 1;
    }
  }
}

/** Leaves out the invisible words that are over visible ones. */
function withoutCoveredLayer(visible: readonly Word[], invisible: readonly Word[]): readonly Word[] {
  if (visible.length === 0 || invisible.length === 0) return invisible;
  const words = new VisibleWords(visible);
  const left = invisible.filter((word) => !words.cover(word));
  return invisible.length - left.length >= LAYER * invisible.length ? [] : left;
}

function turn(angle: number): (x: number, y: number) => [along: number, down: number] {
  const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
  return (x, y) => [x * ux + y * uy, x * uy - y * ux];
}

function addRule(sheet: Sheet, rule: DrawnRule, at: ReturnType<typeof turn>, shortest: number): void {
  const [x1, y1] = at(rule.fromX, rule.fromY);
  const [x2, y2] = at(rule.toX, rule.toY);
  const [width, height] = [Math.abs(x1 - x2), Math.abs(y1 - y2)];
  if (Math.max(width, height) < shortest) return;
  if (height < width)
    sheet.horizontalRules.push({ at: (y1 + y2) / 2, from: Math.min(x1, x2), to: Math.max(x1, x2) });
  else sheet.verticalRules.push({ at: (x1 + x2) / 2, from: Math.min(y1, y2), to: Math.max(y1, y2) });
}

/** Joins rules that continue each other: tables are often drawn cell by cell. */
function joined(rules: readonly Rule[]): Rule[] {
  const result: Rule[] = [];
  const open: Rule[] = [];
  for (const rule of [...rules].sort((a, b) => a.at - b.at || a.from - b.from)) {
    while (open[0] !== undefined && rule.at - open[0].at > SAME_RULE) open.shift();
    const before = open.find(({ from, to }) => rule.from <= to + SAME_RULE && rule.to >= from - SAME_RULE);
    if (before !== undefined) {
      before.from = Math.min(before.from, rule.from);
      before.to = Math.max(before.to, rule.to);
    } else {
      const copy = { ...rule };
      result.push(copy);
      open.push(copy);
      if (open.length > MOST_OPEN) open.shift();
    }
  }
  return result;
}

/**
 * The text of a page, one sheet for each direction in which it runs: that of most letters first, then in the order in
 * which they were drawn.
 */
export function sheetsOf({ words, rules, dots, spacedFonts, monospacedFonts, view }: Drawing): Sheet[] {
  const groups = new Map<string, { words: DrawnWord[]; letters: number }>();
  for (const word of words) {
    const key = groupOf(word);
    const group = groups.get(key) ?? { words: [], letters: 0 };
    group.words.push(word);
    group.letters += word.text.length;
    groups.set(key, group);
  }
  const ordered = [...groups.values()];
  const main = ordered.reduce<(typeof ordered)[number] | null>(
    (most, group) => (most === null || group.letters > most.letters ? group : most),
    null,
  );
  return ordered
    .sort((a, b) => Number(b === main) - Number(a === main))
    .map((group) => {
      const [first] = group.words;
      const vertical = first?.vertical === true;
      const degrees = first === undefined ? 0 : directionOf(first);
      const angle = meanAngle(group.words, degrees);
      const at = turn(angle);
      const place = (word: DrawnWord): Word => {
        const { text, letters, size, font, spaced } = word;
        const [x1, y1] = at(word.startX, word.startY);
        const [x2] = at(word.endX, word.endY);
        // The next vertical line is at the left of this one: `down` grows to the left, as `turn` gives it.
        return { text, letters, left: Math.min(x1, x2), right: Math.max(x1, x2), y: y1, size, font, spaced };
      };
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = view;
      const edges = [at(x1, y1)[1], at(x1, y2)[1], at(x2, y1)[1], at(x2, y2)[1]];
      const visible = once(group.words.filter(({ invisible }) => !invisible).map(place));
      const invisible = once(group.words.filter((word) => word.invisible).map(place));
      const sheet: Sheet = {
        words: [...visible, ...withoutCoveredLayer(visible, invisible)],
        verticalRules: [],
        horizontalRules: [],
        dots: [],
        spacedFonts,
        monospacedFonts,
        vertical,
        top: Math.min(...edges),
        bottom: Math.max(...edges),
      };
      if (group === main && !vertical) {
        const usual = middleOf(sheet.words.map(({ size }) => size));
        for (const rule of rules) addRule(sheet, rule, at, SHORTEST_RULE * usual);
        sheet.dots = dots.map((dot) => {
          const [x, y] = at(...dot);
          return { x, y };
        });
        sheet.verticalRules = joined(sheet.verticalRules);
        sheet.horizontalRules = joined(sheet.horizontalRules);
      }
      return sheet;
    });
}
