import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { type DrawnWord, WordMaker } from './letters.ts';
import { asMatrix, IDENTITY, type Matrix, multiply } from './matrix.ts';
import { type DrawnRule, Shapes } from './shapes.ts';

/*
 * What the drawing operators of a page put on it: words and shapes, each with its place. The operators are those of
 * ISO 32000-1, sections 8 and 9, as the library gives them; the arithmetic is that of section 9.4.4.
 */

export interface Drawing {
  words: DrawnWord[];
  rules: DrawnRule[];
  /** The middles of small round shapes, as bullets are. */
  dots: [x: number, y: number][];
  /** Fonts of which a text draws its spaces. Other texts leave gaps. */
  spacedFonts: Set<string>;
  /** Fonts all of whose letters are equally wide. */
  monospacedFonts: Set<string>;
  /** The visible part of the page: left, bottom, right, top. */
  view: readonly number[];
}

/** What is known of a font. */
export interface DrawnFont {
  /** Units of the font to those of the text. */
  fontMatrix?: readonly number[];
  bbox?: readonly number[];
  vertical?: boolean;
  isType3Font?: boolean;
  isCharBBox?: boolean;
}

interface Glyph {
  unicode: string;
  width: number;
  isSpace: boolean;
  vmetric?: readonly [number, number, number];
}

const FONT_UNIT = 0.001;
/** Text rendering modes of ISO 32000-1, table 106. */
const INVISIBLE = 3;

/** The graphics state, as far as words and rules depend on it. */
class State {
  ctm: Matrix = IDENTITY;
  font = '';
  fontSize = 0;
  charSpacing = 0;
  wordSpacing = 0;
  scale = 1;
  leading = 0;
  rise = 0;
  mode = 0;
  alpha = 1;

  clone(): State {
    return Object.assign(new State(), this);
  }
}

/** Runs the operators of a page, in their order. */
export class Drawer {
  readonly #fonts: ReadonlyMap<string, DrawnFont>;
  readonly #view: readonly number[];
  readonly #isVisible: (group: unknown) => boolean;
  readonly #words = new WordMaker();
  readonly #shapes: Shapes;
  #state = new State();
  readonly #stack: State[] = [];
  #textMatrix: Matrix = IDENTITY;
  /** The place within the line and the start of the line, in text space. */
  #x = 0;
  #y = 0;
  #lineX = 0;
  #lineY = 0;
  /** For each open marked content, whether it is hidden. */
  readonly #marked: boolean[] = [];
  #hidden = 0;

  /**
   * @param fonts those of the operators that were run; more can be added
   * @param view the visible part of the page: left, bottom, right, top; letters outside are left out
   * @param isVisible whether a group of optional content is shown
   */
  constructor(
    fonts: ReadonlyMap<string, DrawnFont>,
    view: readonly number[],
    isVisible: (group: unknown) => boolean,
  ) {
    this.#fonts = fonts;
    this.#view = view;
    this.#isVisible = isVisible;
    this.#shapes = new Shapes(view);
  }

  /** What was drawn up to now. */
  get drawing(): Drawing {
    const { words, spacedFonts, monospacedFonts } = this.#words;
    const { rules, dots } = this.#shapes;
    return { words, rules, dots, spacedFonts, monospacedFonts, view: this.#view };
  }

  run(operation: number, args: unknown): void {
    const list = (args ?? []) as unknown[];
    const state = this.#state;
    const number = (index: number) => Number(list[index] ?? 0);
    switch (operation) {
      case OPS.save:
      case OPS.beginGroup:
        this.#save();
        break;
      case OPS.restore:
      case OPS.endGroup:
      case OPS.paintFormXObjectEnd:
        this.#state = this.#stack.pop() ?? this.#state;
        break;
      case OPS.transform:
        state.ctm = multiply(state.ctm, asMatrix(list));
        break;
      case OPS.paintFormXObjectBegin:
        this.#save();
        if (list[0] != null) this.#state.ctm = multiply(this.#state.ctm, asMatrix(list[0]));
        break;
      case OPS.setGState:
        for (const [key, value] of (list[0] ?? []) as [string, unknown][]) this.#setParameter(key, value);
        break;
      case OPS.beginText:
        this.#setTextMatrix(IDENTITY);
        break;
      case OPS.setFont:
        state.font = String(list[0]);
        state.fontSize = number(1);
        break;
      case OPS.setTextMatrix:
        this.#setTextMatrix(asMatrix(list[0]));
        break;
      case OPS.moveText:
        this.#moveText(number(0), number(1));
        break;
      case OPS.setLeadingMoveText:
        state.leading = -number(1);
        this.#moveText(number(0), number(1));
        break;
      case OPS.nextLine:
        this.#moveText(0, -state.leading);
        break;
      case OPS.setLeading:
        state.leading = number(0);
        break;
      case OPS.setCharSpacing:
        state.charSpacing = number(0);
        break;
      case OPS.setWordSpacing:
        state.wordSpacing = number(0);
        break;
      case OPS.setHScale:
        state.scale = number(0) / 100;
        break;
      case OPS.setTextRise:
        state.rise = number(0);
        break;
      case OPS.setTextRenderingMode:
        state.mode = number(0);
        break;
      case OPS.showText:
        this.#showText((list[0] ?? []) as (Glyph | number)[]);
        break;
      case OPS.constructPath:
        if (this.#hidden === 0)
          this.#shapes.add(
            number(0),
            (list[1] as (Float32Array | null)[] | undefined)?.[0] ?? null,
            state.ctm,
          );
        break;
      case OPS.beginMarkedContent:
      case OPS.beginMarkedContentProps:
        this.#beginMarked(list[0] === 'OC' && list[1] != null && !this.#isVisible(list[1]));
        break;
      case OPS.endMarkedContent:
        if (this.#marked.pop() === true) this.#hidden -= 1;
        break;
    }
  }

  #save(): void {
    this.#stack.push(this.#state);
    this.#state = this.#state.clone();
  }

  #setParameter(key: string, value: unknown): void {
    if (key === 'ca') this.#state.alpha = Number(value);
    if (key === 'Font') {
      const [font, size] = value as [unknown, unknown];
      this.#state.font = String(font);
      this.#state.fontSize = Number(size);
    }
  }

