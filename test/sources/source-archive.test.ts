import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { importNow } from '../support/import-now.ts';
import { addSource, archived } from '../support/source-library.ts';

const service = await openTestApp();

test('archiving a source enqueues a new count of the terms of its Team', async () => {
  const company = await service.company();
  const { id } = await addSource(company);
  await service.database.query(`delete from pgboss.job where data->>'teamId' = $1`, [company.teamId]);
  await archived(company, id);
  const jobs = await service.database.query(`select name from pgboss.job where data->>'teamId' = $1`, [
    company.teamId,
  ]);
  assert.deepEqual(jobs, [{ name: 'keywords.count' }]);
});

test('an import still names its source after the source is archived', async () => {
  const company = await service.company();
  const imported = await importNow(service, company, { filename: 'a.txt', text: 'The ocelot.' });
  await archived(company, imported.sourceId);
  assert.deepEqual(await company.api.getImport(imported.id), imported);
});
