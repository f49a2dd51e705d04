import { type Column, firstIndex, leastOf, mostOf } from './boxes.ts';
import { rowsOfColumns } from './gapped-tables.ts';
import { linesOf, type Segment } from './lines.ts';
import { headingOf, type RowCells, sortedUnique, type Table } from './tables.ts';
import type { Rule, Sheet } from './words.ts';

/* Tables whose cells are divided by rules. */

/** Rules this close are one, and those this close meet. */
const SAME_RULE = 2.5;
const MEET = 4;
/** A grid has so many rules, of which so many pairs are looked at; one with more rows or columns is a drawing. */
const FEWEST_RULES = 3;
const MAX_PAIRS = 2_000_000;
const MAX_GRID = 400;
/** The height of the middle of small letters above the baseline, relative to their size. */
const MIDDLE = 0.3;
/** A table has so many cells with text. */
const FEWEST_CELLS = 3;
/** A cell with more letters than this is a part of the page with a border around it. */
const MAX_CELL = 1500;
/** A row of a grid with so many lines side by side has rows that no rule divides, if the grid has few rows. */
const ENOUGH_LINES = 2;
const FEW_RULED = 3;
/** A row that is one cell has so many lines at most. */
const MOST_LINES_ACROSS = 3;

/** The rules that meet each other, directly or over others. */
function grids({
  verticalRules,
  horizontalRules,
}: Pick<Sheet, 'verticalRules' | 'horizontalRules'>): Rules[] {
  const parents = new Map<Rule, Rule>();
  const rootOf = (rule: Rule): Rule => {
    let root = rule;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    for (let each = rule; each !== root; ) {
      const next = parents.get(each) ?? root;
      parents.set(each, root);
      each = next;
    }
    return root;
  };
  const sorted = [...horizontalRules].sort((a, b) => a.at - b.at);
  let pairs = 0;
  for (const vertical of verticalRules) {
    for (
      let index = firstIndex(sorted, ({ at }) => at >= vertical.from - MEET);
      index < sorted.length;
      index += 1
    ) {
      pairs += 1;
      if (pairs > MAX_PAIRS) return [];
      const horizontal = sorted[index];
      if (horizontal === undefined || horizontal.at > vertical.to + MEET) break;
      if (horizontal.from - MEET > vertical.at || horizontal.to + MEET < vertical.at) continue;
      const [a, b] = [rootOf(vertical), rootOf(horizontal)];
      if (a !== b) parents.set(a, b);
    }
  }
  const groups = new Map<Rule, Rules>();
  const groupOf = (rule: Rule) => {
    const root = rootOf(rule);
    const group = groups.get(root) ?? { verticalRules: [], horizontalRules: [] };
    groups.set(root, group);
    return group;
  };
  for (const rule of verticalRules) groupOf(rule).verticalRules.push(rule);
  for (const rule of horizontalRules) groupOf(rule).horizontalRules.push(rule);
  return [...groups.values()].filter(
    (group) => group.verticalRules.length > 0 && group.horizontalRules.length > 0,
  );
}

/** The index of the place that is nearest; the places are in order. */
function nearest(places: readonly number[], to: number): number {
  const after = firstIndex(places, (place) => place >= to);
  return after > 0 && to - (places[after - 1] ?? 0) < (places[after] ?? Infinity) - to ? after - 1 : after;
}

/** The index of the range between two places in which a place is, or -1. */
function indexIn(places: readonly number[], place: number): number {
  const after = firstIndex(places, (each) => each > place);
  const index = after === places.length ? -1 : after;
  return index <= 0 ? -1 : index - 1;
}

const lettersOf = (segments: readonly Segment[]) =>
  segments.reduce((sum, { words }) => words.reduce((count, { text }) => count + text.length, sum), 0);

/** The places of rules that meet, and the cells between them. */
class Grid {
  readonly xs: number[];
  readonly ys: number[];
  /** The cells with a rule at their left, and those with one above, by row and column. */
  readonly #closedBefore = new Set<number>();
  readonly #closedAbove = new Set<number>();

  constructor({ verticalRules, horizontalRules }: Rules) {
    const xs = [
      ...horizontalRules.flatMap(({ from, to }) => [from, to]),
      ...verticalRules.map(({ at }) => at),
    ];
    const ys = [
      ...verticalRules.flatMap(({ from, to }) => [from, to]),
      ...horizontalRules.map(({ at }) => at),
    ];
    this.xs = sortedUnique([leastOf(xs), ...verticalRules.map(({ at }) => at), mostOf(xs)], SAME_RULE);
    this.ys = sortedUnique([leastOf(ys), ...horizontalRules.map(({ at }) => at), mostOf(ys)], SAME_RULE);
    if (!this.isTable) return;
    for (const rule of verticalRules)
      this.#close(rule, this.xs, this.ys, (column, row) => this.#closedBefore.add(this.#key(row, column)));
    for (const rule of horizontalRules)
      this.#close(rule, this.ys, this.xs, (row, column) => this.#closedAbove.add(this.#key(row, column)));
  }

  /** Whether there are at least two rows and columns, and not so many as in a drawing. */
  get isTable(): boolean {
    const { xs, ys } = this;
    return xs.length > 2 && ys.length > 2 && xs.length <= MAX_GRID && ys.length <= MAX_GRID;
  }

