import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedBy } from '../support/company.ts';
import { plantImports, sendRetries } from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { addClient } from '../support/team.ts';

/** No worker is at work here: what is put back stays where it is. */
const service = await openOwnTestApp();

test('a retry of several imports records one event for each import', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  for (const body of [null, { all: true }]) {
    const ids = [
      ...(await plantImports(service, company, 2)),
      ...(await plantImports(service, company, 2, { clientId })),
    ];
    const { events } = await recordedBy(service, company, () =>
      Promise.resolve(sendRetries(company, body ?? { ids })),
    );
    assert.deepEqual(events.map(({ subjectId }) => subjectId).sort(), ids);
  }
});
