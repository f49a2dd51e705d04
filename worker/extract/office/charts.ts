import type { Block } from '../text.ts';
import { countOf } from './docx/values.ts';
import { showNumber } from './sheets/cells.ts';
import { parseFormat } from './sheets/number-format.ts';
import { type Attributes, readXml, type XmlHandler } from './xml.ts';
import type { ZipArchive } from './zip-archive.ts';

/** A larger table is not shown by a chart. */
const MAX_CELLS = 100_000;
/** A spreadsheet has no more rows, so no series has more points. */
const MAX_POINTS = 1_048_576;

/** The points of a series by their numbers: names of categories, or values. */
type Points = Map<number, string>;

interface Series {
  /** Its place among all series, from 1. */
  number: number;
  name: string;
  categories: Points;
  values: Points;
}

/** Elements of a series with its points. Those of scatter charts have numbers in place of categories. */
const CATEGORIES = new Set(['cat', 'xVal']);
const VALUES = new Set(['val', 'yVal', 'bubbleSize']);
/** Labels of points repeat the values; other elements have no text that belongs to the table. */
const SKIPPED = new Set([
  'dLbls',
  'dPt',
  'errBars',
  'extLst',
  'Fallback',
  'trendline',
  'txPr',
  'pivotFmts',
  'userShapes',
]);
const AXES = new Set(['catAx', 'dateAx', 'serAx', 'valAx']);

/** Reads the titles and the values of a chart. */
class ChartReader implements XmlHandler {
  readonly #path: string[] = [];
  readonly #series: Series[] = [];
  #skipped = 0;
  #title = '';
  /** The titles of the axes, in order. */
  readonly #axes: { kind: string; title: string }[] = [];
  #point = 0;
  #format = '';
  #text = '';

  open(name: string, attributes: Attributes): void {
    if (this.#skipped > 0 || SKIPPED.has(name)) {
      this.#skipped += 1;
      return;
    }
    this.#path.push(name);
    if (name === 'ser')
      this.#series.push({
        number: this.#series.length + 1,
        name: '',
        categories: new Map(),
        values: new Map(),
      });
    else if (AXES.has(name)) this.#axes.push({ kind: name, title: '' });
    else if (name === 'numCache' || name === 'numLit') this.#format = 'General';
    else if (name === 'strCache' || name === 'strLit') this.#format = '';
    else if (name === 'pt') {
      this.#point = countOf(attributes.idx, 0, MAX_POINTS) ?? 0;
      this.#format = attributes.formatCode ?? this.#format;
    } else if (name === 'p' && this.#path.includes('title')) this.#addTitle(' ');
    this.#text = '';
  }

  text(piece: string): void {
    if (this.#skipped === 0) this.#text += piece;
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    const text = this.#text;
    this.#text = '';
    if (name === 'formatCode') this.#format = text;
    else if (this.#path.includes('title')) {
      if (name === 't' || name === 'v') this.#addTitle(text);
    } else if (name === 'v') this.#addPoint(text);
    this.#path.pop();
  }

  /** What the chart shows: its titles, and a table of its values. Null if that would be too large. */
  get blocks(): Block[] | null {
    const isCategory = ({ kind }: { kind: string }) => kind === 'catAx' || kind === 'dateAx';
    const category = this.#axes.find(isCategory)?.title.trim() ?? '';
    const others = this.#axes.filter((axis) => !isCategory(axis)).map(({ title }) => title.trim());
    const titles = [this.#title.trim(), ...others].filter((title) => title !== '');
    const groups = Map.groupBy(this.#series, ({ categories }) => JSON.stringify([...categories]));
    const tables = [...groups.values()].map((group) => tableOf(group, category));
    if (tables.includes(null)) return null;
    return [{ kind: 'paragraph', text: titles.join('\n') }, ...tables.filter((table) => table !== null)];
  }

  #addTitle(text: string): void {
    if (this.#path.includes('ser')) return;
    const axis = this.#path.some((name) => AXES.has(name)) ? this.#axes.at(-1) : undefined;
    if (axis !== undefined) axis.title += text;
    else this.#title += text;
  }

  #addPoint(text: string): void {
    const series = this.#series.at(-1);
    const at = this.#path.indexOf('ser');
    const kind = at < 0 ? undefined : this.#path[at + 1];
    if (series === undefined || kind === undefined) return;
    const shown = this.#format === '' ? text : showNumber(text, parseFormat(this.#format), false);
    if (kind === 'tx') series.name += series.name === '' ? text : ` ${text}`;
    else if (CATEGORIES.has(kind)) add(series.categories, this.#point, shown);
    else if (VALUES.has(kind)) add(series.values, this.#point, shown);
  }
}

/** A table of series with the same categories, which has a column for each of them; null if it would be too large. */
function tableOf(series: readonly Series[], category: string): Block | null {
  const categories: Points = series[0]?.categories ?? new Map();
  const points = new Set(categories.keys());
  for (const { values } of series) for (const point of values.keys()) points.add(point);
  if (points.size * series.length > MAX_CELLS) return null;
  const rows = [...points]
    .sort((a, b) => a - b)
    .map((point) => [categories.get(point) ?? '', ...series.map(({ values }) => values.get(point) ?? '')]);
  return {
    kind: 'table',
    rows: [[category, ...series.map(({ name, number }) => name || `Series ${number}`)], ...rows],
  };
}

/** Adds a point. Categories of several levels have more texts for one number: the outer ones come later. */
function add(points: Points, number: number, text: string): void {
  const inner = points.get(number);
  points.set(number, inner === undefined ? text : `${text} ${inner}`);
}

/**
 * Reads a chart: its titles and its values, which the document keeps beside the workbook that they are from. Null if it has too
 * many of them.
 * @throws FileFault like `readXml`
 */
export async function readChart(archive: ZipArchive, part: string): Promise<Block[] | null> {
  const reader = new ChartReader();
  await readXml(archive, part, reader);
  return reader.blocks;
}
