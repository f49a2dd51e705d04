import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { doJob } from '../../support/do-job.ts';
import { imported, originalOf, storedOriginals, textFile } from '../../support/originals.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { addSource, archived } from '../../support/source-library.ts';

/** Upkeep goes over the data of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;

const prune = (env: Record<string, string> = {}) => doJob(database, 'upkeep.prune', {}, env);

/** The sources that are kept for restoring, with the number of their chunks, in order of their ids. */
const kept = () =>
  database.query<{ id: string; chunks: number }>(
    `select k.source_id as id, (select count(*)::int from memory.kept_chunk c where c.source_id = k.source_id) as chunks
       from memory.kept_source k order by 1`,
  );

describe('the upkeep of archived sources', () => {
  test('deletes in slices what has been kept for the set number of days, and nothing else', async () => {
    const company = await service.company();
    const sizes = [1100, 1, 1];
    const ids: string[] = [];
    for (const [index, days] of [31, 30, 29].entries()) {
      const chunks = Array.from({ length: sizes[index] ?? 0 }, (_, n) => ({ text: `chunk ${n} of ${days}` }));
      const { id } = await addSource(company, { chunks });
      await archived(company, id);
      await database.query(
        'update memory.kept_source set archived_at = now() - make_interval(days => $2) where source_id = $1',
        [id, days],
      );
      ids.push(id);
    }
    assert.deepEqual(
      await kept(),
      ids.map((id, index) => ({ id, chunks: sizes[index] })),
    );
    await prune();
    assert.deepEqual(await kept(), [{ id: ids[2], chunks: 1 }]);
    await prune({ MEMORY_ARCHIVE_DAYS: '29' });
    assert.deepEqual(await kept(), []);
    assert.equal((await company.all.listSources({ state: 'archived' })).length, 3);
  });

  test('drops the original of a source only when the source can no longer be restored', async () => {
    const company = await service.company();
    const id = await imported(service, company, textFile('walrus.txt', 'walrus'));
    const original = await originalOf(company, id);
    assert.ok(original);
    await archived(company, id);
    await prune();
    assert.equal(await originalOf(company, id), null);
    assert.deepEqual((await company.api.restoreSource(id)).original, original);
    await archived(company, id);
    await prune({ MEMORY_ARCHIVE_DAYS: '0' });
    assert.deepEqual((await storedOriginals(service, company)).originals, []);
  });

  test('deletes what is kept of a source that expires, also while it is archived', async () => {
    const company = await service.company();
    const expiresAt = '2098-01-01T00:00:00.000Z';
    const due = await imported(service, company, { ...textFile('walrus.txt', 'walrus'), expiresAt });
    const later = await addSource(company, { expiresAt });
    for (const id of [due, later.id]) await archived(company, id);
    const active = await imported(service, company, { ...textFile('seal.txt', 'seal'), expiresAt });
    await database.query(`update memory.source set expires_at = now() where id = any ($1)`, [[due, active]]);
    await doJob(database, 'records.expire', {});
    await prune();
    assert.deepEqual(await kept(), [{ id: later.id, chunks: 1 }]);
    assert.deepEqual((await storedOriginals(service, company)).originals, []);
  });
});
