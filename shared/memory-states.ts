/** What becomes of a memory: the state table of the service, and nothing beside it. */

export const MEMORY_STATES = ['review', 'published', 'discarded', 'archived'] as const;
export type MemoryState = (typeof MEMORY_STATES)[number];

/** What someone with Full access decides on a memory. */
export const MEMORY_ACTIONS = ['publish', 'discard', 'update', 'delete'] as const;
export type MemoryAction = (typeof MEMORY_ACTIONS)[number];

/** What a consolidator makes of captures. */
export const ITEM_ACTIONS = ['publish', 'review', 'discard'] as const;
export type ItemAction = (typeof ITEM_ACTIONS)[number];

const TRANSITIONS: Readonly<Record<MemoryState, Readonly<Partial<Record<MemoryAction, MemoryState>>>>> = {
  review: { publish: 'published', discard: 'discarded' },
  published: { update: 'published', delete: 'archived' },
  discarded: {},
  archived: {},
};

/** The state that an action leads to, or null where the table has no such transition. */
export function nextState(state: MemoryState, action: MemoryAction): MemoryState | null {
  return TRANSITIONS[state][action] ?? null;
}
