import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completeImport, stageImport } from '../../../core/imports/complete-import.ts';
import { newId } from '../../../shared/ids.ts';
import type { IngestResponse } from '../../../shared/schemas/memory.ts';
import { jobScope } from '../../../shared/scope.ts';
import { contentHash } from '../../../shared/text/content-hash.ts';
import { fieldsNow } from '../../../shared/text/fields.ts';
import { prepareChunksNow } from '../../../shared/text/prepared-chunks.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { ask } from '../../support/company.ts';
import { doJob } from '../../support/do-job.ts';
import { readImport, upload } from '../../support/import-records.ts';
import { addMemory, decide } from '../../support/memories.ts';
import { openSecondApp } from '../../support/second-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, listSources, removal } from '../../support/source-library.ts';
import { type Caller, post } from '../../support/team.ts';
import { tablesWith, tracesOf } from './traces.ts';

const service = await openTestApp();
const ROUNDS = 6;
type Asked = Pick<typeof service, 'app'>;

const purge = (app: Asked, caller: Caller, id: string) =>
  ask(app, caller, 'POST', `/v1/memory/sources/${id}/purge`);
const PROSE = 'The pump in hall four lost pressure again, so the crew closed valve nine and went home.';

/** An import of a file whose text was cut, and whose job is about to complete. */
async function stagedImport(company: SignedIn, filename: string, text: string) {
  const [item] = await upload(service, company, [{ filename, text }]);
  assert.ok(item);
  const { companyId, teamId, ownerId: userId } = company;
  const data = { companyId, teamId, userId, clientId: null, importId: item.id };
  const scope = jobScope(data);
  const document = {
    title: null,
    date: null,
    indexedAs: fieldsNow(filename),
    contentHash: contentHash({ text }),
    chunks: prepareChunksNow(teamId, { text }),
  };
  const staged = await stageImport(
    service,
    scope,
    null,
    { ...item, tags: [], expiresAt: null },
    document,
    () => undefined,
  );
  const queue = { ...service.queue, settle: async () => undefined } as typeof service.queue;
  const job = { id: newId(), retryCount: 0, data };
  return { id: item.id, complete: () => completeImport({ ...service, queue }, scope, job, staged, []) };
}

describe('a purge at the same time as other work', () => {
  test('of the source of a file, while the same file is imported again, leaves the new import a source of its own', async () => {
    const company = await service.company();
    const text = `${PROSE} ${newId()}`;
    const first = await stagedImport(company, 'a.txt', text);
    await first.complete();
    const { sourceId } = await readImport(service, company, first.id);
    const second = await stagedImport(company, 'a.txt', text);
    assert.equal(removal(await purge(service, company, sourceId ?? '')), '204');
    await second.complete();
    const again = await readImport(service, company, second.id);
    assert.equal(again.state, 'completed');
    assert.notEqual(again.sourceId, sourceId);
    assert.deepEqual(await tablesWith(service, sourceId ?? ''), ['memory.audit_event']);
    assert.deepEqual(
      (await listSources(service, company)).map(({ id }) => id),
      [again.sourceId],
    );
  });

  test('and an import that completes leave no import that names a purged source', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service);
    for (let round = 0; round < ROUNDS; round++) {
      const text = `${PROSE} ${newId()}`;
      const first = await stagedImport(company, 'a.txt', text);
      await first.complete();
      const { sourceId } = await readImport(service, company, first.id);
      const running = await stagedImport(company, 'a.txt', text);
      const [purged] = await Promise.all([purge(second, company, sourceId ?? ''), running.complete()]);
      assert.equal(removal(purged), '204');
      assert.deepEqual(await tablesWith(service, sourceId ?? ''), ['memory.audit_event']);
    }
  });

  test('and an ingest whose answer names the source leave no stored answer with its title', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service);
    for (let round = 0; round < ROUNDS; round++) {
      const title = `quokka${newId()}`;
      const text = `${PROSE} ${newId()}`;
      const { id } = await addSource(service, company, { title, text });
      const [purged, near] = await Promise.all([
        purge(second, company, id),
        post(
          service,
          company,
          '/v1/memory/ingest',
          { title: 'x', text: `${text} again` },
          { 'idempotency-key': newId() },
        ),
      ]);
      assert.equal(removal(purged), '204');
      assert.equal(outcome(near), '201');
      const { similarSources } = near.json<IngestResponse>();
      assert.ok(similarSources.length <= 5);
      assert.deepEqual(await tracesOf(service, title), []);
      assert.deepEqual(await tablesWith(service, id), ['memory.audit_event']);
    }
  });

  test('and a decision on the memory take effect one after the other', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service);
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await addMemory(service, company, 'review', { content: `Fact ${newId()}.` });
      const [purged, decision] = await Promise.all([
        ask(second, company, 'POST', `/v1/memory/memories/${id}/purge`),
        decide(service, company, { action: 'publish', memoryId: id }),
      ]);
      assert.equal(removal(purged), '204');
      assert.match(outcome(decision), /^(200|404 not_found)$/);
      assert.deepEqual(await tablesWith(service, id), ['memory.audit_event']);
    }
    assert.deepEqual(await listSources(service, company), []);
  });

  test('of a source leaves the job of its import nothing to do', async () => {
    const company = await service.company();
    const item = await stagedImport(company, 'a.txt', `${PROSE} ${newId()}`);
    await item.complete();
    const { sourceId } = await readImport(service, company, item.id);
    await purge(service, company, sourceId ?? '');
    const { companyId, teamId, ownerId: userId } = company;
    const job = { companyId, teamId, userId, clientId: null, importId: item.id };
    assert.deepEqual(await doJob(service.database, 'import.process', job), ['import.process']);
    assert.deepEqual(await listSources(service, company), []);
  });
});
