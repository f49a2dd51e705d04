import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stageSource } from '../../../core/sources/store.ts';
import { transaction } from '../../../db/driver/database.ts';
import { insertImport } from '../../../db/queries/imports.ts';
import { resolvePrincipal } from '../../../db/startup/bootstrap.ts';
import { readConfig } from '../../../shared/config.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';
import type { QueueName } from '../../../shared/queues.ts';
import { jobScope } from '../../../shared/scope.ts';
import { HANDLERS } from '../../../worker/registry.ts';
import { createTestCompany } from '../../support/needs/database.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { draftOf, storeSource } from '../../support/sources.ts';

/** Upkeep goes over the data of all Teams, so these tests have a database of their own. */
const { database } = await openOwnTestApp();
const MODELS = { companyName: 'C', teamName: 'T', ownerEmail: 'owner@localhost' };
const vector = () => {
  const one = new Float32Array(1024);
  one[0] = 1;
  return one;
};

async function openTeam() {
  const company = await createTestCompany(database);
  const { companyId, teamId, ownerId: userId } = company;
  const origin = { companyId, teamId, userId, layerId: teamId };
  return { origin, scope: jobScope(origin) };
}

/** Does a job of the queue by the worker's own handler; the queue notes what was completed. */
async function doJob(queue: QueueName, data: object): Promise<QueueName[]> {
  const completed: QueueName[] = [];
  const context = {
    config: readConfig({ MEMORY_API_TOKEN: 'test-token-of-the-service' }),
    database,
    logger: createLogger('fatal', 'test'),
    queue: { complete: async (_tx: unknown, name: QueueName) => void completed.push(name) },
    stopping: new AbortController().signal,
  };
  await HANDLERS[queue]({ id: newId(), data } as never, context as never);
  return completed;
}

