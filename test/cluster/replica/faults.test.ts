import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endProcesses } from '../../support/needs/process.ts';
import { type RunningApi, startApi } from '../processes.ts';
import { endServers, waitFor } from '../servers/debian.ts';
import {
  PASSWORD,
  type PostgresServer,
  SERVICE_USER,
  signalServer,
  startPostgres,
} from '../servers/postgres.ts';
import { type Replica, startReplica } from '../servers/replica.ts';
import { isReplicaUsable, METRICS_TOKEN, readsBy, readsOn } from './metrics.ts';

after(endServers);
after(endProcesses);

describe('a replica that is read', () => {
  let primary: PostgresServer;
  /** Becomes the primary. */
  let next: Replica;
  let replica: Replica;
  let api: RunningApi;

  before(async () => {
    primary = await startPostgres();
    await primary.createDatabase('service');
    next = await startReplica(primary, { name: 'next' });
    replica = await startReplica(primary, { name: 'read' });
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${next.port}`;
    const env = {
      MEMORY_DATABASE_URL: `postgres://${SERVICE_USER}:${PASSWORD}@${hosts}/service`,
      MEMORY_DATABASE_REPLICA_URL: replica.url('service'),
      // So a replica of a primary that was replaced does not lag too long, and only its history tells.
      MEMORY_REPLICA_MAX_LAG_MS: '600000',
      MEMORY_METRICS_TOKEN: METRICS_TOKEN,
    };
    api = await startApi(env, new AbortController().signal);
    await waitFor(() => isReplicaUsable(api));
  });

  const list = async () => (await api.owner.ask.listSources()).statusCode;
  const write = async (title: string) =>
    (await api.owner.ask.ingestSource({ title, text: title })).statusCode;

  test('and hangs: reads that it does not answer are answered by the primary, until it goes on', async (t) => {
    const before = await readsOn(api);
    t.after(() => signalServer(replica, 'SIGCONT'));
    signalServer(replica, 'SIGSTOP');
    const statuses = await Promise.all([list(), list(), list()]);
    assert.deepEqual(statuses, [200, 200, 200]);
    await waitFor(async () => !(await isReplicaUsable(api)));
    assert.equal(await list(), 200);
    const hung = await readsOn(api);
    assert.deepEqual(hung, { ...before, primary: before.primary + 4 });
    signalServer(replica, 'SIGCONT');
    await waitFor(() => isReplicaUsable(api));
    assert.equal(await list(), 200);
    assert.deepEqual(await readsOn(api), { ...hung, replica: hung.replica + 1 });
  });

  test('and follows a primary that was replaced: it is not read until it follows the new one', async () => {
    await primary.crash();
    await next.promote();
    const before = await readsBy(api);
    await waitFor(async () => (await write('after the promotion')) === 201);
    await waitFor(async () => !(await isReplicaUsable(api)));
    const [checkpoint] = await next.query('select timeline_id from pg_control_checkpoint()');
    assert.deepEqual(checkpoint, { timeline_id: 1 }, 'the new primary has not written a checkpoint');
    assert.equal(await list(), 200);
    const { replica: onReplica, wrong_server } = await readsBy(api);
    assert.deepEqual([onReplica, wrong_server], [before.replica, 1]);

    await next.query(`grant pg_read_all_stats to ${SERVICE_USER}`);
    const source = `host=127.0.0.1 port=${next.port} user=admin password=${PASSWORD} application_name=read`;
    await replica.query(`alter system set primary_conninfo = '${source}'`);
    await replica.query('select pg_reload_conf()');
    await waitFor(() => isReplicaUsable(api));
    const [restartpoint] = await replica.query('select timeline_id from pg_control_checkpoint()');
    assert.deepEqual(restartpoint, { timeline_id: 1 }, 'the replica has had no restart point');
  });

  test('and does not show the service what it receives: it is read after its next restart point', async () => {
    await next.query(`revoke pg_read_all_stats from ${SERVICE_USER}`);
    await next.query('checkpoint');
    await waitFor(async () => {
      await replica.query('checkpoint');
      const [restartpoint] = await replica.query('select timeline_id from pg_control_checkpoint()');
      return restartpoint?.['timeline_id'] === 2;
    });
    const [seen] = await replica.query(
      `select pg_has_role('${SERVICE_USER}', 'pg_read_all_stats', 'usage') as sees`,
    );
    assert.deepEqual(seen, { sees: false });
    const before = await readsOn(api);
    await waitFor(async () => (await list()) === 200 && (await readsOn(api)).replica > before.replica);
    await waitFor(() => isReplicaUsable(api));
  });
});
