import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MEMORY_ACTIONS, MEMORY_STATES, nextState } from '../../shared/memory-states.ts';
import { everyOne, readTable } from '../support/tables.ts';

/** The state table, with one line for each action in each state. An empty cell refuses the action. */
const TABLE = readTable(`
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

describe('the states of a memory', () => {
  test('the table contains every action in every state', () => {
    assert.deepEqual(
      TABLE.map(({ state, action }) => `${state},${action}`).sort(),
      everyOne(MEMORY_STATES, MEMORY_ACTIONS),
    );
  });

  for (const { state, action, next } of TABLE) {
    test(`a memory in ${state} ${next === '' ? `refuses ${action}` : `becomes ${next} by ${action}`}`, () => {
      const from = MEMORY_STATES.find((known) => known === state)!;
      const by = MEMORY_ACTIONS.find((known) => known === action)!;
      assert.equal(nextState(from, by), next === '' ? null : next);
    });
  }
});
