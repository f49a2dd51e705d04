import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { terminate } from '../faults/load/system.ts';
import { endProcesses, type ServiceProcess } from '../support/needs/process.ts';
import { importText, type RunningApi, startApi, startWorker } from './processes.ts';
import { endServers } from './servers/debian.ts';
import { type Backups, openBackups } from './servers/pgbackrest.ts';
import { type PostgresServer, startPostgres } from './servers/postgres.ts';

after(endServers);
after(endProcesses);

describe('a database with backups by pgBackRest', () => {
  let server: PostgresServer;
  let backups: Backups;
  let api: RunningApi;
  let worker: ServiceProcess;

  async function startService(): Promise<void> {
    const env = { MEMORY_DATABASE_URL: server.url('service') };
    api = await startApi(env, new AbortController().signal);
    worker = await startWorker(env);
  }

  before(async () => {
    server = await startPostgres();
    await server.createDatabase('service');
    backups = await openBackups(server);
    await startService();
  });

  const write = (title: string) => api.owner.api.ingestSource({ title, text: title });
  const titles = async () => (await api.owner.all.listSources()).map(({ title }) => title).sort();

  test('is restored to a time before a harmful change, and the service goes on from there', async (t) => {
    await write('before the backup');
    await backups.full();
    await write('after the backup');
    assert.equal((await importText(api, 'imported.txt', t.signal)).state, 'completed');
    const [now] = await server.query('select clock_timestamp()::text as time');
    await server.query(`update memory.source set title = 'overwritten'`, 'service');
    await write('after the change');

    for (const process of [api.process, worker]) assert.equal(await terminate(process), 0);
    // A server that is stopped in this way archives the rest of its log first.
    await server.server().signal('SIGINT', true);
    await backups.restoreTo(String(now?.['time']));
    await startService();

    const kept = ['after the backup', 'before the backup', 'imported.txt'];
    assert.deepEqual(await titles(), kept);
    assert.equal((await api.owner.api.verifyAudit()).firstBreak, null);
    await write('after the restore');
    assert.equal((await importText(api, 'later.txt', t.signal)).state, 'completed');
    assert.deepEqual(await titles(), [...kept, 'after the restore', 'later.txt'].sort());
    await backups.full();
  });
});
