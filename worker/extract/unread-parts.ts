import type { Unread } from '../../shared/schemas/unread.ts';
import { type Extraction, FileFault } from './extraction.ts';

/** Faults of one part, without which the others can be read. Other faults are those of the whole file. */
const FAULTS_OF_PART: ReadonlySet<string> = new Set(['corrupt', 'invalid_encoding', 'too_deep']);

/** An archive has no more files. A file can refer to one of them any number of times. */
const MAX_NAMES = 10_000;

/** The reason in `unread` for a part or an attachment that its reader refuses. */
export function reasonOf({ code }: FileFault): string {
  if (code === 'locked' || code === 'no_text') return code;
  return /^(?:corrupt|invalid|not_text)/.test(code) ? 'damaged' : 'not_read';
}

/** Collects the parts of a file that are not read, so that a damaged part does not prevent the others. */
export class UnreadParts {
  /** The names of the parts, by reason. */
  readonly #names = new Map<string, Set<string>>();
  readonly #others: Unread[] = [];
  #first: FileFault | null = null;

  /** Adds a part that is not read. */
  add(name: string, reason: string): void {
    const names = this.#names.get(reason) ?? new Set();
    this.#names.set(reason, names);
    if (names.size < MAX_NAMES) names.add(name);
  }

  /** Adds what the reader of another format did not read of a part. */
  addAll(unread: readonly Unread[]): void {
    for (const entry of unread) if (this.#others.length < MAX_NAMES) this.#others.push(entry);
  }

  /**
   * Reads a part.
   * @returns null if it is damaged; it is then added
   * @throws FileFault if the whole file cannot be read
   */
  async readOrAdd<T>(name: string, read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof FileFault) || !FAULTS_OF_PART.has(error.code)) throw error;
      this.#first ??= error;
      this.add(name, reasonOf(error));
      return null;
    }
  }

  /**
   * Ends the file.
   * @param parts how many parts were read
   * @returns `unread` of its extraction
   * @throws FileFault of the first damaged part, if no part was read
   */
  end(parts: number): Pick<Extraction, 'unread'> {
    if (parts === 0 && this.#first !== null) throw this.#first;
    const named = [...this.#names].map(
      ([reason, names]): Unread => ({ kind: 'part', names: [...names], reason }),
    );
    const unread = [...named, ...this.#others];
    return unread.length === 0 ? {} : { unread };
  }
}
