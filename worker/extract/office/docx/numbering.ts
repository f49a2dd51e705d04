import { isBulletText, type ListLabel, MAX_LABEL } from '../list-label.ts';
import { showListNumber } from '../list-numbers.ts';
import { type Attributes, readXml, type XmlHandler } from '../xml.ts';
import type { ZipArchive } from '../zip-archive.ts';
import { countOf, isOn, MAX_LEVEL, valueOf } from './values.ts';

/** Larger numbers are those of a damaged file. */
const MAX_START = 1_000_000;
/** Word does not accept a longer text of a level. */
const MAX_LEVEL_TEXT = 255;
interface Level {
  start: number;
  format: string;
  /** The first numbers of a format of the document's own. */
  pattern: string;
  /** With `%1` for the number of the first level. */
  text: string;
  /** Numbering begins again after a paragraph of this level or a higher one, counted from 1; 0 is never. */
  restart: number | null;
  isLegal: boolean;
  isHidden: boolean;
  separator: string;
  /** The paragraph style that has this level. */
  style: string | null;
}

interface Definition {
  id: string;
  levels: Map<number, Level>;
  /** The style of a list that has the levels in place of this definition. */
  link: string | null;
}

interface List {
  definition: string;
  overrides: Map<number, { start: number | null; level: Level | null }>;
}

/** How far the lists of one definition are counted. */
interface Counts {
  /** The last number of each level; undefined before its first paragraph. */
  values: (number | undefined)[];
}

const newLevel = (): Level => ({
  start: 0,
  format: 'decimal',
  pattern: '',
  text: '',
  restart: null,
  isLegal: false,
  isHidden: false,
  separator: ' ',
  style: null,
});

const PLACE = /%([1-9])/g;

/** The lists of a document, which count its numbered paragraphs in order. */
export class Numbering implements XmlHandler {
  readonly #definitions = new Map<string, Definition>();
  readonly #lists = new Map<string, List>();
  /** The definitions that have the levels of a style. */
  readonly #styles = new Map<string, Definition>();
  readonly #counts = new Map<string, Counts>();
  readonly #begun = new Set<string>();
  #definition: Definition | null = null;
  #list: List | null = null;
  #override: { start: number | null; level: Level | null } | null = null;
  #level: Level | null = null;
  #fallbacks = 0;

  open(name: string, attributes: Attributes): void {
    // The other copy of a format is for programs that do not know the first.
    if (this.#fallbacks > 0 || name === 'Fallback') this.#fallbacks += 1;
    else if (name === 'abstractNum') this.#openDefinition(attributes);
    else if (name === 'num') this.#openList(attributes);
    else if (name === 'lvl') this.#openLevel(attributes);
    else if (this.#level !== null) readLevel(this.#level, name, attributes);
    else this.#readList(name, attributes);
  }

  close(name: string): void {
    if (this.#fallbacks > 0) this.#fallbacks -= 1;
    else if (name === 'lvl') this.#level = null;
    else if (name === 'lvlOverride') this.#override = null;
    else if (name === 'abstractNum') this.#definition = null;
    else if (name === 'num') this.#list = null;
  }

  /** The level of a list that belongs to a paragraph style; null if none does. */
  levelOfStyle(numId: string, style: string): number | null {
    const list = this.#lists.get(numId);
    const definition = list === undefined ? null : this.#resolve(list);
    for (const [index, level] of definition?.levels ?? []) if (level.style === style) return index;
    return null;
  }

  /** Begins to count all lists again. */
  restart(): void {
    this.#counts.clear();
    this.#begun.clear();
  }

  /** Counts the next paragraph of a list; null if there is no such list. */
  count(numId: string, ilvl: number): ListLabel | null {
    const list = this.#lists.get(numId);
    const definition = list === undefined ? null : this.#resolve(list);
    if (list === undefined || definition === null) return null;
    const levelAt = (index: number) => list.overrides.get(index)?.level ?? definition.levels.get(index);
    const level = levelAt(ilvl);
    if (level === undefined) return null;
    const startOf = (index: number) => list.overrides.get(index)?.start ?? levelAt(index)?.start ?? 1;
    const counts = this.#countsOf(numId, list, definition);
    const value = counts.values[ilvl];
    counts.values[ilvl] = value === undefined ? startOf(ilvl) : value + 1;
    for (let below = ilvl + 1; below <= MAX_LEVEL; below++) {
      if (ilvl < Math.min(levelAt(below)?.restart ?? below, below)) counts.values[below] = undefined;
    }
    // A text can name a level a hundred times, and a number takes a while to show.
    const known: (string | undefined)[] = [];
    const show = (index: number) => {
      const number = counts.values[index] ?? startOf(index);
      const shown = levelAt(index);
      const format = shown?.format ?? 'decimal';
      const isDecimal = level.isLegal && format !== 'decimalZero';
      return showListNumber(number, isDecimal ? 'decimal' : format, shown?.pattern);
    };
    const text = level.isHidden
      ? ''
      : level.text.replace(PLACE, (_, place: string) => {
          const index = Number(place) - 1;
          known[index] ??= show(index);
          return known[index];
        });
    const isBullet = level.format === 'bullet' || isBulletText(text);
    return { text: text.trim().slice(0, MAX_LABEL), isBullet, separator: level.separator };
  }

  #countsOf(numId: string, list: List, definition: Definition): Counts {
    const counts = this.#counts.get(definition.id) ?? { values: [] };
    this.#counts.set(definition.id, counts);
    // Lists of one definition continue each other, except for levels that a list starts itself.
    if (!this.#begun.has(numId)) {
      for (const [index, { start }] of list.overrides) if (start !== null) counts.values[index] = undefined;
      this.#begun.add(numId);
    }
    return counts;
  }

  /** The definition of a list, through a style if it names one. One step is enough, so that no cycle can be followed. */
  #resolve({ definition: id }: List): Definition | null {
    const definition = this.#definitions.get(id) ?? null;
    if (definition === null || definition.link === null) return definition;
    return this.#styles.get(definition.link) ?? definition;
  }

  #openDefinition(attributes: Attributes): void {
    const id = valueOf(attributes, 'abstractNumId') ?? '';
    this.#definition = { id, levels: new Map(), link: null };
    this.#definitions.set(id, this.#definition);
    this.#list = null;
  }

