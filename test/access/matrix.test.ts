import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutRequestId } from '../support/team.ts';
import { AGENT_ROUTES } from './matrix/agents.ts';
import type { Row } from './matrix/row.ts';
import { expectedOf, KINDS } from './matrix/table.ts';
import { assertToldOnly, openAccess } from './matrix/test-access.ts';
import { LISTENERS, tellable } from './matrix/told.ts';
import { takesIds, titleOf } from './matrix/walk.ts';

/** Warnings that callers without a valid token or password cause. */
const GUESSES = ['sign-ins failed', 'requests without a valid token'];

const access = await openAccess('taken');
const { world, walk, routes, rows, logged } = access;

/** Whether the row succeeds for any caller. */
const isOpenToSome = (row: Row) => Object.values(expectedOf(row)).includes(String(row.ok));

describe('the table of routes', () => {
  test('lists exactly the registered routes', () => {
    // Every GET route has a HEAD route, which is requested with it.
    const named = rows.flatMap(({ route }) => [route, route.replace(/^GET /, 'HEAD ')]);
    assert.deepEqual([...new Set(named)].sort(), routes.toSorted());
  });

  test('every row has a unique name, and every kind has a row', () => {
    const titles = rows.map(titleOf);
    assert.equal(new Set(titles).size, titles.length);
    const used = new Set(rows.map((row) => row.kind));
    assert.deepEqual([...used].sort(), KINDS.toSorted());
  });

  test('every route that an agent token can use is registered', () => {
    assert.deepEqual(
      AGENT_ROUTES.filter((route) => !routes.includes(route)),
      [],
    );
  });
});

describe('access to every route, by callers who have taken the email of someone with other rights', () => {
  for (const row of rows) {
    test(`returns the expected status to every caller: ${titleOf(row)}`, async () => {
      const expected: Record<string, string> = expectedOf(row);
      const { outcomes, heads } = await walk.ask(row);
      assert.deepEqual(outcomes, expected);
      for (const [caller, head] of Object.entries(heads)) {
        assert.equal(head, expected[caller]?.slice(0, 3), `HEAD as ${caller}`);
      }
    });
  }
});

describe('ids that the caller cannot see', () => {
  for (const row of rows.filter((candidate) => takesIds(candidate) && isOpenToSome(candidate))) {
    test(`returns the same response for foreign, unknown and malformed ids: ${titleOf(row)}`, async () => {
      const answers = await walk.askElsewhere(row);
      assert.ok(answers.length > 0);
      for (const { caller, id, outcome } of answers) {
        assert.equal(outcome, row.elsewhere ?? '404 not_found', `${id} as ${caller}`);
      }
      assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
    });
  }
});

describe('the content of all responses', () => {
  for (const listener of LISTENERS) {
    test(`the caller "${listener}" receives all the data that they can see, and no other data`, async () => {
      const told = await assertToldOnly(access, listener);
      const untold = tellable(listener).must.filter((what) => !told.has(what));
      assert.deepEqual(untold, [], 'is told nowhere');
    });
  }

  test('every 404 has the same body, for every missing record and every caller', () => {
    const notFound = walk.heard.filter(({ outcome }) => outcome === '404 not_found');
    assert.ok(notFound.length > 0);
    assert.equal(new Set(notFound.map(({ body }) => withoutRequestId(body))).size, 1);
  });

  test('no response contains a token or a password', () => {
    for (const { row, text } of walk.heard) assert.deepEqual(world.canaries.secretsIn(text), [], row);
  });
});

test('the log contains every request, but no content of requests, responses or the database', () => {
  assert.ok(logged.length >= walk.heard.length);
  assert.ok(walk.issued.size > 0);
  for (const token of walk.issued) world.canaries.secret(token);
  for (const line of logged) {
    const { msg, level } = JSON.parse(line) as { msg?: string; level: number };
    assert.ok(level < 40 || GUESSES.includes(msg ?? ''), line);
    assert.equal(typeof msg, 'string');
    assert.deepEqual([...world.canaries.wordsIn(line)], [], line);
    assert.deepEqual(world.canaries.secretsIn(line), [], line);
  }
});
