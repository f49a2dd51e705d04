import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openEmbedded } from '../../../db/driver/embedded.ts';
import type { Import } from '../../../shared/schemas/imports.ts';
import { type Asked, untilAnswered, untilImports } from '../../support/many-imports.ts';
import { databaseUrl, prepareDatabase } from '../../support/needs/database.ts';
import {
  endProcesses,
  freePorts,
  printedUrl,
  type ServiceProcess,
  serviceFolder,
  startMain,
} from '../../support/needs/process.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { childrenOf, running, until } from '../../support/process-table.ts';
import { importTexts, isOver, untilImport } from '../../support/running-imports.ts';
import { slowStoring, textOfChunks } from './slow-storing.ts';
import { ALL_TRIES, assertStoredOnce, jobOf } from './stored-once.ts';

after(endProcesses);

const MISBEHAVING = 'test/worker/imports/misbehaving-service.ts';
/** The misbehaving service never finishes reading these: one busy, one idle. Any other reads them unchanged. */
const ENDLESS = ['endless', 'waiting'];

/** Stops a process that reads files by SIGTERM: it exits well, and leaves none of its own behind. */
async function stop(service: ServiceProcess): Promise<void> {
  const { pid } = service.child;
  assert.ok(pid);
  const children = childrenOf(pid);
  service.child.kill('SIGTERM');
  // With 1 where draining takes more than 19 seconds.
  assert.equal(await service.exited, 0, [...service.stdout, ...service.stderr].join('\n'));
  assert.deepEqual(running(children), []);
}

async function untilReading({ child }: ServiceProcess, files: number, signal: AbortSignal): Promise<void> {
  await until(signal, () => childrenOf(child.pid ?? 0).length >= files);
}

const opened = databaseUrl === undefined ? null : await openOwnTestApp();
const pace = opened === null ? null : await slowStoring(opened.database, 0);

describe('a worker that is stopped by SIGTERM while imports run', {
  skip: databaseUrl === undefined,
}, () => {
  if (opened === null || pace === null) return;
  const service = opened;
  const { database } = service;
  const env = { MEMORY_DATABASE_URL: service.url ?? '' };
  const all: string[] = [];

  for (const [title, main, seconds, texts, underWay] of [
    [
      'releases the imports that are being read, even if reading never ends',
      MISBEHAVING,
      0,
      ENDLESS,
      ({ child }, { state }) => state === 'running' && childrenOf(child.pid ?? 0).length >= ENDLESS.length,
    ],
    [
      'releases the imports that are being stored',
      'worker/main.ts',
      1,
      [textOfChunks(1800)],
      (_, { progress }) => progress?.stage === 'storing',
    ],
  ] satisfies [string, string, number, string[], (worker: ServiceProcess, item: Import) => boolean][]) {
    test(title, async (t) => {
      await pace.set(seconds);
      const company = await service.company();
      const worker = startMain(main, { env });
      await worker.line(/"msg":"working"/);
      const ids = await importTexts(company, texts);
      all.push(...ids);
      for (const id of ids) {
        await untilImport(company, id, t.signal, (item) => underWay(worker, item));
        assert.deepEqual(await jobOf(database, id), { state: 'active', triesLeft: ALL_TRIES });
      }
      await stop(worker);
      for (const id of ids) {
        const item = await untilImport(company, id, t.signal, () => true);
        assert.deepEqual([item.state, item.attempts, item.progress, item.error], ['queued', 0, null, null]);
        assert.deepEqual(await jobOf(database, id), { state: 'created', triesLeft: ALL_TRIES });
      }
      assert.deepEqual(await database.query(`select from memory.source where state = 'loading'`), []);
      await pace.set(0);
      const other = startMain('worker/main.ts', { env });
      for (const id of ids) {
        const item = await untilImport(company, id, t.signal, isOver);
        assert.deepEqual([item.state, item.attempts, item.error], ['completed', 1, null]);
      }
      await stop(other);
      await assertStoredOnce(database, all);
    });
  }
});

test('releases imports and finishes them after a restart, with the embedded database', {
  skip: databaseUrl !== undefined,
}, async (t) => {
  const cwd = await serviceFolder();
  const [port = 0] = await freePorts(1);
  const env = { MEMORY_API_PORT: String(port) };
  const asked: Asked = { url: `http://127.0.0.1:${port}`, signal: t.signal };
  const listed = async () =>
    ((await untilAnswered(asked, '/v1/memory/imports')) as { items: Import[] }).items;

  const open = () => openEmbedded({ dataDir: join(cwd, '.data') });
  // Some sixty statements of this: more than the time that an import has to end by itself.
  const before = await open();
  await prepareDatabase(before);
  await slowStoring(before, 0.4);
  await before.close();

  const service = startMain(MISBEHAVING, { cwd, env });
  await service.line(/"msg":"working"/);
  // The one that is stored comes first: reading that never ends is ended after a minute.
  const items = [textOfChunks(3000), ...ENDLESS].map((text, n) => ({ filename: `${n}.txt`, text }));
  await untilAnswered(asked, '/v1/memory/imports', {
    method: 'POST',
    body: JSON.stringify({ items }),
    headers: { 'content-type': 'application/json' },
  });
  await untilReading(service, ENDLESS.length, t.signal);
  await until(t.signal, async () => (await listed()).some(({ progress }) => progress?.stage === 'storing'));
  await stop(service);

  const between = await open();
  const rows = await between.query<{ id: string; state: string; attempts: number }>(
    'select id, state, attempts from memory.import',
  );
  for (const { id, state, attempts } of rows) {
    assert.deepEqual([state, attempts], ['queued', 0]);
    assert.deepEqual(await jobOf(between, id), { state: 'created', triesLeft: ALL_TRIES });
  }
  assert.deepEqual(await between.query(`select from memory.source where state = 'loading'`), []);
  await between.query('update public.pace set seconds = 0');
  await between.close();

  const again = startMain('start.ts', { cwd, env });
  await printedUrl(again);
  await untilImports(asked, ({ completed, failed }) => completed + failed === items.length);
  for (const { state, attempts } of await listed()) assert.deepEqual([state, attempts], ['completed', 1]);
  await stop(again);
  const database = await open();
  await assertStoredOnce(
    database,
    rows.map(({ id }) => id),
  );
  await database.close();
});
