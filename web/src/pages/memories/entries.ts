import type { ListedMemory, SimilarMemory } from '../../../../shared/schemas/memories.ts';
import { alike } from '../../ui/compare.ts';
import type { Wanted } from './decisions.ts';
import type { Draft } from './drafts.ts';

export type Item = ListedMemory;

/** What is decided at once: an item, or several that say nearly the same. */
export interface Entry {
  /** The id of its first item. */
  id: string;
  items: readonly Item[];
}

/** Decisions on an entry: on the item that stays, and on those that only say the same. */
export interface Decided {
  main: Wanted;
  others: readonly Wanted[];
}

/** From this similarity on, two items can say nearly the same, by its basis. */
const NEAR: Readonly<Record<SimilarMemory['basis'], number>> = { meaning: 0.93, words: 0.8 };
/** Texts that are compared by their words have at least this share in common. */
const LEAST_ALIKE = 0.6;

/** What the service has found to say nearly the same as an item, of what is in review. */
export const nearItems = ({ similar = [] }: Item) =>
  similar.filter(({ state, similarity, basis }) => state === 'review' && similarity >= NEAR[basis]);

const linkBetween = (one: Item, other: Item) =>
  nearItems(one).find(({ memoryId }) => memoryId === other.id) ??
  nearItems(other).find(({ memoryId }) => memoryId === one.id);

/** Whether an item says nearly the same as the first one of a group: its words can all be in a much longer text. */
const isLike = (first: Item, other: Item) =>
  linkBetween(first, other)?.basis === 'meaning' || alike(first.content, other.content) >= LEAST_ALIKE;

/**
 * Puts items that say nearly the same together, in the order of the list.
 * @param apart ids of items that someone wants to decide by themselves
 */
export function entriesOf(items: readonly Item[], apart: ReadonlySet<string>): readonly Entry[] {
  const left = new Set(items);
  return items.flatMap((first): Entry[] => {
    if (!left.delete(first)) return [];
    const group = [first];
    // The loop goes over what it adds, too: an item names only a few that are similar.
    for (const one of apart.has(first.id) ? [] : group)
      for (const other of left) {
        if (apart.has(other.id) || linkBetween(one, other) === undefined || !isLike(first, other)) continue;
        left.delete(other);
        group.push(other);
      }
    return [{ id: first.id, items: group }];
  });
}

/**
 * What is decided on an entry: one of its items stays, and those that say nearly the same are discarded.
 * @param how.memory the item that stays
 * @param how.draft its text as the reviewer has changed it
 */
export function decidedFor(
  { items }: Entry,
  how: {
    memory: Item;
    draft: Draft | undefined;
    action: 'publish' | 'discard';
    supersedes?: string | undefined;
  },
): Decided {
  const { memory, draft, action, supersedes } = how;
  const isPublished = memory.state === 'published';
  const onPublished = action === 'discard' ? 'delete' : draft ? 'update' : 'keep';
  return {
    main: {
      memory,
      action: isPublished ? onPublished : action,
      ...(action === 'publish' && draft),
      ...(supersedes !== undefined && { supersedes }),
    },
    others: items.filter((one) => one !== memory).map((other) => ({ memory: other, action: 'discard' })),
  };
}
