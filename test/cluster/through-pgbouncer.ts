import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { ROOT } from '../support/root.ts';
import { THROUGH_API } from '../support/runner/tiers.ts';
import { endServers } from './servers/debian.ts';
import { startPgBouncer } from './servers/pgbouncer.ts';
import { SUPERUSER, startPostgres } from './servers/postgres.ts';

/*
 * `npm run test:pgbouncer`: the tests of the API, or the files that are named, on PostgreSQL behind PgBouncer as Debian
 * packages it, in transaction mode.
 *
 *   node test/cluster/through-pgbouncer.ts [FILE...]
 */

/** What a caller is served with. Tests of the database itself need sessions of their own. */
const API_FILES = `${THROUGH_API}/*.test.ts`;

const named = process.argv.slice(2);
const files = named.length > 0 ? named : globSync(API_FILES, { cwd: ROOT }).sort();
try {
  const server = await startPostgres({ shared_buffers: '256MB', max_connections: '300' });
  // Many services run at once here, each with the connections of a process.
  const clients = { max_client_conn: '2000' };
  const pooler = await startPgBouncer(`host=127.0.0.1 port=${server.port}`, clients);
  const run = spawn(process.execPath, ['test/support/runner/run.ts', 'postgres', ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, MEMORY_TEST_DATABASE_URL: pooler.url('postgres', SUPERUSER) },
  });
  const [code] = (await once(run, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await endServers();
}
