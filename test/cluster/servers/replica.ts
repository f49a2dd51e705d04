import { makeFolder, runInside, waitFor } from './debian.ts';
import { PASSWORD, type PostgresServer, SUPERUSER, serverIn } from './postgres.ts';

/** A streaming replica of a primary. */
export interface Replica extends PostgresServer {
  /** Makes it a primary, on a new timeline, and waits until it takes writes. */
  promote(): Promise<void>;
}

export interface ReplicaOptions {
  /** Its name, by which a primary knows it as synchronous. */
  name?: string;
  /** Whether the primary acknowledges a commit only when this replica has it. */
  isSynchronous?: boolean;
}

/** Copies a primary and starts the copy as its replica. */
export async function startReplica(
  primary: PostgresServer,
  { name = 'replica', isSynchronous = false }: ReplicaOptions = {},
): Promise<Replica> {
  const folder = await makeFolder(name);
  await runInside(
    'pg_basebackup',
    `-D ${folder.inside}/data -h 127.0.0.1 -p ${primary.port} -U ${SUPERUSER} --checkpoint=fast --wal-method=stream --no-sync --write-recovery-conf`.split(
      ' ',
    ),
    { PGPASSWORD: PASSWORD },
  );
  const source = `host=127.0.0.1 port=${primary.port} user=${SUPERUSER} password=${PASSWORD} application_name=${name}`;
  // The file of the primary is copied with its settings. A promoted replica must not wait for a replica of its own.
  const replica = await serverIn(folder, { primary_conninfo: source, synchronous_standby_names: '' });
  await replica.start();
  const state = async () =>
    (
      await primary.query(`select sync_state from pg_stat_replication where application_name = '${name}'`)
    )[0]?.['sync_state'];
  await waitFor(async () => (await state()) !== undefined, replica.server());
  if (isSynchronous) {
    await primary.query(`alter system set synchronous_standby_names = '${name}'`);
    await primary.query('select pg_reload_conf()');
    await waitFor(async () => (await state()) === 'sync', replica.server());
  }
  return {
    ...replica,
    promote: async () => {
      await replica.query('select pg_promote(wait => true)');
    },
  };
}
