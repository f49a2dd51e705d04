import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stageSource } from '../../../core/sources/store.ts';
import { resolvePrincipal } from '../../../db/startup/bootstrap.ts';
import { newId } from '../../../shared/ids.ts';
import { jobScope } from '../../../shared/scope.ts';
import { doJob } from '../../support/do-job.ts';
import { eventKinds, plantImport, readImport } from '../../support/import-records.ts';
import type { TestCompany } from '../../support/needs/database.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { draftOf, storeSource } from '../../support/sources.ts';

/** Upkeep goes over the data of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;
const MODELS = { companyName: 'C', teamName: 'T', ownerEmail: 'owner@localhost' };
const VECTOR = Float32Array.from({ length: 1024 }, (_, n) => (n === 0 ? 1 : 0));

async function openTeam() {
  const company = await service.company();
  const { companyId, teamId, ownerId: userId } = company;
  return { company, scope: jobScope({ companyId, teamId, userId, layerId: teamId }) };
}

async function count(table: string, teamId: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from memory.${table} where team_id = $1`,
    [teamId],
  );
  return row?.n ?? -1;
}

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

  test('marks every chunk without a vector of the new model after a change of the model', async () => {
    await resolvePrincipal(database, { ...MODELS, embeddingModel: 'old/model' });
    const { company, scope } = await openTeam();
    const store = (model: string, ...texts: string[]) =>
      storeSource(database, scope, {
        layer: null,
        chunks: texts.map((text) => (text === 'bare' ? { text } : { text, embedding: VECTOR })),
        model,
      });
    const pending = () => count('embedding_pending', company.teamId);
    await store('old/model', 'first', 'bare');
    await store('new/model', 'third');
    assert.equal(await pending(), 1);

    const warnings: string[] = [];
    for (const embeddingModel of ['old/model', 'new/model', 'new/model']) {
      await resolvePrincipal(database, { ...MODELS, embeddingModel }, (warning) => warnings.push(warning));
    }
    assert.equal(warnings.length, 1, 'a change is reported once, and without a change nothing is reported');
    assert.match(
      warnings[0] ?? '',
      /^the embedding model is new\/model and was old\/model: 2 of 3 chunks wait /,
    );
    assert.deepEqual(await doJob(database, 'embeddings.backfill', {}), ['embeddings.backfill']);
    assert.equal(await pending(), 2, 'all but the third');

    // A process of the version before may store vectors of the old model for a while: it is looked at again.
    await store('old/model', 'late');
    await doJob(database, 'embeddings.backfill', {});
    assert.equal(await pending(), 3);

    await database.query(`update memory.deployment set adopted_at = now() - interval '2 hours'`);
    await database.query('delete from memory.embedding_pending where team_id = $1', [company.teamId]);
    await doJob(database, 'embeddings.backfill', {});
    assert.equal(await pending(), 0, 'an hour later there is nothing to do');
  });

  test('removes sources that were left half-written, of any size, and keeps a source being written', async () => {
    const { company, scope } = await openTeam();
    const chunks = Array.from({ length: 620 }, (_, n) => ({ text: `chunk ${n}` }));
    const stage = () => stageSource(database, scope, draftOf(company.teamId, { layer: null, chunks }));
    const left = await stage();
    await stage();
    await database.query(`update memory.source set updated_at = now() - interval '2 hours' where id = $1`, [
      left.source.id,
    ]);
    await doJob(database, 'upkeep.prune', {});
    assert.deepEqual([await count('source', company.teamId), await count('chunk', company.teamId)], [1, 620]);
  });

  test('fails an import once, with a reason, when its job has no retries left', async () => {
    const { company } = await openTeam();
    const { companyId, teamId, ownerId: userId } = company;
    const importId = await plantImport(service, company, { state: 'queued' });
    const job = { companyId, teamId, userId, layerId: teamId, importId };
    for (const _time of [1, 2]) await doJob(database, 'import.dead', job);
    const { state, error } = await readImport(company, importId);
    assert.deepEqual([state, error?.code], ['failed', 'import_interrupted']);
    assert.deepEqual(await eventKinds(service, importId), ['memory.import_fail']);
  });
});
