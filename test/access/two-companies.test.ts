import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutRequestId } from '../support/team.ts';
import { expectedOf } from './matrix/table.ts';
import { assertToldOnly, openAccess } from './matrix/test-access.ts';
import { LISTENERS, tellable } from './matrix/told.ts';
import { takesIds, titleOf } from './matrix/walk.ts';

/*
 * The access matrix with two Companies that have the same emails, and the same names of Teams and clients: an email and a name find
 * nothing of the other Company.
 */

const access = await openAccess('own', true);
const { database, world, walk, rows } = access;
const { t, v } = world.places;

test('the two Companies have the same emails and the same names of Teams and clients', async () => {
  const shared = async (statement: string) => {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::int as n from (${statement.replace('COMPANY', '$1')} intersect ${statement.replace('COMPANY', '$2')}) alike`,
      [t.companyId, v.companyId],
    );
    return row?.n ?? 0;
  };
  assert.ok((await shared('select email from identity.account where company_id = COMPANY::uuid')) > 15);
  assert.ok((await shared('select folded_name from identity.team where company_id = COMPANY::uuid')) > 0);
  assert.equal(await shared('select folded_name from identity.client where company_id = COMPANY::uuid'), 3);
});

describe('access to every route, with twins in another Company', () => {
  for (const row of rows) {
    test(`returns the expected status to every caller: ${titleOf(row)}`, async () => {
      assert.deepEqual((await walk.ask(row)).outcomes, expectedOf(row));
    });
  }
});

describe('ids of the other Company', () => {
  for (const row of rows.filter(takesIds)) {
    if (!Object.values(expectedOf(row)).includes(String(row.ok))) continue;
    test(`get the same response as unknown and malformed ones: ${titleOf(row)}`, async () => {
      const answers = await walk.askElsewhere(row);
      for (const { caller, id, outcome } of answers)
        assert.equal(outcome, row.elsewhere ?? '404 not_found', `${id} as ${caller}`);
      assert.equal(new Set(answers.map(({ body }) => withoutRequestId(body))).size, 1);
    });
  }
});

describe('the content of all responses, with twins in another Company', () => {
  for (const listener of LISTENERS) {
    test(`the caller "${listener}" receives all the data that they can see, and no other data`, async () => {
      const told = await assertToldOnly(access, listener);
      const untold = tellable(listener).must.filter((what) => !told.has(what));
      assert.deepEqual(untold, [], 'is told nowhere');
    });
  }
});
