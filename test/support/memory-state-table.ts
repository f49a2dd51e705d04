import { readTable } from './tables.ts';

/** Every action on a memory in every state, and the state that it leads to. An empty cell refuses the action. */
export const MEMORY_STATE_TABLE = readTable(`
  state     | action  | next
  review    | publish | published
  review    | discard | discarded
  review    | update  |
  review    | delete  |
  published | publish |
  published | discard |
  published | update  | published
  published | delete  | archived
  discarded | publish |
  discarded | discard |
  discarded | update  |
  discarded | delete  |
  archived  | publish |
  archived  | discard |
  archived  | update  |
  archived  | delete  |
`);
