import type { DocumentPart } from '../../shared/text/prepared-chunks.ts';

/** What is wrong with a file, told to the person who sent it. Trying again would not help. */
export class FileFault extends Error {
  override name = 'FileFault';
  readonly code: string;
  /**
   * @param code stable, snake_case
   * @param message a sentence that a person can act on
   */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The text of a file, as Markdown where the format has headings, lists or tables. */
export interface Extraction {
  /** By the document's own word, or null. */
  title: string | null;
  /** In order. A part is cut by itself, so that no chunk runs over the end of a page or a message. */
  parts: DocumentPart[];
}

/** Tells how far the reading is, as a share from 0 to 1. Cheap enough to be called for each page. */
export type TellProgress = (share: number) => void;

/**
 * Reads one file format, in a process of its own that ends with it if it takes too long or too much memory.
 * @throws FileFault for a file that is not of that format, locked, or beyond a bound of the format
 */
export type Extractor = (content: Uint8Array, tell: TellProgress) => Extraction | Promise<Extraction>;