  /** The first cell of those that no rule divides from the cell at a place; null if the place is outside. */
  cellAt(x: number, y: number): { row: number; column: number } | null {
    let [row, column] = [indexIn(this.ys, y), indexIn(this.xs, x)];
    if (row === -1 || column === -1) return null;
    while (column > 0 && !this.#closedBefore.has(this.#key(row, column))) column -= 1;
    while (row > 0 && !this.#closedAbove.has(this.#key(row, column))) row -= 1;
    return { row, column };
  }

  readonly #key = (row: number, column: number) => row * MAX_GRID + column;

  /** Notes for each cell along a rule that it is closed at this side. */
  #close(
    { at, from, to }: Rule,
    across: readonly number[],
    along: readonly number[],
    note: (across: number, along: number) => void,
  ): void {
    const line = nearest(across, at);
    if (Math.abs((across[line] ?? 0) - at) > MEET) return;
    for (let index = 0; index + 1 < along.length; index += 1) {
      const middle = ((along[index] ?? 0) + (along[index + 1] ?? 0)) / 2;
      if (from <= middle && to >= middle) note(line, index);
    }
  }
}

interface Rules {
  verticalRules: Rule[];
  horizontalRules: Rule[];
}

/** Puts pieces into the cells of a grid. Rows and columns without text are left out. */
function fill(
  { xs, ys }: Grid,
  inside: readonly { segment: Segment; row: number; column: number }[],
): { rows: RowCells[]; columns: Column[] } {
  const used = [...new Set(inside.map(({ column }) => column))].sort((a, b) => a - b);
  const columns = used.map((column) => ({ left: xs[column] ?? 0, right: xs[column + 1] ?? 0 }));
  const rows = ys.slice(1).map((): RowCells => columns.map(() => []));
  for (const { segment, row, column } of inside) rows[row]?.[used.indexOf(column)]?.push(segment);
  return { rows: rows.filter((row) => row.some((cell) => cell.length > 0)), columns };
}

/** Whether cells are those of a table, and not parts of a page with borders around them. */
function isTableOfCells(rows: readonly RowCells[], columns: number): boolean {
  const filled = rows.flat().filter((cell) => cell.length > 0);
  if (columns < 2 || filled.length < FEWEST_CELLS || filled.length * 4 < rows.length * columns) return false;
  if (filled.some((cell) => lettersOf(cell) > MAX_CELL)) return false;
  return !rows.some((row) => {
    const [cell, ...others] = row.filter(({ length }) => length > 0);
    return cell !== undefined && others.length === 0 && linesOf(cell).length > MOST_LINES_ACROSS;
  });
}

/** A table in which rules divide the cells; null if the rules are something else. */
function ruledTable(
  rules: Rules,
  segments: readonly Segment[],
  leftward: boolean,
): { table: Table; inside: Segment[] } | null {
  const grid = new Grid(rules);
  if (!grid.isTable) return null;
  const inside = segments.flatMap((segment) => {
    const cell = grid.cellAt((segment.left + segment.right) / 2, segment.y - MIDDLE * segment.size);
    return cell === null ? [] : [{ segment, ...cell }];
  });
  const { rows, columns } = fill(grid, inside);
  if (!isTableOfCells(rows, columns.length)) return null;
  const all = rows.flatMap((row, index) => {
    const canHaveRows = rows.length <= FEW_RULED && (index > 0 || rows.length === 1);
    return canHaveRows ? splitRow(row, columns) : [row];
  });
  const { xs, ys } = grid;
  const box = { left: xs[0] ?? 0, right: xs.at(-1) ?? 0, top: ys[0] ?? 0, bottom: ys.at(-1) ?? 0 };
  const table = { ...box, columns, rows: all, leftward, heading: headingOf(all, true) };
  return { table, inside: inside.map(({ segment }) => segment) };
}

/** Divides a row of a grid in which no rules divide the rows: all its columns have lines at the same heights. */
function splitRow(row: RowCells, columns: readonly Column[]): RowCells[] {
  const lines = row.map((cell) => linesOf(cell)).filter((cell) => cell.length > 0);
  const most = mostOf(lines.map(({ length }) => length));
  if (lines.length < 2 || most < ENOUGH_LINES) return [row];
  const heights = lines.map((cell) => cell.map(([first]) => Math.round(first?.y ?? 0)));
  const all = new Set(heights.flat());
  const full = heights.filter(({ length }) => length === all.size);
  // In a row of cells of several lines, hardly any two cells have equally many.
  if (all.size !== most || full.length * 2 < heights.length || full.length < 2) return [row];
  return rowsOfColumns(columns, row.flat(), []);
}

/** The tables whose cells are divided by rules, and the pieces that are in none. */
export function takeRuledTables(
  sheet: Sheet,
  segments: readonly Segment[],
  leftward: boolean,
): { tables: Table[]; rest: Segment[] } {
  const tables: Table[] = [];
  const taken = new Set<Segment>();
  const sorted = [...segments].sort((a, b) => a.y - b.y);
  for (const rules of grids(sheet)) {
    if (rules.verticalRules.length + rules.horizontalRules.length < FEWEST_RULES) continue;
    const top = leastOf([
      ...rules.verticalRules.map(({ from }) => from),
      ...rules.horizontalRules.map(({ at }) => at),
    ]);
    const bottom = mostOf([
      ...rules.verticalRules.map(({ to }) => to),
      ...rules.horizontalRules.map(({ at }) => at),
    ]);
    const [from, to] = [top, bottom].map((edge) =>
      firstIndex(sorted, ({ y, size }) => y - MIDDLE * size >= edge),
    );
    const within = sorted.slice(from, to).filter((segment) => !taken.has(segment));
    const found = within.length === 0 ? null : ruledTable(rules, within, leftward);
    if (found === null) continue;
    for (const segment of found.inside) taken.add(segment);
    tables.push(found.table);
  }
  return { tables, rest: segments.filter((segment) => !taken.has(segment)) };
}
