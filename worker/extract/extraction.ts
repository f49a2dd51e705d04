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

/** The text of a file. */
export interface Extraction {
  text: string;
}

/** Reads one file format. Throws FileFault for a file that is not of that format, locked or without text. */
export type Extractor = (content: Uint8Array) => Extraction;