async function count(table: string, teamId: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*) as n from memory.${table} where team_id = $1`,
    [teamId],
  );
  return row?.n ?? -1;
}

describe('upkeep', () => {
  test('marks every chunk without a vector of the new model after a change of the model', async () => {
    await resolvePrincipal(database, { ...MODELS, embeddingModel: 'old/model' });
    const { origin, scope } = await openTeam();
    const chunks = [{ text: 'first', embedding: vector() }, { text: 'second' }];
    await storeSource(database, scope, { layer: null, chunks, model: 'old/model' });
    await storeSource(database, scope, {
      layer: null,
      chunks: [{ text: 'third', embedding: vector() }],
      model: 'new/model',
    });
    assert.equal(await count('embedding_pending', origin.teamId), 1);

    const warnings: string[] = [];
    const start = (embeddingModel: string) =>
      resolvePrincipal(database, { ...MODELS, embeddingModel }, (warning) => warnings.push(warning));
    for (const model of ['old/model', 'new/model', 'new/model']) await start(model);
    assert.equal(warnings.length, 1, 'a change is reported once, and without a change nothing is reported');
    assert.match(
      warnings[0] ?? '',
      /^the embedding model is new\/model and was old\/model: 2 of 3 chunks wait /,
    );
    assert.deepEqual(await doJob('embeddings.backfill', {}), ['embeddings.backfill']);
    assert.equal(await count('embedding_pending', origin.teamId), 2, 'all but the third');

    // A process of the version before may store vectors of the old model for a while: it is looked at again.
    await storeSource(database, scope, {
      layer: null,
      chunks: [{ text: 'late', embedding: vector() }],
      model: 'old/model',
    });
    await doJob('embeddings.backfill', {});
    assert.equal(await count('embedding_pending', origin.teamId), 3);

    await database.query(`update memory.deployment set adopted_at = now() - interval '2 hours'`);
    await database.query('delete from memory.embedding_pending where team_id = $1', [origin.teamId]);
    await doJob('embeddings.backfill', {});
    assert.equal(await count('embedding_pending', origin.teamId), 0, 'an hour later there is nothing to do');
  });

  test('removes sources that were left half-written, of any size, and keeps a source being written', async () => {
    const { origin, scope } = await openTeam();
    const stage = (word: string) =>
      stageSource(
        database,
        scope,
        draftOf(origin.teamId, {
          layer: null,
          chunks: Array.from({ length: 620 }, (_, n) => ({ text: `${word} ${n}` })),
        }),
      );
    const left = await stage('left');
    await stage('going on');
    await database.query(`update memory.source set updated_at = now() - interval '2 hours' where id = $1`, [
      left.source.id,
    ]);
    assert.deepEqual(await doJob('upkeep.prune', {}), ['upkeep.prune']);
    assert.equal(await count('source', origin.teamId), 1);
    assert.equal(await count('chunk', origin.teamId), 620);
  });

  test('removes expired sessions and reset links, and keeps recently expired ones', async () => {
    const { origin } = await openTeam();
    const { companyId, userId } = origin;
    for (const age of ['40 days', '31 days', '1 day']) {
      await database.query(
        `insert into identity.session (company_id, id, user_id, token_hash, created_at, last_seen_at)
         values ($1, $2, $3, $4, now() - $5::interval, now() - $5::interval)`,
        [companyId, newId(), userId, Buffer.from(newId()), age],
      );
      await database.query(
        `insert into identity.reset_link (company_id, id, user_id, token_hash, created_by, expires_at)
         values ($1, $2, $3, $4, $3, now() - $5::interval)`,
        [companyId, newId(), userId, Buffer.from(newId()), age],
      );
    }
    await doJob('upkeep.prune', {});
    for (const table of ['session', 'reset_link']) {
      const rows = await database.query(`select from identity.${table} where company_id = $1`, [companyId]);
      assert.equal(rows.length, 1, table);
    }
  });

  test('removes batches of captures a month after their end, and keeps their captures', async () => {
    const { origin } = await openTeam();
    const { teamId, userId } = origin;
    /** A batch that ended so long ago, with the answer of its complete where there was one. */
    const addBatch = async (ago: string, results: string | null) => {
      const [id, captureId] = [newId(), newId()];
      await database.query(
        `insert into memory.capture (team_id, layer_id, id, state, session_id, summary, batch_id, created_by, completed_at)
         values ($1, $1, $2, 'completed', 'a session', 'a summary', $3, $4, now())`,
        [teamId, captureId, id, userId],
      );
      await database.query(
        `insert into memory.consolidation_batch (team_id, id, user_id, capture_ids, expires_at, request_hash,
           results, layers)
         values ($1, $2, $3, array[$4::uuid], now() - $5::interval,
           case when $6::jsonb is not null then sha256('x') end, $6, case when $6 is not null then '{}'::uuid[] end)`,
        [teamId, id, userId, captureId, ago, results],
      );
      return id;
    };
    for (const results of ['[]', null]) await addBatch('30 days 2 hours', results);
    const kept = [
      await addBatch('29 days 22 hours', '[]'),
      await addBatch('29 days 22 hours', null),
      await addBatch('-15 minutes', null),
    ];
    assert.deepEqual(await doJob('upkeep.prune', {}), ['upkeep.prune']);
    const left = await database.query<{ id: string }>(
      'select id from memory.consolidation_batch where team_id = $1 order by id',
      [teamId],
    );
    assert.deepEqual(
      left,
      kept.map((id) => ({ id })),
    );
    assert.equal(await count('capture', teamId), 5);
  });

  test('fails an import once, with a reason, when its job has no retries left', async () => {
    const { origin, scope } = await openTeam();
    const importId = newId();
    const content = Buffer.from('x');
    const item = {
      id: importId,
      layerId: scope.teamId,
      filename: 'a.txt',
      title: 'a',
      mediaType: 'text/plain',
      content,
    };
    await transaction(database, scope, (tx) => insertImport(tx, item));
    for (const _time of [1, 2]) await doJob('import.dead', { ...origin, importId });
    const [row] = await database.query<{ state: string; code: string; events: number }>(
      `select i.state, i.error_code as code,
              (select count(*) from memory.audit_event e where e.subject_id = i.id) as events
         from memory.import i where i.id = $1`,
      [importId],
    );
    assert.deepEqual(row, { state: 'failed', code: 'import_interrupted', events: 1 });
  });
});
