/** The states of a memory, and the actions that change them. */

export const MEMORY_STATES = ['review', 'published', 'discarded', 'archived'] as const;
export type MemoryState = (typeof MEMORY_STATES)[number];

/** The decisions that a person with Full access can make on a memory. */
export const MEMORY_ACTIONS = [
  'publish',
  'discard',
  'reopen',
  'update',
  'unpublish',
  'delete',
  'restore',
  'renew',
  'keep',
  'move',
] as const;
export type MemoryAction = (typeof MEMORY_ACTIONS)[number];

/** What a consolidation can decide on an item. */
export const ITEM_ACTIONS = ['publish', 'review', 'discard'] as const;
export type ItemAction = (typeof ITEM_ACTIONS)[number];

const TRANSITIONS: Readonly<Record<MemoryState, Readonly<Partial<Record<MemoryAction, MemoryState>>>>> = {
  review: { publish: 'published', discard: 'discarded', renew: 'review', move: 'review' },
  published: {
    update: 'published',
    unpublish: 'review',
    delete: 'archived',
    restore: 'published',
    renew: 'published',
    keep: 'published',
    move: 'published',
  },
  discarded: { reopen: 'review' },
  archived: { restore: 'published' },
};

/** The state after an action, or null if the action is not allowed in this state. */
export function nextState(state: MemoryState, action: MemoryAction): MemoryState | null {
  return TRANSITIONS[state][action] ?? null;
}
