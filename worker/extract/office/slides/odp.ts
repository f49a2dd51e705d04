import type { Extractor } from '../../extraction.ts';
import { documentTitle } from '../../properties/titles.ts';
import { pushAll } from '../../push-all.ts';
import { type Block, plainTextOf } from '../../text.ts';
import { UnreadParts } from '../../unread-parts.ts';
import { EmbeddedObjects } from '../odf-objects.ts';
import { OpenDocumentReader } from '../odt.ts';
import { CONTENT, openDocument, readMeta } from '../package.ts';
import { type Attributes, readXml, type XmlHandler } from '../xml.ts';
import { SlideParts } from './slide-parts.ts';

/** Frames that repeat on every slide. */
const REPEATED_ROLES = new Set(['date-time', 'footer', 'header', 'page-number']);

/** Reads the slides of a presentation. */
class PresentationReader implements XmlHandler {
  readonly #reader: OpenDocumentReader;
  readonly #slides: SlideParts;
  /** The styles of hidden slides. */
  readonly #hidden = new Set<string>();
  /** The style that is read. */
  #style = '';
  #isHidden = false;
  #title = '';
  #blocks: Block[] = [];
  #notes: Block[] = [];
  #inSlide = false;
  #inNotes = false;
  /** The frames that are open, innermost last: whether each is that of the title. */
  readonly #frames: boolean[] = [];

  constructor(slides: SlideParts, objects: EmbeddedObjects, pieces: UnreadParts) {
    this.#slides = slides;
    this.#reader = new OpenDocumentReader(objects, (name) =>
      pieces.add(`slide ${slides.next}, ${name}`, 'not_read'),
    );
  }

  open(name: string, attributes: Attributes): void {
    this.#reader.open(name, attributes);
    if (this.#reader.isSkipping) return;
    if (name === 'draw:page') {
      this.#inSlide = true;
      this.#isHidden = this.#hidden.has(attributes['draw:style-name'] ?? '');
    } else if (name === 'style:style') this.#style = attributes['style:name'] ?? '';
    else if (name === 'style:drawing-page-properties') {
      if (attributes['presentation:visibility'] === 'hidden') this.#hidden.add(this.#style);
    } else if (name === 'presentation:notes') {
      this.#take();
      this.#inNotes = true;
    } else if (name === 'draw:frame') {
      const role = attributes['presentation:class'] ?? '';
      if (REPEATED_ROLES.has(role)) {
        this.#reader.skip();
        return;
      }
      this.#take();
      this.#frames.push(role === 'title');
    }
  }

  text(piece: string): void {
    this.#reader.text(piece);
  }

  close(name: string): void {
    const wasSkipping = this.#reader.isSkipping;
    this.#reader.close(name);
    if (wasSkipping) return;
    if (name === 'draw:frame') {
      this.#take(this.#frames.pop());
    } else if (name === 'presentation:notes') {
      this.#take();
      this.#inNotes = false;
    } else if (name === 'draw:page') this.#closeSlide();
  }

  /** Moves the blocks that were read to where they belong. */
  #take(isTitle = false): void {
    const blocks = this.#reader.takeBlocks();
    if (!this.#inSlide) return;
    if (isTitle && !this.#inNotes && this.#title === '')
      this.#title = blocks.map(plainTextOf).join(' ').trim();
    else pushAll(this.#inNotes ? this.#notes : this.#blocks, blocks);
  }

  #closeSlide(): void {
    this.#take();
    this.#slides.add({
      title: this.#title,
      blocks: this.#blocks,
      notes: this.#notes,
      comments: [],
      isHidden: this.#isHidden,
    });
    this.#title = '';
    this.#blocks = [];
    this.#notes = [];
    this.#inSlide = false;
  }
}

/** Presentations of OpenDocument, like those of PowerPoint. */
export const extractOdp: Extractor = async (content, report) => {
  const archive = await openDocument(content, 'ODP');
  const properties = await readMeta(archive);
  const slides = new SlideParts();
  const pieces = new UnreadParts();
  const reader = new PresentationReader(slides, await EmbeddedObjects.read(archive, pieces), pieces);
  await readXml(archive, CONTENT, reader, { prefixes: true, onPiece: report });
  const title = properties.title ?? documentTitle(slides.firstTitle);
  return { ...properties, title, parts: slides.parts, ...pieces.end(slides.parts.length) };
};
