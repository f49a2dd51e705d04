import { type Attributes, readXml, type XmlHandler } from '../xml.ts';
import type { ZipArchive } from '../zip-archive.ts';
import { countOf, isOn, MAX_LEVEL, valueOf } from './values.ts';

/** What a style says of characters; undefined where it does not say it. */
export interface CharacterStyle {
  isHidden: boolean | undefined;
  isStruck: boolean | undefined;
}

/** What a style, with the styles that it is based on, says of a paragraph. */
export interface ParagraphStyle extends CharacterStyle {
  id: string;
  /** The level of the heading, from 1; null for other text. */
  level: number | null;
  numId: string | null;
  ilvl: number | null;
  isCode: boolean;
}

interface Style extends CharacterStyle {
  name: string;
  basedOn: string | null;
  /** Level of the outline, from 0. */
  outline: number | null;
  numId: string | null;
  ilvl: number | null;
}

/** Styles are based on fewer others, also in a cycle. */
const MAX_ANCESTORS = 50;
/** The level of the outline of text that is no heading. */
export const NO_OUTLINE = 9;
const HEADING = /^heading ?([1-9])$/i;
const TITLE = /^title$/i;
/** Styles of text whose spaces and lines matter, of Word, LibreOffice and pandoc. */
const CODE = new Set(['html preformatted', 'preformatted text', 'source code']);

const emptyStyle = (name: string): Style => ({
  name,
  basedOn: null,
  outline: null,
  numId: null,
  ilvl: null,
  isHidden: undefined,
  isStruck: undefined,
});

/** The styles of a document, by their identifiers. */
export class Styles implements XmlHandler {
  readonly #styles = new Map<string, Style>();
  readonly #paragraphs = new Map<string, ParagraphStyle>();
  readonly #characters = new Map<string, CharacterStyle>();
  #default = '';
  #open: Style | null = null;
  /** Names of open elements with the former properties of a style. */
  #former = 0;

  open(name: string, attributes: Attributes): void {
    if (this.#former > 0 || name.endsWith('Change') || name === 'tblStylePr') this.#former += 1;
    else if (name === 'style') this.#openStyle(attributes);
    else if (this.#open !== null) this.#read(this.#open, name, attributes);
  }

  close(name: string): void {
    if (this.#former > 0) this.#former -= 1;
    else if (name === 'style') this.#open = null;
  }

  /** The style of a paragraph; that of all paragraphs if it names none. */
  paragraph(id: string | null): ParagraphStyle {
    const wanted = id ?? this.#default;
    let style = this.#paragraphs.get(wanted);
    if (style === undefined) {
      style = this.#resolveParagraph(wanted);
      this.#paragraphs.set(wanted, style);
    }
    return style;
  }

  /** A style of characters. */
  characters(id: string): CharacterStyle {
    let style = this.#characters.get(id);
    if (style === undefined) {
      style = charactersOf(this.#chainOf(id));
      this.#characters.set(id, style);
    }
    return style;
  }

  #openStyle(attributes: Attributes): void {
    const id = valueOf(attributes, 'styleId') ?? '';
    this.#open = emptyStyle('');
    this.#styles.set(id, this.#open);
    const isDefault = ['1', 'true', 'on'].includes(valueOf(attributes, 'default') ?? '');
    if (isDefault && valueOf(attributes, 'type') === 'paragraph') this.#default = id;
  }

  #read(style: Style, name: string, attributes: Attributes): void {
    const value = valueOf(attributes, 'val');
    if (name === 'name') style.name = value ?? '';
    else if (name === 'basedOn') style.basedOn = value ?? null;
    else if (name === 'outlineLvl') style.outline = countOf(value, 0, NO_OUTLINE);
    else if (name === 'numId') style.numId = value ?? null;
    else if (name === 'ilvl') style.ilvl = countOf(value, 0, MAX_LEVEL);
    else if (name === 'vanish') style.isHidden = isOn(attributes);
    else if (name === 'strike' || name === 'dstrike') style.isStruck = isOn(attributes);
  }

  /** A style and those that it is based on. A style that is not defined has its identifier as its name. */
  #chainOf(id: string): Style[] {
    const chain: Style[] = [this.#styles.get(id) ?? emptyStyle(id)];
    while (chain.length < MAX_ANCESTORS) {
      const base = this.#styles.get(chain.at(-1)?.basedOn ?? '');
      if (base === undefined || chain.at(-1)?.basedOn === null) break;
      chain.push(base);
    }
    return chain;
  }

  #resolveParagraph(id: string): ParagraphStyle {
    const chain = this.#chainOf(id);
    return {
      ...charactersOf(chain),
      id,
      level: levelOf(chain),
      numId: chain.find(({ numId }) => numId !== null)?.numId ?? null,
      ilvl: chain.find(({ ilvl }) => ilvl !== null)?.ilvl ?? null,
      isCode: CODE.has(chain[0]?.name.toLowerCase() ?? ''),
    };
  }
}

function charactersOf(chain: readonly Style[]): CharacterStyle {
  return {
    isHidden: chain.find(({ isHidden }) => isHidden !== undefined)?.isHidden,
    isStruck: chain.find(({ isStruck }) => isStruck !== undefined)?.isStruck,
  };
}

/** The level of the heading that the first style says which says something of it. */
function levelOf(chain: readonly Style[]): number | null {
  for (const { name, outline } of chain) {
    const named = HEADING.exec(name)?.[1];
    if (named !== undefined) return Number(named);
    if (TITLE.test(name)) return 1;
    if (outline !== null) return outline < NO_OUTLINE ? outline + 1 : null;
    if (/^subtitle$/i.test(name)) return null;
  }
  return null;
}

/**
 * Reads the styles of a document. Without the part, there are none.
 * @throws FileFault like `readXml`
 */
export async function readStyles(archive: ZipArchive, part: string): Promise<Styles> {
  const styles = new Styles();
  await readXml(archive, part, styles);
  return styles;
}
