import { readTable } from './tables.ts';

/** Every action on a memory, and the state that it leads to from each state. An empty cell refuses the action. */
const NEXT_STATES = readTable(`
  action    | review    | published | discarded | archived
  publish   | published |           |           |
  discard   | discarded |           |           |
  reopen    |           |           | review    |
  update    |           | published |           |
  unpublish |           | review    |           |
  delete    |           | archived  |           |
  restore   |           | published |           | published
  renew     | review    | published |           |
  keep      |           | published |           |
  move      | review    | published |           |
`);

/** The same with a row for each action in each state. */
export const MEMORY_STATE_TABLE = NEXT_STATES.flatMap(({ action = '', ...states }) =>
  Object.entries(states).map(([state, next]) => ({ state, action, next })),
);
