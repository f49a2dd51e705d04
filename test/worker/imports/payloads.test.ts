import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { asWorker, transaction } from '../../../db/driver/database.ts';
import { call } from '../../../db/queries/call.ts';
import { insertImport, startImport } from '../../../db/queries/imports.ts';
import { newId } from '../../../shared/ids.ts';
import type { SignedIn } from '../../support/app.ts';
import { doJob } from '../../support/do-job.ts';
import {
  changesNothing,
  countJobs,
  eventKinds,
  keepsFile,
  plantImport,
  plantImports,
  readImport,
  retried,
  sendRetries,
  sendRetry,
} from '../../support/import-records.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { ownerScope } from '../../support/scopes.ts';
import { addClient, archiveTeam } from '../../support/team.ts';

/** Upkeep goes over the files of all Teams, so these tests have a database of their own. No worker is at work. */
const service = await openOwnTestApp();
const { database } = service;

const HOUR = 1 / 24;

/** Does the upkeep that a worker does every ten minutes. */
async function upkeep(days?: number): Promise<void> {
  const env = days === undefined ? {} : { MEMORY_IMPORT_PAYLOAD_DAYS: String(days) };
  assert.deepEqual(await doJob(database, 'upkeep.prune', {}, env), ['upkeep.prune']);
}

/** Whether the file is there and whether the record says so: never one without the other. */
async function isKept(company: SignedIn, id: string): Promise<boolean> {
  const kept = await keepsFile(service, id);
  const { payloadPrunedAt } = await readImport(company, id);
  assert.equal(payloadPrunedAt === null, kept);
  return kept;
}

test('a large file of an import is stored in parts and read as a whole', async () => {
  const company = await service.company();
  const content = randomBytes(9 * 1024 * 1024 + 7);
  const file = { filename: 'a.txt', title: 'a', mediaType: 'text/plain', content };
  const read = await transaction(database, ownerScope(company), async (tx) => {
    const { id } = await insertImport(tx, { id: newId(), layerId: company.teamId, ...file });
    return startImport(tx, id);
  });
  assert.ok(read?.content?.equals(content));
});

describe('the file of a failed import', () => {
  test('is deleted 30 days after the failure, and the import says so', async () => {
    const [company, archived] = [await service.company(), await service.company()];
    const clientId = await addClient(service, company);
    const old = await plantImport(service, company, { failedDaysAgo: 30 + HOUR });
    const younger = await plantImport(service, company, { failedDaysAgo: 30 - HOUR });
    const ofClient = await plantImport(service, company, { failedDaysAgo: 400, clientId });
    const many = await plantImports(service, company, 45, { failedDaysAgo: 31 });
    const ofArchived = await plantImport(service, archived, { failedDaysAgo: 31 });
    await archiveTeam(service, archived.teamId);
    const before = await readImport(company, old);
    await upkeep();
    for (const id of [old, ofClient, ...many]) assert.equal(await isKept(company, id), false);
    assert.equal(await isKept(archived, ofArchived), false);
    assert.equal(await isKept(company, younger), true);
    const { payloadPrunedAt, ...now } = await readImport(company, old);
    assert.deepEqual({ ...now, payloadPrunedAt: null }, before);
    assert.match(payloadPrunedAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    await changesNothing(service, company, () => upkeep());
  });

  test('is kept for MEMORY_IMPORT_PAYLOAD_DAYS days; with 0, until the next run of upkeep', async () => {
    const company = await service.company();
    const weekOld = await plantImport(service, company, { failedDaysAgo: 7 + HOUR });
    const fresh = await plantImport(service, company);
    for (const [days, kept] of [
      [8, [true, true]],
      [7, [false, true]],
      [0, [false, false]],
    ] as const) {
      await upkeep(days);
      assert.deepEqual([await isKept(company, weekOld), await isKept(company, fresh)], kept, `${days} days`);
    }
  });
});

describe('the file of an import that has not failed', () => {
  test('is never deleted by age while the import is queued, running or retried', async () => {
    const company = await service.company();
    const ids = [
      await plantImport(service, company, { state: 'queued' }),
      await plantImport(service, company, { state: 'running', failedDaysAgo: 99 }),
      await plantImport(service, company, { failedDaysAgo: 99 }),
    ];
    await retried(company, { ids: ids.slice(2) });
    await database.query(
      `update memory.import set updated_at = now() - interval '99 days' where id = any ($1)`,
      [ids],
    );
    await upkeep(0);
    for (const id of ids) assert.ok(await isKept(company, id));
  });

  test('is kept for its full time again when its job has no retries left, which fails the import once', async () => {
    const company = await service.company();
    const { companyId, teamId, ownerId: userId } = company;
    const id = await plantImport(service, company, { failedDaysAgo: 99 });
    await retried(company, { ids: [id] });
    const job = { companyId, teamId, userId, layerId: teamId, importId: id };
    for (const _time of [1, 2]) await doJob(database, 'import.dead', job);
    const { state, error } = await readImport(company, id);
    assert.deepEqual([state, error?.code], ['failed', 'import_interrupted']);
    assert.deepEqual(
      (await eventKinds(service, id)).filter((kind) => kind === 'memory.import_fail').length,
      1,
    );
    await upkeep();
    assert.ok(await isKept(company, id));
  });
});

test('upkeep beside retries of one, of several and of all leaves no queued import without its file, and no deadlock', async () => {
  const prune = () => asWorker(database, (tx) => call(tx, 'memory.prune_import_payloads', 30, 5));
  for (let round = 0; round < 5; round += 1) {
    const company = await service.company();
    const ids = await plantImports(service, company, 20, { failedDaysAgo: 31 });
    const [answers] = await Promise.all([
      Promise.all([
        ...ids.slice(0, 10).map((id) => sendRetry(company, id)),
        sendRetries(company, { all: true }),
        sendRetries(company, { ids: ids.slice(0, 10) }),
        sendRetries(company, { ids: ids.toReversed().slice(0, 10) }),
      ]),
      Promise.all(Array.from({ length: 6 }, prune)),
    ]);
    for (const answer of answers) assert.ok([202, 409].includes(answer.statusCode), answer.body);
    while ((await prune()) > 0);
    for (const id of ids) {
      const { state } = await readImport(company, id);
      const found = [state, await isKept(company, id), await countJobs(service, id)];
      assert.deepEqual(found, state === 'queued' ? ['queued', true, 1] : ['failed', false, 0]);
    }
  }
});
