import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findTeam } from '../../core/teams/queries.ts';
import type { TeamMembership } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';

const team = (id: string, name: string) => ({ id, name }) as TeamMembership;
const [general, sales, other] = [team('a1', 'General'), team('b2', 'Straße'), team('c3', 'general ')];

/** The id of the Team that is found, or the code of the error. */
function found(teams: readonly TeamMembership[], named?: string): string {
  try {
    return findTeam({ teams }, named).id;
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.code;
  }
}

describe('the Team that a caller means', () => {
  test('has this id or this name, or is the only one, or must be named by its id', () => {
    for (const [teams, named, expected] of [
      [[general, sales], 'B2', 'b2'],
      [[general, sales], ' GENERAL ', 'a1'],
      [[general, sales], 'STRASSE', 'b2'],
      [[general, team('d4', 'Café')], ' CAFE\u0301 ', 'd4'],
      [[general, team('e5', 'ΟΔΟΣ')], 'οδος', 'e5'],
      [[general, team('f6', 'a b')], 'ab', 'team_forbidden'],
      [[general, sales], 'Nobody', 'team_forbidden'],
      [[general], undefined, 'a1'],
      [[], undefined, 'team_forbidden'],
      [[general, sales], undefined, 'team_required'],
      [[general, sales, other], 'general', 'team_required'],
    ] as const)
      assert.equal(found(teams, named), expected);
  });

  test('is not found by a text that is longer than a name, and the text is not folded', (t) => {
    const long = 'a\u0315\u0300'.repeat(300_000);
    const normalize = t.mock.method(String.prototype, 'normalize');
    assert.equal(found([general, sales], long), 'team_forbidden');
    assert.equal(found([general, sales], 'Nobody'), 'team_forbidden');
    const lengths = normalize.mock.calls.map(({ this: text }) => String(text).length);
    assert.ok(Math.max(...lengths) < 300, 'only names are folded');
    const folded = normalize.mock.calls.filter(({ this: text }) => String(text) === 'Nobody');
    assert.equal(folded.length, 1, 'the given name is folded once');
  });

  test('is one of at most 20 that an error lists', () => {
    const many = Array.from({ length: 30 }, (_, n) => team(`id-${n}`, `Team ${n}`));
    assert.throws(() => findTeam({ teams: many }, undefined), /Team 19 \(id-19\), …$/);
  });
});
