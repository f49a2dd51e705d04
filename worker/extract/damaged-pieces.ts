import type { Unread } from '../../shared/schemas/unread.ts';
import { type Extraction, FileFault } from './extraction.ts';

/** Faults of one piece of a file, with the reason in `unread`. Other faults are those of the whole file. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['corrupt', 'damaged'],
  ['invalid_encoding', 'damaged'],
  ['too_deep', 'not_read'],
]);

/** An archive has no more files. A file can refer to one of them any number of times. */
const MAX_PIECES = 10_000;

/** Reads a file whose pieces are read one by one, so that a damaged piece does not prevent the others. */
export class DamagedPieces {
  readonly #unread: Unread[] = [];
  #first: FileFault | null = null;

  /** Adds a piece that is not read. */
  add(name: string, reason: string): void {
    if (this.#unread.length < MAX_PIECES) this.#unread.push({ kind: 'part', names: [name], reason });
  }

  /**
   * Reads a piece.
   * @returns null if it is damaged
   * @throws FileFault if the whole file cannot be read
   */
  async readOrAdd<T>(name: string, read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      const reason = error instanceof FileFault ? REASONS.get(error.code) : undefined;
      if (!(error instanceof FileFault) || reason === undefined) throw error;
      this.#first ??= error;
      this.add(name, reason);
      return null;
    }
  }

  /**
   * Ends the file.
   * @param parts how many parts were read
   * @returns `unread` of its extraction
   * @throws FileFault of the first damaged piece, if there are no others
   */
  end(parts: number): Pick<Extraction, 'unread'> {
    if (parts === 0 && this.#first !== null) throw this.#first;
    return this.#unread.length === 0 ? {} : { unread: this.#unread };
  }
}
