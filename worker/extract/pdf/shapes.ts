import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Matrix } from './matrix.ts';

/* The shapes that are drawn on a page, as far as they say how text belongs together: rules, boxes and bullets. */

/** A straight line or the edge of a box, along an axis of the page. */
export interface DrawnRule {
  fromX: number;
  fromY: number;
  toX: number;
  toY: number;
}

/** Lines thinner than this are rules, in units of the page; and boxes this thin. */
const RULE_WIDTH = 3;
/** A round shape has so many curves; one of this width is a bullet, and a page with many is a chart. */
const FEWEST_CURVES = 4;
const MOST_CURVES = 16;
const DOT = { least: 1.2, most: 8 };
const MOST_DOTS = 1_000;
/** A page with more straight lines than this is a drawing, in which no tables are looked for. */
const MAX_RULES = 20_000;
/** Rules this close to the edge of the page are that of its background, in units of the page. */
const PAGE_EDGE = 3;

/** The length of a step of a path: move, line, curve, quadratic curve, close. */
const STEP_LENGTH = [3, 3, 7, 5, 1];
const STROKED: ReadonlySet<number> = new Set([
  OPS.stroke,
  OPS.closeStroke,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
]);
const PAINTED: ReadonlySet<number> = new Set([...STROKED, OPS.fill, OPS.eoFill]);

const isStraight = (fromX: number, fromY: number, toX: number, toY: number) =>
  Math.min(Math.abs(fromX - toX), Math.abs(fromY - toY)) < RULE_WIDTH / 2;

function boundsOf(points: readonly [number, number][]) {
  const bounds = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (const [x, y] of points) {
    bounds.left = Math.min(bounds.left, x);
    bounds.right = Math.max(bounds.right, x);
    bounds.bottom = Math.min(bounds.bottom, y);
    bounds.top = Math.max(bounds.top, y);
  }
  return bounds;
}

/** The straight lines of an outline: each edge, or its middle if it is a thin box. */
function rulesOf(outline: readonly [number, number][], filled: boolean): DrawnRule[] {
  if (outline.length < 2) return [];
  const { left, right, bottom, top } = boundsOf(outline);
  const isThin = Math.min(right - left, top - bottom) < RULE_WIDTH;
  if (isThin) {
    const isFlat = right - left > top - bottom;
    const [x, y] = [(left + right) / 2, (bottom + top) / 2];
    return [
      isFlat ? { fromX: left, fromY: y, toX: right, toY: y } : { fromX: x, fromY: bottom, toX: x, toY: top },
    ];
  }
  // An outline that is filled is a box or a drawing; only boxes have edges that divide a table.
  if (filled && outline.length > 6) return [];
  return outline.slice(1).flatMap(([toX, toY], index) => {
    const [fromX, fromY] = outline[index] ?? [toX, toY];
    return isStraight(fromX, fromY, toX, toY) ? [{ fromX, fromY, toX, toY }] : [];
  });
}

/** Collects the shapes of a page. */
export class Shapes {
  readonly rules: DrawnRule[] = [];
  /** The middles of small round shapes, as bullets are. */
  readonly dots: [x: number, y: number][] = [];
  readonly #view: readonly number[];

  /** @param view the visible part of the page: left, bottom, right, top */
  constructor(view: readonly number[]) {
    this.#view = view;
  }

  /**
   * Adds what is straight or round of a path.
   * @param operation how it is painted
   * @param path numbers as the library gives them: each step is its kind and its points
   */
  add(operation: number, path: Float32Array | null, ctm: Matrix): void {
    const { rules } = this;
    if (path === null || rules.length > MAX_RULES || !PAINTED.has(operation)) return;
    const filled = !STROKED.has(operation);
    const at = (index: number): [number, number] => {
      const [x = 0, y = 0] = [path[index], path[index + 1]];
      return [ctm[0] * x + ctm[2] * y + ctm[4], ctm[1] * x + ctm[3] * y + ctm[5]];
    };
    const corners: [number, number][] = [];
    let outline: [number, number][] = [];
    const end = () => {
      for (const rule of rulesOf(outline, filled)) if (!this.#isPageEdge(rule)) rules.push(rule);
      outline = [];
    };
    let index = 0;
    while (index < path.length && rules.length <= MAX_RULES) {
      const step = path[index];
      if (step === 0) {
        end();
        outline.push(at(index + 1));
      } else if (step === 1) outline.push(at(index + 1));
      else if (step === 4) {
        if (outline[0] !== undefined) outline.push(outline[0]);
      } else if (step === 2 || step === 3) {
        // A curve ends what is straight before it.
        end();
        outline.push(at(index + (step === 2 ? 5 : 3)));
        if (corners.length <= MOST_CURVES) corners.push(at(index + (step === 2 ? 5 : 3)));
      } else break;
      index += STEP_LENGTH[step] ?? 1;
    }
    end();
    if (filled) this.#addDot(corners);
  }

  #addDot(corners: readonly [number, number][]): void {
    if (corners.length < FEWEST_CURVES || corners.length > MOST_CURVES) return;
    const { left, right, bottom, top } = boundsOf(corners);
    const [width, height] = [right - left, top - bottom];
    const isRound = Math.abs(width - height) < 0.2 * width && width > DOT.least && width < DOT.most;
    if (isRound && this.dots.length < MOST_DOTS) this.dots.push([(left + right) / 2, (bottom + top) / 2]);
  }

  #isPageEdge({ fromX, fromY, toX, toY }: DrawnRule): boolean {
    const [left = 0, bottom = 0, right = 0, top = 0] = this.#view;
    const isAt = (a: number, b: number, edge: number) =>
      Math.abs(a - edge) < PAGE_EDGE && Math.abs(b - edge) < PAGE_EDGE;
    return (
      isAt(fromX, toX, left) || isAt(fromX, toX, right) || isAt(fromY, toY, bottom) || isAt(fromY, toY, top)
    );
  }
}
