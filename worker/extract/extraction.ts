import type { ImportMediaType } from '../../shared/formats/media-types.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Unread } from '../../shared/schemas/unread.ts';
import type { DocumentPart } from '../../shared/text/prepared-chunks.ts';

/** A fault of a file, for the person who sent it. A retry would not help. */
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

/** The file has credentials, and the Team refuses them. */
export class SecretFault extends FileFault {
  readonly redactions: readonly Redaction[];

  constructor(redactions: readonly Redaction[]) {
    super('secret_detected', 'The file contains credentials. Remove them, and import it again.');
    this.redactions = redactions;
  }
}

/** The text of a file, as Markdown where the format has headings, lists or tables. */
export interface Extraction {
  /** The title that the document itself contains, or null. */
  title: string | null;
  /** The day of the document, `YYYY-MM-DD`, where its format tells it. */
  date?: string | null;
  /** In order. Each part is cut on its own, so that no chunk spans two pages or messages. */
  parts: DocumentPart[];
  /** What could not be read of the file. Absent: all of it was read. */
  unread?: readonly Unread[];
  /**
   * The encoding of its text, as the Encoding Standard names it, in lower case. Null or absent for UTF-8, and for formats
   * that say it themselves.
   */
  encoding?: string | null;
}

/** Reports the progress of reading, from 0 to 1. Cheap enough to be called for each page. */
export type ReportProgress = (share: number) => void;

/**
 * Reads one file format, in a separate process that is killed if the file takes too much time or memory.
 * @param filename its name, or its path in a folder or workspace, if it is known: it tells what kind of text a file has
 * @throws FileFault for a file of another format, a locked one, or one that exceeds a limit of the format
 */
export type Extractor = (
  content: Uint8Array,
  report: ReportProgress,
  filename?: string,
) => Extraction | Promise<Extraction>;

/** The extractor of each format. It is loaded when it is first needed. */
export type Extractors = Readonly<Record<ImportMediaType, () => Promise<Extractor>>>;
