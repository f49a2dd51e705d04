import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { get, send, tally } from '../faults/load/client.ts';
import { Ledger } from '../faults/load/ledger.ts';
import { loadFigures, startLoad } from '../faults/load/mixed-load.ts';
import { type System, startSystem, terminate } from '../faults/load/system.ts';
import { endProcesses } from '../support/needs/process.ts';
import { textOfChunks } from '../worker/imports/slow-storing.ts';
import { endServers, waitFor } from './servers/debian.ts';
import { type Haproxy, startHaproxy } from './servers/haproxy.ts';
import { startPostgres } from './servers/postgres.ts';

after(endServers);
after(endProcesses);

const PROCESSES = 3;
/** How many chunks a large file has. Each batch of them takes a second. */
const LARGE_CHUNKS = 5000;
/** A worker reads three files of a Company at once. If more than six run, each of three workers has one. */
const LARGE_FILES = 9;
const RUNNING_FILES = 7;

/** Large batches of chunks take a second to be written, as on a busy database. Others do not. */
const SLOW_BATCHES = `
  create table public.pace (seconds float8);
  insert into public.pace values (1);
  create function public.take_long() returns trigger language plpgsql security definer as $$
    begin
      if (select count(*) from added) > 200 then perform pg_sleep((select seconds from public.pace)); end if;
      return null;
    end $$;
  create trigger take_long after insert on memory.chunk referencing new table as added
    for each statement execute function public.take_long()`;

describe('three APIs and three workers behind HAProxy that does not try again', () => {
  let system: System;
  let database: ReturnType<typeof openPostgres>;
  const cleanups: (() => unknown)[] = [];

  before(async () => {
    const server = await startPostgres({ max_connections: '200' });
    await server.query('create extension vector schema public', 'template1');
    const context = {
      signal: new AbortController().signal,
      seed: 1,
      soakSeconds: 0,
      postgresUrl: async () => server.url('postgres'),
      crashPostgres: null,
      defer: (cleanup: () => unknown) => void cleanups.push(cleanup),
    };
    const counts = { apis: PROCESSES, workers: PROCESSES };
    // The wait is as long as without a setting.
    system = await startSystem(context, { ...counts, env: { MEMORY_DRAIN_SECONDS: '3' } });
    database = openPostgres(system.databaseUrl, createLogger('fatal', 'test'), { max: 2 });
    await database.transaction((tx) => database.script(tx, SLOW_BATCHES));
  });
  after(async () => {
    await database.close();
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  const portOf = (url: string) => Number(new URL(url).port);

  /** Sends large files, and waits until each worker has one. */
  async function occupyWorkers(url: string, name: string): Promise<void> {
    for (let count = 0; count < LARGE_FILES; count += 1) {
      const text = `${name} ${count}\n\n${textOfChunks(LARGE_CHUNKS)}`;
      const body = { items: [{ filename: `${name} ${count}.txt`, text }] };
      const sent = await send(url, { method: 'POST', path: '/v1/memory/imports', body });
      assert.equal(sent.status, 202, sent.text);
    }
    await waitFor(async () => {
      const running = await database.query(
        `select id from memory.import where state = 'running' and starts_with(filename, $1)`,
        [name],
      );
      return running.length >= RUNNING_FILES;
    });
  }

  /**
   * Replaces every process, one after the other, as an operator does who waits until each new one is used. The workers
   * have large files when the first of them is replaced.
   */
  async function replaceAll(haproxy: Haproxy, occupy: () => Promise<void>): Promise<void> {
    for (let index = 0; index < PROCESSES; index += 1) {
      const [api, worker, url = ''] = [system.apis[index], system.workers[index], system.urls[index]];
      assert.ok(api && worker);
      assert.equal(await terminate(api), 0, api.stdout.join('\n'));
      await system.startApi(index);
      await waitFor(() => haproxy.isUp(portOf(url)), haproxy.server);
      if (index === 0) await occupy();
      assert.equal(await terminate(worker), 0, worker.stdout.join('\n'));
      system.workers[index] = await system.startWorker();
    }
  }

  /** How many runs of imports ended without being done, because their worker stopped. */
  async function countReleased(): Promise<number> {
    const text = (await get(system.url, '/metrics')).text;
    const line = text
      .split('\n')
      .find((each) => /^memory_jobs_total\{.*import\.process.*"given_back"/.test(each));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  for (const redispatch of ['option redispatch', 'no option redispatch']) {
    test(`are replaced one by one without a failed request, a counted attempt or a half-loaded source: ${redispatch}`, async (t) => {
      const haproxy = await startHaproxy({
        ports: system.urls.map(portOf),
        backend: [
          'balance roundrobin',
          redispatch,
          'retries 0',
          'option httpchk GET /readyz',
          'default-server inter 500ms fall 2 rise 2',
        ],
      });
      for (const url of system.urls) await waitFor(() => haproxy.isUp(portOf(url)), haproxy.server);
      const url = `http://127.0.0.1:${haproxy.port}`;
      const releasedBefore = await countReleased();
      await database.query('update public.pace set seconds = 1');
      const ledger = new Ledger();
      const load = startLoad({ urls: [url], ledger, seed: 1 });
      await sleep(2000, undefined, { signal: t.signal });
      await replaceAll(haproxy, () => occupyWorkers(url, redispatch));
      await sleep(2000, undefined, { signal: t.signal });
      await load.stop();
      const released = (await countReleased()) - releasedBefore;
      t.diagnostic(`${loadFigures(load.replies)}; ${released} runs of imports released`);

      const failed = load.replies.filter(({ status }) => status < 200 || status >= 300);
      assert.equal(failed.length, 0, `${tally(failed)} ${JSON.stringify(failed[0])}`);
      assert.ok(load.replies.length > 100);
      assert.ok(released > 0, 'a worker was stopped while it read or stored a file');
      await database.query('update public.pace set seconds = 0');
      assert.notEqual(await ledger.untilImported(url, 120_000, t.signal), null, 'imports end');
      const imports = await database.query(
        'select state, attempts, count(*)::int as imports from memory.import group by 1, 2',
      );
      assert.deepEqual(
        imports.map(({ state, attempts }) => [state, attempts]),
        [['completed', 1]],
      );
      const loading = await database.query(`select id from memory.source where state = 'loading'`);
      assert.deepEqual(loading, []);
      const { lost, doubled } = await ledger.check(url, t.signal);
      assert.deepEqual({ lost, doubled }, { lost: 0, doubled: 0 });
      await haproxy.server.signal('SIGTERM', true);
    });
  }
});
