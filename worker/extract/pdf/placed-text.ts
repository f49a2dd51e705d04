import { cutCharacters } from '../../../shared/text/characters.ts';
import { oneLine } from '../text.ts';

/** A rectangle in the units of the page (PDF user space): left, bottom, right, top. */
export type Rect = readonly [number, number, number, number];

/** Text at a place of the page. */
export interface PlacedText {
  text: string;
  rect: Rect;
  /** The size of its letters; null if unknown. */
  size: number | null;
  /** The direction of the text, in degrees: 90 for text that runs upwards. */
  angle: number;
}

/** An annotation as pdf.js describes it. A damaged file can give an entry any type. */
export type Annotation = Readonly<Partial<Record<string, unknown>>>;

/** More of a value or of a comment is not read, in characters. */
export const MAX_VALUE_LENGTH = 100_000;
/** More lines of a value are not read. */
const MAX_LINES = 1_000;
/** The distance of two lines, relative to the size of the letters. */
const LINE_SPACING = 1.2;
/** The size of letters where it is unknown and the box has room: programs choose this one in large boxes. */
const USUAL_SIZE = 12;

const LINE_BREAK = /\r\n?|[\n\v\f\u0085\u2028\u2029]/;

/** A text of an annotation, cut to a length that is read; empty if the entry is not a text. */
export function stringOf(value: unknown, most = MAX_VALUE_LENGTH): string {
  return typeof value === 'string' ? cutCharacters(value, most) : '';
}

/** A text of an annotation as one line. */
export const lineOf = (value: unknown, most?: number): string => oneLine(stringOf(value, most));

/** A rectangle with its corners in order; null if the entry is not one. */
export function rectOf(value: unknown): Rect | null {
  if (!Array.isArray(value) || value.length !== 4 || !value.every(Number.isFinite)) return null;
  const [a, b, c, d] = value as [number, number, number, number];
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}

/** The rectangle in which an annotation is drawn; null if it has none or nothing fits into it. */
export function boxOf({ rect }: Annotation): Rect | null {
  const box = rectOf(rect);
  return box !== null && box[2] > box[0] && box[3] > box[1] ? box : null;
}

/** The lines of a text. Empty lines keep their place. */
export const linesOf = (text: string): string[] => text.split(LINE_BREAK, MAX_LINES).map(oneLine);

/** The size of the letters that the default appearance states; null if the program that shows it chooses one. */
function statedSize({ defaultAppearanceData }: Annotation): number | null {
  const size = (defaultAppearanceData as Annotation | null | undefined)?.fontSize;
  return typeof size === 'number' && Number.isFinite(size) && size > 0 ? size : null;
}

/**
 * Places lines in the rectangle of an annotation, one below the other.
 * @param from where the first line is: at the top, or in the middle for a box with one line
 */
export function placeLines(
  annotation: Annotation,
  lines: readonly string[],
  from: 'top' | 'middle',
): PlacedText[] {
  const box = boxOf(annotation);
  if (box === null) return [];
  const [left, bottom, right, top] = box;
  const angle = typeof annotation.rotation === 'number' ? annotation.rotation : 0;
  const size = statedSize(annotation);
  const room = angle % 180 === 0 ? top - bottom : right - left;
  const height = Math.min(room / lines.length, LINE_SPACING * (size ?? USUAL_SIZE));
  const start = from === 'middle' ? (room - height * lines.length) / 2 : 0;
  return lines.flatMap((text, index) => {
    if (text === '') return [];
    const [above, below] = [start + index * height, start + (index + 1) * height];
    const rects: Readonly<Record<number, Rect>> = {
      90: [left + above, bottom, left + below, top],
      180: [left, bottom + above, right, bottom + below],
      270: [right - below, bottom, right - above, top],
    };
    return [{ text, rect: rects[angle] ?? [left, top - below, right, top - above], size, angle }];
  });
}
