import type { DocumentPart } from '../../../../shared/text/prepared-chunks.ts';
import { type Block, plainTextOf, toMarkdown } from '../../text/markdown-blocks.ts';
import { TextBudget } from '../../text/text-budget.ts';

/** What a slide contains. */
export interface Slide {
  title: string;
  /** In the order in which they are read. */
  blocks: readonly Block[];
  notes: readonly Block[];
  comments: readonly string[];
}

/** Blocks with a word before them that says what they are. */
function labelled(label: string, blocks: readonly Block[]): Block[] {
  const text = blocks.map(plainTextOf).join('\n').trim();
  return text === '' ? [] : [{ kind: 'paragraph', text: `${label}: ${text}` }];
}

/** The parts of a presentation: one for each slide that has text. */
export class SlideParts {
  readonly parts: DocumentPart[] = [];
  #slides = 0;
  readonly #budget = new TextBudget();

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
    this.#budget.addText(text.length);
    if (text !== '') this.parts.push({ text, place: { slide: this.#slides } });
  }
}
