import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { send } from '../faults/load/client.ts';
import { endProcesses } from '../support/needs/process.ts';
import { childrenOf, signalAll } from '../support/process-table.ts';
import { type RunningApi, startApi } from './processes.ts';
import { isReplicaUsable, METRICS_TOKEN, readsOn } from './replica-metrics.ts';
import { endServers, waitFor } from './servers/debian.ts';
import { type PostgresServer, startPostgres } from './servers/postgres.ts';
import { type Replica, startReplica } from './servers/replica.ts';

after(endServers);
after(endProcesses);

describe('a replica that is read', () => {
  let primary: PostgresServer;
  let replica: Replica;
  let api: RunningApi;

  before(async () => {
    primary = await startPostgres();
    await primary.createDatabase('service');
    replica = await startReplica(primary);
    const env = {
      MEMORY_DATABASE_URL: primary.url('service'),
      MEMORY_DATABASE_REPLICA_URL: replica.url('service'),
      MEMORY_METRICS_TOKEN: METRICS_TOKEN,
    };
    api = await startApi(env, new AbortController().signal);
    await waitFor(() => isReplicaUsable(api));
  });

  const list = () => send(api.url, { method: 'GET', path: '/v1/memory/sources' }, 12_000);

  test('and hangs: reads that it does not answer are answered by the primary, until it goes on', async (t) => {
    const before = await readsOn(api);
    const { pid } = replica.server();
    const all = [pid, ...childrenOf(pid)];
    t.after(() => signalAll(all, 'SIGCONT'));
    signalAll(all, 'SIGSTOP');
    const statuses = await Promise.all([list(), list(), list()].map(async (each) => (await each).status));
    assert.deepEqual(statuses, [200, 200, 200]);
    await waitFor(async () => !(await isReplicaUsable(api)));
    assert.equal((await list()).status, 200);
    const hung = await readsOn(api);
    assert.deepEqual(hung, { ...before, primary: before.primary + 4 });
    signalAll(all, 'SIGCONT');
    await waitFor(() => isReplicaUsable(api));
    assert.equal((await list()).status, 200);
    assert.deepEqual(await readsOn(api), { ...hung, replica: hung.replica + 1 });
  });
});
