import type { DocumentPart } from '../../../../shared/text/prepared-chunks.ts';
import { type Block, plainTextOf, TextBudget, toMarkdown } from '../../text.ts';

/** What a slide contains. */
export interface Slide {
  /** In one or more lines; empty if it has none. */
  title: string;
  /** In the order in which they are read. */
  blocks: readonly Block[];
  notes: readonly Block[];
  comments: readonly string[];
  /** Whether it is left out when the presentation is shown. */
  isHidden: boolean;
}

/** Blocks with a word before them that says what they are. */
function labelled(label: string, blocks: readonly Block[]): Block[] {
  const text = blocks.map(plainTextOf).join('\n').trim();
  return text === '' ? [] : [{ kind: 'paragraph', text: `${label}: ${text}` }];
}

/** The parts of a presentation: one for each slide that has text. */
export class SlideParts {
  readonly parts: DocumentPart[] = [];
  /** The title of the first slide; empty if it has none. */
  firstTitle = '';
  #slides = 0;
  readonly #budget = new TextBudget();

  /** The number of the next slide, from 1. Hidden slides count as well. */
  get next(): number {
    return this.#slides + 1;
  }

  /** Leaves out the next slide, which has no text or cannot be read. */
  skip(): void {
    this.#slides += 1;
  }

  /**
   * Adds the next slide.
   * @throws FileFault `too_many_chunks`
   */
  add({ title, blocks, notes, comments, isHidden }: Slide): void {
    this.#slides += 1;
    if (this.#slides === 1) this.firstTitle = title;
    const text = toMarkdown([
      { kind: 'heading', level: 1, text: title },
      ...blocks,
      ...labelled('Notes', notes),
      ...comments.flatMap((comment) => labelled('Comment', [{ kind: 'paragraph', text: comment }])),
    ]);
    this.#budget.addText(text.length);
    const place = { slide: this.#slides, ...(isHidden ? { hidden: true as const } : {}) };
    if (text !== '') this.parts.push({ text, place });
  }
}