  #beginMarked(hidden: boolean): void {
    this.#marked.push(hidden);
    if (hidden) this.#hidden += 1;
  }

  #setTextMatrix(matrix: Matrix): void {
    this.#textMatrix = matrix;
    this.#x = this.#lineX = 0;
    this.#y = this.#lineY = 0;
  }

  #moveText(x: number, y: number): void {
    this.#x = this.#lineX += x;
    this.#y = this.#lineY += y;
  }

  #showText(glyphs: readonly (Glyph | number)[]): void {
    const state = this.#state;
    const { fontSize, charSpacing, wordSpacing } = state;
    const font = this.#fonts.get(state.font) ?? {};
    const vertical = font.vertical === true;
    const m = multiply(state.ctm, this.#textMatrix);
    const unit = (font.fontMatrix?.[0] ?? FONT_UNIT) * fontSize;
    const size = Math.hypot(m[2], m[3]) * Math.abs(fontSize) * sizeOf(font, fontSize);
    const invisible = state.mode === INVISIBLE || state.alpha === 0;
    // The line runs along the first axis of the text, or against the second one if it is vertical.
    const [x, y, sign] = vertical ? [-m[2], -m[3], 1] : [m[0], m[1], Math.sign(fontSize * state.scale) || 1];
    const length = (Math.hypot(x, y) || 1) * sign;
    const style = { size, font: state.font, vertical, invisible, alongX: x / length, alongY: y / length };
    this.#words.begin(style, glyphs.length);
    for (const glyph of glyphs) {
      if (typeof glyph === 'number') {
        this.#advance(((vertical ? 1 : -1) * glyph * fontSize) / 1000, vertical);
        continue;
      }
      const { unicode } = glyph;
      const width = (vertical ? -Math.abs(glyph.vmetric?.[0] ?? 1000) : glyph.width) * unit;
      const rise = this.#y + state.rise;
      const startX = m[0] * this.#x + m[2] * rise + m[4];
      const startY = m[1] * this.#x + m[3] * rise + m[5];
      this.#advance(width, vertical);
      const endRise = this.#y + state.rise;
      const endX = m[0] * this.#x + m[2] * endRise + m[4];
      const endY = m[1] * this.#x + m[3] * endRise + m[5];
      const spacing = charSpacing + (glyph.isSpace ? wordSpacing : 0);
      this.#advance(vertical ? -spacing : spacing, vertical);
      if (this.#hidden > 0 || unicode === '') continue;
      if (unicode.trim() === '') this.#words.addSpace();
      else if (Number.isFinite(size) && this.#isInView(startX, startY, endX, endY))
        this.#words.addLetter(unicode, glyph.width, startX, startY, endX, endY);
    }
  }

  #advance(distance: number, vertical: boolean): void {
    if (vertical) this.#y += distance;
    else this.#x += distance * this.#state.scale;
  }

  #isInView(startX: number, startY: number, endX: number, endY: number): boolean {
    const [left = 0, bottom = 0, right = 0, top = 0] = this.#view;
    return (
      Math.max(startX, endX) >= left &&
      Math.min(startX, endX) <= right &&
      Math.max(startY, endY) >= bottom &&
      Math.min(startY, endY) <= top
    );
  }
}

/** Letters of type 3 fonts have units of their own. */
function sizeOf({ isType3Font, isCharBBox, bbox, fontMatrix }: DrawnFont, fontSize: number): number {
  if (isType3Font !== true || (Math.abs(fontSize) > 1 && isCharBBox !== true)) return 1;
  const height = Math.abs((bbox?.[3] ?? 0) - (bbox?.[1] ?? 0)) * Math.abs(fontMatrix?.[3] ?? 0);
  return height > 0 ? height : 1;
}
