import { readTable } from './tables.ts';

/** Every action on a memory in every state, and the state that it leads to. An empty cell refuses the action. */
export const MEMORY_STATE_TABLE = readTable(`
  state     | action    | next
  review    | publish   | published
  review    | discard   | discarded
  review    | reopen    |
  review    | update    |
  review    | unpublish |
  review    | delete    |
  review    | restore   |
  review    | renew     | review
  review    | keep      |
  review    | move      | review
  published | publish   |
  published | discard   |
  published | reopen    |
  published | update    | published
  published | unpublish | review
  published | delete    | archived
  published | restore   | published
  published | renew     | published
  published | keep      | published
  published | move      | published
  discarded | publish   |
  discarded | discard   |
  discarded | reopen    | review
  discarded | update    |
  discarded | unpublish |
  discarded | delete    |
  discarded | restore   |
  discarded | renew     |
  discarded | keep      |
  discarded | move      |
  archived  | publish   |
  archived  | discard   |
  archived  | reopen    |
  archived  | update    |
  archived  | unpublish |
  archived  | delete    |
  archived  | restore   | published
  archived  | renew     |
  archived  | keep      |
  archived  | move      |
`);
