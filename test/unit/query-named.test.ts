import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { prepared, preparedName, type Queryable } from '../../db/driver/database.ts';
import { queryNamed } from '../../db/queries/query-named.ts';

/** Runs a statement, and returns what was sent to the database. */
async function sent(
  text: string,
  values: Record<string, unknown>,
  first?: readonly unknown[],
): Promise<unknown[]> {
  const tx: Queryable = { query: async <R>(...args: unknown[]) => args as R[] };
  return queryNamed(tx, text, values, first);
}

describe('statements that name their values', () => {
  test('a name becomes a number, the same one wherever it is in the text', async () => {
    assert.deepEqual(
      await sent('select $title::text, $uri where $title <> $title2', { uri: 'u', title2: 't2', title: 't' }),
      ['select $1::text, $2 where $1 <> $3', ['t', 'u', 't2']],
    );
  });

  test('names follow the numbers of fragments', async () => {
    const text = 'select $limit where team_id = $1 and layer_id = any ($2) and id = $id';
    assert.deepEqual(await sent(text, { id: 'i', limit: 5 }, ['team', ['layer']]), [
      'select $3 where team_id = $1 and layer_id = any ($2) and id = $4',
      ['team', ['layer'], 5, 'i'],
    ]);
  });

  test('a name without a value is refused, and so is a value that the text does not name', async () => {
    const text = 'select $given, $toString';
    await sent(text, { given: null, toString: 1 });
    await assert.rejects(sent(text, { given: 1 }), /no value for \$toString/);
    await assert.rejects(sent(text, { given: 1, toString: 1, other: 1 }), /does not name \$other/);
    await assert.rejects(sent(text, { given: 1, other: 1 }), /no value for \$toString/);
  });

  test('a number without its value is refused, because it would be that of a name', async () => {
    await assert.rejects(sent('select $title where id = $1', { title: 't' }), /has 1 numbers/);
    await assert.rejects(sent('select $title', { title: 't' }, ['i']), /has 0 numbers/);
  });

  test('a statement that is marked as prepared is prepared', async () => {
    const [named] = await sent(prepared('select $marked'), { marked: 1 });
    assert.match(preparedName(String(named)) ?? '', /^memory-/);
    const [other] = await sent('select $unmarked, 1', { unmarked: 1 });
    assert.equal(preparedName(String(other)), undefined);
  });
});
