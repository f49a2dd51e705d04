import { describe, test } from 'node:test';
import type { Row } from './matrix/row.ts';
import { assertToldOnly, openAccess, testStatuses } from './matrix/test-access.ts';
import { LISTENERS } from './matrix/told.ts';

/** Rows with every route and every kind of the access table: those that repeat both are left out. */
function everyRouteAndKind(rows: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return rows.filter(({ route, kind }) => {
    const isNew = !seen.has(route) || !seen.has(kind);
    seen.add(route).add(kind);
    return isNew;
  });
}

const access = await openAccess('taken');

describe('callers who have taken the email of someone with other rights', () => {
  testStatuses(access, everyRouteAndKind(access.rows));

  for (const listener of LISTENERS) {
    test(`the caller "${listener}" receives no data that they cannot see`, async () => {
      await assertToldOnly(access, listener);
    });
  }
});
