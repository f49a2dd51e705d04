import type { Unread } from '../../../../shared/schemas/unread.ts';

/** A file does not name more parts that were not read. */
const MAX_NAMES = 5_000;

/** Collects what was not read of a document. */
export class UnreadParts {
  readonly #others: Unread[] = [];
  readonly #names = { damaged: new Set<string>(), not_read: new Set<string>() };

  /** Adds a part that a person sees and that was not read. */
  add(name: string, reason: 'damaged' | 'not_read'): void {
    if (this.#names[reason].size < MAX_NAMES) this.#names[reason].add(name);
  }

  /** Adds what the reader of another format did not read of a part. */
  addAll(unread: readonly Unread[]): void {
    this.#others.push(...unread.slice(0, MAX_NAMES));
  }

  /** All of it, for `Extraction`; undefined if everything was read. */
  get list(): Unread[] | undefined {
    const parts = (['damaged', 'not_read'] as const).flatMap((reason): Unread[] => {
      const names = [...this.#names[reason]];
      return names.length === 0 ? [] : [{ kind: 'part', names, reason }];
    });
    const all = [...parts, ...this.#others];
    return all.length === 0 ? undefined : all;
  }
}
