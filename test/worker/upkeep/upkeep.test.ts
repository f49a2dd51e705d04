import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stageSource } from '../../../core/sources/store.ts';
import { newId } from '../../../shared/ids.ts';
import { doJob } from '../../support/do-job.ts';
import type { TestCompany } from '../../support/needs/database.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { ownerScope } from '../../support/scopes.ts';
import { draftOf } from '../../support/sources.ts';

/** Upkeep goes over the data of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;

/** Whose record it is, its id, and how long ago it ended. */
interface Ended extends TestCompany {
  id: string;
  age: string;
}

/** What upkeep deletes: its columns and values, and how long after its end it is kept and deleted. */
const ENDED: Readonly<Record<string, [values: (given: Ended) => string, kept: string, deleted: string]>> = {
  'identity.session': [
    ({ companyId, ownerId, id, age }) =>
      `(company_id, id, user_id, token_hash, created_at, last_seen_at)
       values ('${companyId}', '${id}', '${ownerId}', sha256('${id}'), now() - interval '${age}', now() - interval '${age}')`,
    '1 day',
    '31 days',
  ],
  'identity.reset_link': [
    ({ companyId, ownerId, id, age }) =>
      `(company_id, id, user_id, token_hash, created_by, expires_at)
       values ('${companyId}', '${id}', '${ownerId}', sha256('${id}'), '${ownerId}', now() - interval '${age}')`,
    '1 day',
    '31 days',
  ],
  'memory.consolidation_batch': [
    ({ teamId, ownerId, id, age }) =>
      `(team_id, id, user_id, capture_ids, expires_at)
       values ('${teamId}', '${id}', '${ownerId}', array['${id}'::uuid], now() - interval '${age}')`,
    '29 days 22 hours',
    '30 days 2 hours',
  ],
  'memory.consolidation_batch that was completed': [
    ({ teamId, ownerId, id, age }) =>
      `(team_id, id, user_id, capture_ids, expires_at, request_hash, results, layers)
       values ('${teamId}', '${id}', '${ownerId}', array['${id}'::uuid], now() - interval '${age}', sha256('x'), '[]', '{}')`,
    '29 days 22 hours',
    '30 days 2 hours',
  ],
};

describe('upkeep', () => {
  for (const [what, [values, kept, deleted]] of Object.entries(ENDED)) {
    test(`deletes each ${what} some time after its end`, async () => {
      const [table] = what.split(' ');
      const company = await service.company();
      const [old, recent] = [newId(), newId()];
      await database.query(`insert into ${table} ${values({ ...company, id: old, age: deleted })}`);
      await database.query(`insert into ${table} ${values({ ...company, id: recent, age: kept })}`);
      assert.deepEqual(await doJob(database, 'upkeep.prune', {}), ['upkeep.prune']);
      const left = await database.query(`select id from ${table} where id = any ($1::uuid[])`, [
        [old, recent],
      ]);
      assert.deepEqual(left, [{ id: recent }]);
    });
  }

  test('removes sources that were left half-written, of any size, and keeps a source being written', async () => {
    const company = await service.company();
    const { teamId } = company;
    const chunks = Array.from({ length: 620 }, (_, n) => ({ text: `chunk ${n}` }));
    const stage = () => stageSource(database, ownerScope(company), draftOf(teamId, { layer: null, chunks }));
    const [left, current] = [await stage(), await stage()];
    await database.query(`update memory.source set updated_at = now() - interval '2 hours' where id = $1`, [
      left.source.id,
    ]);
    await doJob(database, 'upkeep.prune', {});
    const kept = await database.query(
      'select source_id as id, count(*)::int as chunks from memory.chunk where team_id = $1 group by 1',
      [teamId],
    );
    assert.deepEqual(kept, [{ id: current.source.id, chunks: chunks.length }]);
    const sources = await database.query('select id from memory.source where team_id = $1', [teamId]);
    assert.deepEqual(sources, [{ id: current.source.id }]);
  });
});
