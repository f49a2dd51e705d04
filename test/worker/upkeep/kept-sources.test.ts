import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Source } from '../../../shared/schemas/sources.ts';
import { doJob } from '../../support/do-job.ts';
import { imported, originalOf, storedOriginals, textFile } from '../../support/originals.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { addSource, archived } from '../../support/source-library.ts';

/** Upkeep goes over the data of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;

/** The sources that are kept for restoring, with the number of their chunks, in order of their ids. */
const kept = () =>
  database.query<{ id: string; chunks: number }>(
    `select k.source_id as id, (select count(*)::int from memory.kept_chunk c where c.source_id = k.source_id) as chunks
       from memory.kept_source k order by 1`,
  );

describe('the upkeep of archived sources', () => {
  test('deletes in slices what has been kept for the set number of days, and nothing else', async () => {
    const company = await service.company();
    const large = Array.from({ length: 1100 }, (_, n) => ({ text: `chunk ${n}` }));
    const ids: string[] = [];
    for (const chunks of [large, [{ text: 'old' }], [{ text: 'new' }]]) {
      const { id } = await addSource(company, { chunks });
      await archived(company, id);
      ids.push(id);
    }
    const [first = '', second = '', third = ''] = ids;
    for (const [id, days] of [
      [first, 31],
      [second, 30],
      [third, 29],
    ] as const) {
      await database.query(
        'update memory.kept_source set archived_at = now() - make_interval(days => $2) where source_id = $1',
        [id, days],
      );
    }
    assert.deepEqual(await kept(), [
      { id: first, chunks: 1100 },
      { id: second, chunks: 1 },
      { id: third, chunks: 1 },
    ]);
    assert.deepEqual(await doJob(database, 'upkeep.prune', {}), ['upkeep.prune']);
    assert.deepEqual(await kept(), [{ id: third, chunks: 1 }]);
    await doJob(database, 'upkeep.prune', {}, { MEMORY_ARCHIVE_DAYS: '29' });
    assert.deepEqual(await kept(), []);
    const [row] = await database.query('select count(*)::int as n from memory.source where team_id = $1', [
      company.teamId,
    ]);
    assert.equal(row?.['n'], 3);
  });

  test('drops the original of a source only when the source can no longer be restored', async () => {
    const company = await service.company();
    const id = await imported(service, company, textFile('walrus.txt', 'walrus'));
    const original = await originalOf(company, id);
    assert.ok(original);
    await archived(company, id);
    await doJob(database, 'upkeep.prune', {});
    assert.equal(await originalOf(company, id), null);
    const restored = await company.ask.restoreSource(id);
    assert.deepEqual(restored.json<Source>().original, original);
    await archived(company, id);
    await doJob(database, 'upkeep.prune', {}, { MEMORY_ARCHIVE_DAYS: '0' });
    assert.deepEqual((await storedOriginals(service, company)).originals, []);
  });

  test('deletes what is kept of a source that expires, also while it is archived', async () => {
    const company = await service.company();
    const expiresAt = '2098-01-01T00:00:00.000Z';
    const file = { ...textFile('walrus.txt', 'walrus'), expiresAt };
    const [due, later] = [await imported(service, company, file), await addSource(company, { expiresAt })];
    for (const id of [due, later.id]) await archived(company, id);
    const active = await imported(service, company, { ...textFile('seal.txt', 'seal'), expiresAt });
    await database.query(`update memory.source set expires_at = now() where id = any ($1)`, [[due, active]]);
    await doJob(database, 'records.expire', {});
    await doJob(database, 'upkeep.prune', {});
    assert.deepEqual(await kept(), [{ id: later.id, chunks: 1 }]);
    assert.deepEqual((await storedOriginals(service, company)).originals, []);
    await doJob(database, 'upkeep.prune', {}, { MEMORY_ARCHIVE_DAYS: '0' });
  });

  test('the purge of a Team deletes what is kept in it', async () => {
    const company = await service.company();
    const { companyId, teamId, ownerId: userId } = company;
    const { id } = await addSource(company);
    await archived(company, id);
    await database.query('update identity.team set deleted_at = now() where id = $1', [teamId]);
    await doJob(database, 'team.purge', { companyId, teamId, userId });
    assert.deepEqual(await kept(), []);
  });
});
