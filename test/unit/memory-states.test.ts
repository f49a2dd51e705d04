import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MEMORY_ACTIONS, MEMORY_STATES, nextState } from '../../shared/memory-states.ts';
import { MEMORY_STATE_TABLE } from '../support/memory-state-table.ts';
import { everyOne } from '../support/tables.ts';

describe('the states of a memory', () => {
  test('the table contains every action in every state', () => {
    assert.deepEqual(
      MEMORY_STATE_TABLE.map(({ state, action }) => `${state},${action}`).sort(),
      everyOne(MEMORY_STATES, MEMORY_ACTIONS),
    );
  });

  for (const { state, action, next } of MEMORY_STATE_TABLE) {
    test(`a memory in ${state} ${next === '' ? `refuses ${action}` : `becomes ${next} by ${action}`}`, () => {
      const from = MEMORY_STATES.find((known) => known === state)!;
      const by = MEMORY_ACTIONS.find((known) => known === action)!;
      assert.equal(nextState(from, by), next === '' ? null : next);
    });
  }
});
