import { describe, test } from 'node:test';
import { assertToldOnly, openAccess, testStatuses } from './matrix/test-access.ts';
import { LISTENERS } from './matrix/told.ts';

const access = await openAccess('taken');

describe('callers who have taken the email of someone with other rights', () => {
  testStatuses(access, access.rows);

  for (const listener of LISTENERS) {
    test(`the caller "${listener}" receives no data that they cannot see`, async () => {
      await assertToldOnly(access, listener);
    });
  }
});
