import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Import } from '../../shared/schemas/imports.ts';
import { buildTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { openPrepared } from '../support/needs/database.ts';
import { startOwnWorker } from '../support/own-worker.ts';
import { until } from '../support/process-table.ts';
import { importNow } from '../support/running-imports.ts';
import { file } from '../support/workspace.ts';

/** The embedded database of a service on a disk whose free space the test decides. */
const ENOUGH = 2 ** 30;
let free = ENOUGH;
const database = await openPrepared({ freeBytes: () => free });
const service = await buildTestApp(database, undefined, { MEMORY_RATE_LIMITS: 'on' });
database.setMinFree(256, service.logger);
after(async () => {
  free = ENOUGH;
  await service.close();
  await database.close();
});

/** Leaves so much free, and waits until the service has noticed. */
async function leaveFree(signal: AbortSignal, bytes: number): Promise<void> {
  free = bytes;
  await until(signal, () => database.canWrite() === bytes > 256 * 2 ** 20);
}

const ingest = (company: SignedIn, title: string) =>
  company.ask.ingestSource({ title, text: `The heron of ${title} stands in the reeds.` });
const search = (company: SignedIn) =>
  company.ask.searchMemory({
    query: 'heron',
    queryEmbedding: [1, ...Array.from({ length: 1023 }, () => 0)],
    embeddingModel: service.config.embeddingModel,
    embeddingDim: 1024,
    scope: {},
  });

describe('an embedded database on an almost full disk', () => {
  test('returns 503 for changes and searches, answers reads, and recovers when there is space', async (t) => {
    const company = await service.company();
    const kept = (await ingest(company, 'before')).json<{ source: { id: string } }>().source.id;
    const hit = (await search(company)).json<{ hits: { chunk_id: string }[] }>().hits[0]?.chunk_id;
    await company.api.pushFiles({
      files: [file('team/a.txt', 'a heron')],
    });
    // Used long ago, so that the next request would note its time.
    await database.query(`update identity.session set last_seen_at = now() - interval '1 hour'`);

    await leaveFree(t.signal, 10 * 2 ** 20);
    for (const refused of [
      await ingest(company, 'during'),
      await search(company),
      await company.ask.importFiles({ items: [{ filename: 'a.txt', text: 'a' }] }),
      await company.ask.pushFiles({
        files: [file('team/b.txt', 'b')],
      }),
      await service.app.inject({
        method: 'DELETE',
        url: `/v1/memory/sources/${kept}`,
        headers: company.headers,
      }),
    ]) {
      assert.equal(refused.statusCode, 503, refused.body);
      const problem = refused.json<{ code: string; detail: string }>();
      assert.equal(problem.code, 'unavailable');
      assert.match(problem.detail, /the disk is almost full.* Reading works/);
    }
    for (const url of [
      '/livez',
      '/v1/health',
      '/v1/auth/session',
      '/v1/auth/sessions',
      '/v1/company/members',
      '/v1/company/audit',
      '/v1/team',
      '/v1/team/members',
      '/v1/memory/sources',
      `/v1/memory/sources/${kept}`,
      '/v1/memory/imports',
      '/v1/memory/memories',
      '/v1/memory/audit',
      '/v1/memory/status',
      '/v1/workspace/manifest',
    ]) {
      const read = await company.send('GET', url);
      assert.equal(read.statusCode, 200, `${url}: ${read.body}`);
    }
    const expanded = await company.ask.expandChunk({ chunkId: hit });
    assert.equal(expanded.json<{ chunks: object[] }>().chunks.length, 1, expanded.body);
    const pulled = await company.ask.pullFiles({ files: [{ path: 'team/a.txt' }] });
    assert.equal(pulled.json<{ files: object[] }>().files.length, 1, pulled.body);
    assert.equal((await service.app.inject('/readyz')).statusCode, 503);

    await leaveFree(t.signal, ENOUGH);
    assert.equal((await service.app.inject('/readyz')).statusCode, 200);
    assert.equal((await ingest(company, 'after')).statusCode, 201);
    const { items } = await company.api.listSources({ kind: 'ingest' });
    assert.deepEqual(column(items, 'title'), ['after', 'before']);
  });

  test('the queue pauses on an almost full disk, and jobs resume when there is space', async (t) => {
    const company = await service.company();
    await startOwnWorker(t, service);
    await leaveFree(t.signal, 10 * 2 ** 20);
    let asked = false;
    const waiting = database.queueDatabase.executeSql('select 1').then(() => {
      asked = true;
    });
    assert.equal((await company.ask.listImports()).statusCode, 200);
    assert.equal(asked, false, 'a statement of the queue waits, while another was answered');
    await leaveFree(t.signal, ENOUGH);
    await waiting;
    const accepted = await company.ask.importFiles({
      items: [{ filename: 'a.txt', text: 'a heron' }],
    });
    const id = accepted.json<{ imports: Import[] }>().imports[0]?.id;
    await until(t.signal, async () => (await importNow(company, id)).state === 'completed');
  });

  test('a statement outside of a transaction is refused if it changes something', async (t) => {
    const { companyId } = await service.company();
    await leaveFree(t.signal, 10 * 2 ** 20);
    const change = database.query(`update identity.company set name = 'changed' where id = $1`, [companyId]);
    await assert.rejects(change, { code: '53100' });
    const [row] = await database.query<{ name: string }>('select name from identity.company where id = $1', [
      companyId,
    ]);
    assert.notEqual(row?.name, 'changed');
    await leaveFree(t.signal, ENOUGH);
  });

  test('a transaction during which the disk fills up is rolled back', async (t) => {
    const company = await service.company();
    const change = database.transaction(async (tx) => {
      await tx.query(`update identity.company set name = 'half' where id = $1`, [company.companyId]);
      await leaveFree(t.signal, 10 * 2 ** 20);
      await tx.query(`update identity.company set name = 'whole' where id = $1`, [company.companyId]);
    });
    await assert.rejects(change, { code: '53100' });
    const [row] = await database.query<{ name: string }>('select name from identity.company where id = $1', [
      company.companyId,
    ]);
    assert.notEqual(row?.name, 'half');
    await leaveFree(t.signal, ENOUGH);
  });
});
