import { type Extractor, FileFault } from '../../extraction.ts';
import { documentTitle } from '../../properties/titles.ts';
import { pushAll } from '../../push-all.ts';
import type { Block } from '../../text.ts';
import { UnreadParts } from '../../unread-parts.ts';
import { readChart } from '../charts.ts';
import { mismatchFault, type OfficePackage, openOffice, readProperties, relationsOf } from '../package.ts';
import { prefixedValue, readXml } from '../xml.ts';
import { readShown, readSlideComments } from './shown.ts';
import { type Slide, SlideParts } from './slide-parts.ts';

/** No presentation shows more slides, and an archive has fewer files. */
const MAX_SLIDES = 50_000;

/** Parts of a slide that are not read, by the types of their relations, with their names in `unread`. */
const UNREAD_PARTS: ReadonlyMap<string, string> = new Map([
  ['chartEx', 'chart'],
  ['control', 'embedded object'],
  ['oleObject', 'embedded object'],
  ['package', 'embedded object'],
]);

/** Those that are read. */
const READ_PARTS = new Set(['chart', 'comments', 'diagramData', 'notesSlide']);

const missingSlideFault = () =>
  new FileFault('corrupt', 'The file is damaged: a slide is missing. Send it again from a copy that opens.');

/** The paths of the slides in the order of the presentation; null for one that is not in the file. */
async function slidePaths({ archive, main }: OfficePackage): Promise<(string | null)[]> {
  const relations = new Map((await relationsOf(archive, main)).map((each) => [each.id, each]));
  const paths: (string | null)[] = [];
  let root: string | null = null;
  await readXml(archive, main, {
    open: (name, attributes) => {
      root ??= name;
      if (name !== 'sldId') return;
      // The number of the slide has no prefix; the reference to its part has one.
      const id = prefixedValue(attributes, 'id');
      // The list of the sections repeats the numbers, without references.
      if (id === undefined) return;
      const relation = relations.get(id);
      const isThere = relation?.type === 'slide' && archive.names.has(relation.target);
      paths.push(isThere ? relation.target : null);
      if (paths.length > MAX_SLIDES) {
        throw new FileFault(
          'too_many_chunks',
          `The presentation has more than ${MAX_SLIDES.toLocaleString('en')} slides: divide it.`,
        );
      }
    },
  });
  if (root !== 'presentation') throw mismatchFault('PPTX', null);
  return paths;
}

/** Reads the slides of a presentation, each with what belongs to it. A part that several slides name is read once. */
class SlideReader {
  readonly pieces = new UnreadParts();
  readonly #archive: OfficePackage['archive'];
  readonly #seen = new Set<string>();

  constructor({ archive }: OfficePackage) {
    this.#archive = archive;
  }

  /**
   * Reads a slide.
   * @param name what it is called in `unread`
   * @returns null if it is damaged, or was read before
   */
  async read(path: string, name: string): Promise<Slide | null> {
    if (!this.#isNew(path)) return null;
    const shown = await this.pieces.readOrAdd(name, () => readShown(this.#archive, path));
    if (shown === null) return null;
    const slide = { ...shown, notes: [] as Block[], comments: [] as string[] };
    const relations = (await this.pieces.readOrAdd(name, () => relationsOf(this.#archive, path))) ?? [];
    const left = new Set<string>();
    for (const { type, target } of relations) {
      const unread = UNREAD_PARTS.get(type);
      if (unread === undefined) await this.#readPart(type, target, slide, name);
      else left.add(`${name}, ${unread}`);
    }
    for (const each of left) this.pieces.add(each, 'not_read');
    return slide;
  }

  #isNew(part: string): boolean {
    return !this.#seen.has(part) && this.#seen.add(part).size > 0;
  }

  /** Adds the text of a part of a slide to it, if it has a text. */
  async #readPart(
    type: string,
    target: string,
    slide: { blocks: Block[]; notes: Block[]; comments: string[] },
    name: string,
  ): Promise<void> {
    if (!READ_PARTS.has(type) || !this.#isNew(target)) return;
    if (type === 'chart') {
      for (const block of await this.#readChart(target, `${name}, chart`)) slide.blocks.push(block);
      return;
    }
    if (type === 'comments') {
      const read = () => readSlideComments(this.#archive, target);
      pushAll(slide.comments, (await this.pieces.readOrAdd(`${name}, comments`, read)) ?? []);
      return;
    }
    const isNotes = type === 'notesSlide';
    const read = async () => (await readShown(this.#archive, target)).blocks;
    const blocks = await this.pieces.readOrAdd(`${name}, ${isNotes ? 'notes' : 'diagram'}`, read);
    pushAll(isNotes ? slide.notes : slide.blocks, blocks ?? []);
  }

  /** The titles and values of a chart. One that is damaged, missing or too large is in `unread`. */
  async #readChart(target: string, name: string): Promise<Block[]> {
    if (!this.#archive.names.has(target)) {
      this.pieces.add(name, 'damaged');
      return [];
    }
    const read = async () => ({ blocks: await readChart(this.#archive, target) });
    const chart = await this.pieces.readOrAdd(name, read);
    if (chart?.blocks === null) this.pieces.add(name, 'not_read');
    return chart?.blocks ?? [];
  }
}

/**
 * Presentations of PowerPoint: each slide a part, with its notes and comments, hidden slides too. What a slide has besides is
 * in `unread`, and so is a damaged slide.
 */
export const extractPptx: Extractor = async (content, report) => {
  const office = await openOffice(content, 'PPTX');
  const properties = await readProperties(office.archive);
  const paths = await slidePaths(office);
  const slides = new SlideParts();
  const reader = new SlideReader(office);
  for (const path of paths) {
    const name = `slide ${slides.next}`;
    const slide = path === null ? null : await reader.read(path, name);
    if (path === null) reader.pieces.add(name, 'damaged');
    if (slide === null) slides.skip();
    else slides.add(slide);
    report((slides.next - 1) / paths.length);
  }
  const { parts, firstTitle } = slides;
  if (parts.length === 0 && paths.includes(null)) throw missingSlideFault();
  const title = properties.title ?? documentTitle(firstTitle);
  return { ...properties, title, parts, ...reader.pieces.end(parts.length) };
};
