import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { endProcesses, startMain } from '../support/needs/process.ts';
import { complaints, startApi, startWorker } from './processes.ts';
import { endServers } from './servers/debian.ts';
import { startPostgres } from './servers/postgres.ts';

after(endServers);
after(endProcesses);

const TOO_FEW = /the database accepts fewer connections/;
const PROCESSES_OF_EACH_KIND = 5;
/** The number of docs/operations/scale.md for ten processes on a server as installed, which accepts 97. */
const POOL = 9;
const CLIENTS = 8;

describe('the connections of a deployment', () => {
  test('ten processes that all work have enough on a server as installed', async (t) => {
    const server = await startPostgres({ max_connections: '100' });
    await server.createDatabase('service');
    const env = {
      MEMORY_DATABASE_URL: server.url('service'),
      MEMORY_DATABASE_POOL: String(POOL),
      MEMORY_RATE_LIMITS: 'off',
    };
    const apis = [];
    const workers = [];
    for (let count = 0; count < PROCESSES_OF_EACH_KIND; count += 1) {
      apis.push(await startApi(env, t.signal));
      workers.push(await startWorker(env));
    }
    // More clients at once than each process has connections.
    const answers = await Promise.all(
      apis.flatMap(({ owner }, api) =>
        Array.from({ length: CLIENTS }, async (_, index) => {
          const [title, filename] = [`text ${api} ${index}`, `file ${api} ${index}.txt`];
          return [
            await owner.ask.ingestSource({ title, text: title }),
            await owner.ask.importFiles({ items: [{ filename, text: filename }] }),
            await owner.ask.listSources(),
          ];
        }),
      ),
    );
    const refused = answers.flat().filter(({ statusCode }) => statusCode >= 400);
    assert.deepEqual(
      refused.map(({ statusCode, body }) => [statusCode, body]),
      [],
    );
    for (const process of [...apis.map(({ process: api }) => api), ...workers]) {
      const about = complaints(process).filter((line) => !line.includes('MEMORY_RATE_LIMITS'));
      assert.deepEqual(about, []);
    }
    const [most] = await server.query(
      `select count(*)::int as open from pg_stat_activity where usename = 'memory'`,
    );
    assert.ok(Number(most?.['open']) <= 2 * PROCESSES_OF_EACH_KIND * POOL, JSON.stringify(most));
  });

  test('a start warns if the server has fewer left than the process can open', async () => {
    const server = await startPostgres({ max_connections: '18', max_wal_senders: '0' });
    await server.createDatabase('service');
    const env = {
      MEMORY_DATABASE_URL: server.url('service'),
      MEMORY_API_PORT: '0',
      MEMORY_API_HOST: '127.0.0.1',
    };
    const start = async (pool: string) => {
      const api = startMain('api/main.ts', { env: { ...env, MEMORY_DATABASE_POOL: pool } });
      await api.line(/"msg":"listening"/);
      await api.kill9();
      return complaints(api);
    };
    assert.match((await start('16')).join('\n'), TOO_FEW);
    assert.doesNotMatch((await start('4')).join('\n'), TOO_FEW);
  });
});
