import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { send, wholeList } from '../faults/load/client.ts';
import { terminate } from '../faults/load/system.ts';
import { endProcesses, type ServiceProcess } from '../support/needs/process.ts';
import { type RunningApi, startApi, startWorker, stateOfImport } from './processes.ts';
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

  async function write(title: string): Promise<void> {
    const body = { title, text: title };
    const { status, text } = await send(api.url, { method: 'POST', path: '/v1/memory/ingest', body });
    assert.equal(status, 201, text);
  }

  async function importedState(filename: string, signal: AbortSignal): Promise<string> {
    const body = { items: [{ filename, title: filename, text: filename }] };
    const { json, text } = await send(api.url, { method: 'POST', path: '/v1/memory/imports', body });
    const [item] = (json as { imports: { id: string }[] }).imports;
    assert.ok(item, text);
    return stateOfImport(api.url, item.id, signal);
  }

  const titles = async (signal: AbortSignal) => {
    const sources = (await wholeList(api.url, '/v1/memory/sources', signal)) as { title: string }[];
    return sources.map(({ title }) => title).sort();
  };

  test('is restored to a time before a harmful change, and the service goes on from there', async (t) => {
    await write('before the backup');
    await backups.full();
    await write('after the backup');
    assert.equal(await importedState('imported.txt', t.signal), 'completed');
    const [now] = await server.query('select clock_timestamp()::text as time');
    await server.query(`update memory.source set title = 'overwritten'`, 'service');
    await write('after the change');

    for (const process of [api.process, worker]) assert.equal(await terminate(process), 0);
    // A server that is stopped in this way archives the rest of its log first.
    await server.server().signal('SIGINT', true);
    await backups.restoreTo(String(now?.['time']));
    await startService();

    const kept = ['after the backup', 'before the backup', 'imported.txt'];
    assert.deepEqual(await titles(t.signal), kept);
    const verified = await send(api.url, { method: 'GET', path: '/v1/company/audit/verify' });
    assert.equal((verified.json as { firstBreak: unknown }).firstBreak, null, verified.text);
    await write('after the restore');
    assert.equal(await importedState('later.txt', t.signal), 'completed');
    assert.deepEqual(await titles(t.signal), [...kept, 'after the restore', 'later.txt'].sort());
    await backups.full();
  });
});