  #openList(attributes: Attributes): void {
    this.#list = { definition: '', overrides: new Map() };
    this.#lists.set(valueOf(attributes, 'numId') ?? '', this.#list);
    this.#definition = null;
  }

  #openLevel(attributes: Attributes): void {
    this.#level = newLevel();
    const index = countOf(valueOf(attributes, 'ilvl'), 0, MAX_LEVEL) ?? 0;
    if (this.#override !== null) this.#override.level = this.#level;
    else this.#definition?.levels.set(index, this.#level);
  }

  #readList(name: string, attributes: Attributes): void {
    const value = valueOf(attributes, 'val') ?? '';
    if (name === 'abstractNumId' && this.#list !== null) this.#list.definition = value;
    else if (name === 'lvlOverride' && this.#list !== null) {
      this.#override = { start: null, level: null };
      const index = countOf(valueOf(attributes, 'ilvl'), 0, MAX_LEVEL) ?? 0;
      this.#list.overrides.set(index, this.#override);
    } else if (name === 'startOverride' && this.#override !== null) {
      this.#override.start = countOf(value, 0, MAX_START);
    } else if (name === 'numStyleLink' && this.#definition !== null) this.#definition.link = value;
    else if (name === 'styleLink' && this.#definition !== null) this.#styles.set(value, this.#definition);
  }
}

function readLevel(level: Level, name: string, attributes: Attributes): void {
  const value = valueOf(attributes, 'val') ?? '';
  if (name === 'start') level.start = countOf(value, 0, MAX_START) ?? 0;
  else if (name === 'numFmt') {
    level.format = value;
    level.pattern = valueOf(attributes, 'format') ?? '';
  } else if (name === 'lvlText') level.text = value.slice(0, MAX_LEVEL_TEXT);
  else if (name === 'lvlRestart') level.restart = countOf(value, 0, MAX_LEVEL + 1);
  else if (name === 'isLgl') level.isLegal = isOn(attributes);
  else if (name === 'vanish') level.isHidden = isOn(attributes);
  else if (name === 'suff') level.separator = value === 'nothing' ? '' : ' ';
  else if (name === 'pStyle') level.style = value;
}

/**
 * Reads the lists of a document. Without the part, there are none.
 * @throws FileFault like `readXml`
 */
export async function readNumbering(archive: ZipArchive, part: string): Promise<Numbering> {
  const numbering = new Numbering();
  await readXml(archive, part, numbering);
  return numbering;
}
