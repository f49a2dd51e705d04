import type { DocumentPart } from '../../../../shared/text/prepared-chunks.ts';
import { FileFault } from '../../extraction.ts';
import { type Block, plainTextOf, toMarkdown } from '../../text/markdown-blocks.ts';

/** What a slide contains. */
export interface Slide {
  title: string;
  /** In the order in which they are read. */
  blocks: readonly Block[];
  notes: readonly Block[];
  comments: readonly string[];
}

/** More text than this has more chunks than a source can have. */
const MAX_CHARACTERS = 100_000_000;

/** Blocks with a word before them that says what they are. */
function labelled(label: string, blocks: readonly Block[]): Block[] {
  const text = blocks.map(plainTextOf).join('\n').trim();
  return text === '' ? [] : [{ kind: 'paragraph', text: `${label}: ${text}` }];
}

/** The parts of a presentation: one for each slide that has text. */
export class SlideParts {
  readonly parts: DocumentPart[] = [];
  #slides = 0;
  #characters = 0;

  /**
   * Adds the next slide. Hidden slides count as well.
   * @throws FileFault `too_many_chunks`
   */
  add({ title, blocks, notes, comments }: Slide): void {
    this.#slides += 1;
    const text = toMarkdown([
      { kind: 'heading', level: 1, text: title },
      ...blocks,
      ...labelled('Notes', notes),
      ...comments.flatMap((comment) => labelled('Comment', [{ kind: 'paragraph', text: comment }])),
    ]);
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) {
      throw new FileFault('too_many_chunks', 'The file makes more text than can be stored: divide it.');
    }
    if (text !== '') this.parts.push({ text, place: { slide: this.#slides } });
  }
}
