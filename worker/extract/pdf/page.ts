import { AnnotationMode, OPS, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { type PlacedText, type Rect, readAnnotations, type Signature } from './annotations.ts';
import { Drawer, type Drawing, type DrawnFont } from './drawing.ts';
import type { DrawnWord } from './letters.ts';
import { asShown } from './lines.ts';
import { type PageText, pageText } from './pages.ts';
import { TextByPlace } from './text-by-place.ts';
import { sheetsOf } from './words.ts';

/* One page: what is drawn on it, with the values of its form fields and the texts that were typed on it. */

/** The width of a letter, relative to its size, where its font is not known. */
const LETTER_WIDTH = 0.5;
/** The size of letters in a box, relative to its height, and at most. */
const SIZE_IN_BOX = 0.75;
const MOST_SIZE = 12;
/** How far above the lower edge of a box its baseline is, relative to the size. */
const BASELINE = 0.3;

/** The names of the fonts that an operator sets. */
function fontsSetBy(operation: number, args: unknown): string[] {
  const list = (args ?? []) as unknown[];
  if (operation === OPS.setFont) return [String(list[0])];
  if (operation !== OPS.setGState) return [];
  const entries = (list[0] ?? []) as [string, unknown][];
  return entries.flatMap(([key, value]) => (key === 'Font' ? [String((value as unknown[])[0])] : []));
}

/** Runs operators as soon as the fonts that they set are known. */
class OperatorQueue {
  readonly #page: PDFPageProxy;
  readonly #fonts: Map<string, DrawnFont>;
  readonly #run: (operation: number, args: unknown) => void;
  #waiting: [operation: number, args: unknown][] = [];

  constructor(
    page: PDFPageProxy,
    fonts: Map<string, DrawnFont>,
    run: (operation: number, args: unknown) => void,
  ) {
    this.#page = page;
    this.#fonts = fonts;
    this.#run = run;
  }

  take(operation: number, args: unknown): void {
    if (this.#waiting.length > 0 || this.#lacking(operation, args).length > 0)
      this.#waiting.push([operation, args]);
    else this.#run(operation, args);
  }

  /** Runs those that wait for a font. */
  async finish(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [operation, args] of waiting) {
      for (const name of this.#lacking(operation, args)) {
        const font = await new Promise<DrawnFont | null>((resolve) =>
          this.#page.commonObjs.get(name, resolve),
        );
        this.#fonts.set(name, font ?? {});
      }
      this.#run(operation, args);
    }
  }

  /** The fonts that are not there yet. */
  #lacking(operation: number, args: unknown): string[] {
    return fontsSetBy(operation, args).filter((name) => {
      if (this.#fonts.has(name)) return false;
      if (!this.#page.commonObjs.has(name)) return true;
      this.#fonts.set(name, this.#page.commonObjs.get(name) as DrawnFont);
      return false;
    });
  }
}

/** The list that the library fills with operators as it reads them. */
interface GrowingList {
  fnArray: number[];
  argsArray: unknown[];
}

/**
 * Reads what is drawn on a page. The library collects the operators of the whole page, which can be millions, so each is
 * taken out of its list when it comes. The list is no part of the interface of the library: should another version not
 * have it, the operators are taken at the end.
 */
async function drawingOf(page: PDFPageProxy, isVisible: (group: unknown) => boolean): Promise<Drawing> {
  const fonts = new Map<string, DrawnFont>();
  const drawer = new Drawer(fonts, page.view, isVisible);
  const queue = new OperatorQueue(page, fonts, (operation, args) => drawer.run(operation, args));
  // Annotations are read by themselves.
  const reading = page.getOperatorList({ annotationMode: AnnotationMode.DISABLE });
  const states = (page as unknown as { _intentStates?: Map<string, { operatorList?: GrowingList }> })
    ._intentStates;
  const list = [...(states?.values() ?? [])].at(-1)?.operatorList;
  if (list !== undefined) {
    list.argsArray.push = (args) => {
      const operation = list.fnArray.pop();
      if (operation !== undefined) queue.take(operation, args);
      return 0;
    };
  }
  const { fnArray, argsArray } = await reading;
  for (const [index, operation] of fnArray.entries()) queue.take(operation, argsArray[index]);
  await queue.finish();
  return drawer.drawing;
}

/** Where a line in a box starts, and its direction. @param rise of its baseline over the edge that is below it */
function startOf(
  [left, bottom, right, top]: Rect,
  angle: number,
  rise: number,
): [number, number, number, number] {
  switch (angle) {
    case 90:
      return [right - rise, bottom, 0, 1];
    case 180:
      return [right, top - rise, -1, 0];
    case 270:
      return [left + rise, top, 0, -1];
    default:
      return [left, bottom + rise, 1, 0];
  }
}

/** A text that stands on the page without being drawn, as if it were drawn. */
function drawnText({ text, rect, size, angle }: PlacedText): DrawnWord {
  const [left, bottom, right, top] = rect;
  const isUpright = angle % 180 === 0;
  const [length, height] = isUpright ? [right - left, top - bottom] : [top - bottom, right - left];
  const letter = size ?? Math.min(MOST_SIZE, SIZE_IN_BOX * height);
  const width = Math.min(length, LETTER_WIDTH * letter * text.length);
  const rise = (height - letter) / 2 + BASELINE * letter;
  const [startX, startY, alongX, alongY] = startOf(rect, angle, rise);
  return {
    text,
    letters: asShown(text),
    startX,
    startY,
    endX: startX + alongX * width,
    endY: startY + alongY * width,
    size: letter,
    font: '',
    vertical: false,
    spaced: true,
    invisible: false,
  };
}

const compact = (text: string) => text.replaceAll(/\s/g, '');

/** Adds what the annotations show to the words of a page. @returns the notes that go below its text */
function addAnnotations(
  drawing: Drawing,
  annotations: readonly unknown[],
  signatures: readonly Signature[],
): string[] {
  if (annotations.length === 0) return [];
  const texts = new TextByPlace(drawing.words);
  const { placed, notes } = readAnnotations(annotations, (rect) => texts.textIn(rect), signatures);
  for (const text of placed) {
    // A value that is drawn too, as in a form that was flattened in part.
    const isDrawn = compact(texts.textIn(text.rect)).includes(compact(text.text));
    if (isDrawn) continue;
    const word = drawnText(text);
    // A value stands on the line of its label.
    if (text.angle === 0)
      word.endY = word.startY = texts.baselineBefore(word.startX, word.startY, word.size) ?? word.startY;
    drawing.words.push(word);
  }
  return notes;
}

/**
 * Reads a page.
 * @param isVisible whether a group of optional content is shown
 */
export async function readPage(
  page: PDFPageProxy,
  isVisible: (group: unknown) => boolean,
  annotations: readonly unknown[],
  signatures: readonly Signature[],
): Promise<PageText> {
  try {
    const drawing = await drawingOf(page, isVisible);
    const notes = addAnnotations(drawing, annotations, signatures);
    return pageText(sheetsOf(drawing), notes);
  } finally {
    page.cleanup();
  }
}
