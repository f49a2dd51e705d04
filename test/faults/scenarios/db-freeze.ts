import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { childrenOf, signalAll } from '../../support/process-table.ts';
import { startSystem } from '../load/system.ts';
import { faultUnderLoad } from '../load/under-load.ts';
import { type Scenario, Skipped } from '../scenario.ts';

const FROZEN_MS = 20_000;

/** The main process of the server, which is the parent of the process behind each connection. */
async function mainProcess(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const status = await readFile(`/proc/${rows[0]?.pid}/status`, 'utf8');
    return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
  } finally {
    await client.end();
  }
}

export const dbFreeze: Scenario = {
  name: 'db-freeze',
  summary: 'stops every process of the database server for 20 s; requests end within 12 s, nothing is lost',
  limitSeconds: 240,
  run: async (context, findings) => {
    if (context.crashPostgres === null) {
      throw new Skipped('the server of MEMORY_TEST_DATABASE_URL is not frozen');
    }
    const system = await startSystem(context);
    const server = await mainProcess(system.databaseUrl);
    await faultUnderLoad(context, findings, system, async () => {
      // The main process first: from then on there are no new ones.
      signalAll([server], 'SIGSTOP');
      const all = [...childrenOf(server), server];
      context.defer(() => signalAll(all, 'SIGCONT'));
      signalAll(all, 'SIGSTOP');
      try {
        await sleep(FROZEN_MS, undefined, { signal: context.signal });
      } finally {
        signalAll(all, 'SIGCONT');
      }
    });
  },
};
