import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { parseAllDocuments } from 'yaml';
import { execFileSync, spawnSync } from '../support/needs/command.ts';
// Declares that this file uses the driver of PostgreSQL.
import '../support/needs/own-database.ts';
import { endProcesses, startCommand } from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';
import {
  endServers,
  freePort,
  listens,
  makeFolder,
  runInside,
  startInside,
  waitFor,
} from './servers/debian.ts';
import { allowChecks, makePrimaryCheck } from './servers/haproxy.ts';
import { PASSWORD, type PostgresServer, SERVICE_USER, startPostgres } from './servers/postgres.ts';
import { type Replica, startReplica } from './servers/replica.ts';

/*
 * The files of docs/operations/deploy, as far as a Debian can try them. There is no systemd that runs as the first process, and
 * no cluster of Kubernetes: their commands are run with the restrictions that the files name.
 */

const FILES = 'docs/operations/deploy';
const UNITS = globSync(`${FILES}/systemd/*.service`, { cwd: ROOT }).sort();
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;
const skip = !hasAnalyze && 'systemd-analyze is missing';
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The values of a setting of a unit, in its order. */
const valuesOf = (unit: string, name: string) =>
  unit
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));

let primary: PostgresServer;
let replica: Replica;
before(async () => {
  primary = await startPostgres();
  await primary.createDatabase('memory');
  replica = await startReplica(primary);
});
after(async () => {
  await endProcesses();
  await endServers();
});

/** A folder of every Debian that is empty, which a confined process sees as its own. */
const STATE = '/srv';

/** As the units and the pods confine it: another user, no rights, and a file system that it cannot write, except `STATE`. */
function startConfined(command: string, env: Record<string, string>) {
  const steps = [
    'mount --make-rprivate /',
    'mount --bind / /',
    'mount -o remount,ro,bind /',
    `mount -t tmpfs -o mode=1777 tmpfs ${STATE}`,
    `exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set=-all -- ${command}`,
  ];
  return startCommand('unshare', ['--mount', 'sh', '-ec', steps.join('\n')], {
    env: { ...env, TMPDIR: STATE },
  });
}

describe('the units of systemd', () => {
  for (const unit of UNITS) {
    test(`${basename(unit)} is valid`, { skip }, () => {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      assert.deepEqual([status, stderr], [0, '']);
    });

    test(`${basename(unit)} exposes little`, { skip }, () => {
      execFileSync('systemd-analyze', ['security', '--offline=yes', '--threshold=25', unit], { cwd: ROOT });
    });
  }

  test('each command runs as another user, without rights, on a file system that it cannot write', async () => {
    for (const file of UNITS) {
      const unit = read(file);
      const isEmbedded = file.endsWith('/team-memory.service');
      const [command = ''] = valuesOf(unit, 'ExecStart');
      const variables = valuesOf(unit, 'Environment').flatMap((line) =>
        line.split(' ').map((one) => one.split('=') as [string, string]),
      );
      const service = startConfined(command.replace('/usr/bin/node', process.execPath), {
        ...Object.fromEntries(
          variables.map(([name, value]) => [name, value.replace('/var/lib/team-memory', STATE)]),
        ),
        MEMORY_API_PORT: '0',
        MEMORY_API_HOST: '127.0.0.1',
        ...(isEmbedded ? {} : { MEMORY_DATABASE_URL: primary.url('memory') }),
      });
      const line = file.includes('worker')
        ? /"msg":"working"/
        : isEmbedded
          ? /^Team memory listens on /
          : /"msg":"listening"/;
      await service.line(line);
      const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8');
      assert.match(status, /^Uid:\t65534\t65534/m);
      assert.match(status, /^NoNewPrivs:\t1$/m);
      assert.match(status, /^CapBnd:\t0+$/m);
      service.child.kill('SIGTERM');
      assert.equal(await service.exited, 0, service.stderr.join('\n'));
      assert.deepEqual(service.stderr, []);
    }
  });
});

describe('the commands of the pods', () => {
  for (const name of ['api', 'worker']) {
    test(`${name} is a command that the units run as well`, () => {
      const [deployment] = parseAllDocuments(read(`${FILES}/kubernetes/${name}.yaml`), { merge: true });
      assert.ok(deployment);
      const { spec } = deployment.toJS() as {
        spec: { template: { spec: { containers: { command: string[] }[] } } };
      };
      const [command] = valuesOf(read(`${FILES}/systemd/team-memory-${name}.service`), 'ExecStart');
      const [program, main] = spec.template.spec.containers[0]?.command ?? [];
      assert.deepEqual([program, main], ['node', command?.split(' ').at(-1)]);
    });
  }
});

describe('HAProxy and PgBouncer', () => {
  const haproxy = read(`${FILES}/haproxy.cfg`);

  test('haproxy.cfg is valid as it is', async () => {
    const { path, inside } = await makeFolder('haproxy');
    await writeFile(join(path, 'haproxy.cfg'), haproxy, { mode: 0o644 });
    await runInside('haproxy', ['-c', '-f', `${inside}/haproxy.cfg`]);
  });

  test('HAProxy leaves out an API that is not ready, and PgBouncer finds the primary again after a promotion', async () => {
    await allowChecks(primary, replica);
    const apis = ['one', 'two', 'three'].map((name) => {
      const api = { name, isReady: true, port: 0, server: createServer() };
      api.server.on('request', ({ url }, response) => {
        response.statusCode = url === '/readyz' && !api.isReady ? 503 : 200;
        response.end(name);
      });
      return api;
    });
    for (const api of apis) {
      api.port = await freePort();
      await new Promise<void>((resolve) => api.server.listen(api.port, '127.0.0.1', resolve));
    }
    const [front, database, pooler] = [await freePort(), await freePort(), await freePort()];
    const ports = new Map([
      ['bind :8080', `bind 127.0.0.1:${front}`],
      ['bind 127.0.0.1:5432', `bind 127.0.0.1:${database}`],
      ['/etc/haproxy/check-primary.sh', await makePrimaryCheck()],
      ['10.0.0.21:5432', `127.0.0.1:${primary.port}`],
      ['10.0.0.22:5432', `127.0.0.1:${replica.port}`],
      ...apis.map((api, i) => [`10.0.0.1${i + 1}:8787`, `127.0.0.1:${api.port}`] as const),
    ]);
    let config = haproxy;
    for (const [from, to] of ports) config = config.replace(from, to);
    assert.doesNotMatch(config, /10\.0\.0\./);
    const { path, inside } = await makeFolder('haproxy');
    await writeFile(join(path, 'haproxy.cfg'), config, { mode: 0o644 });
    const proxy = startInside('haproxy', ['-db', '-f', `${inside}/haproxy.cfg`]);
    await waitFor(() => listens(front), proxy);

    const answers = async () => {
      const texts = await Promise.all(
        Array.from({ length: 12 }, async () => (await fetch(`http://127.0.0.1:${front}/`)).text()),
      );
      return [...new Set(texts)].sort();
    };
    await waitFor(async () => (await answers()).length === 3, proxy);
    for (const api of apis) api.isReady = api.name === 'two';
    await waitFor(async () => (await answers()).join() === 'two', proxy);

    const bouncer = await makeFolder('pgbouncer');
    const ini = read(`${FILES}/pgbouncer.ini`)
      .replace('listen_port = 6432', `listen_port = ${pooler}`)
      .replace('port=5432', `port=${database}`)
      .replace('/etc/pgbouncer/userlist.txt', `${bouncer.inside}/userlist.txt`);
    await writeFile(join(bouncer.path, 'userlist.txt'), `"${SERVICE_USER}" "${PASSWORD}"\n`, { mode: 0o644 });
    await writeFile(join(bouncer.path, 'pgbouncer.ini'), ini, { mode: 0o644 });
    const pool = startInside('pgbouncer', [`${bouncer.inside}/pgbouncer.ini`]);
    await waitFor(() => listens(pooler), pool);
    const recovery = async (statement: string) => {
      const client = new pg.Client({
        connectionString: primary.url('memory').replace(`:${primary.port}/`, `:${pooler}/`),
      });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(statement)).rows[0];
      } finally {
        await client.end();
      }
    };
    const port = async () => (await recovery(`select current_setting('port') as port`))?.['port'];
    await waitFor(async () => (await port()) === String(primary.port), pool);
    await primary.crash();
    await replica.promote();
    await waitFor(async () => (await port()) === String(replica.port), pool);
    await recovery('create table written (at timestamptz default now())');
    for (const api of apis) api.server.close();
  });
});

describe('TLS of a hosted PostgreSQL', () => {
  test('sslmode decides whether a certificate is checked', async () => {
    const server = await startPostgres();
    const { path, inside } = await makeFolder('certificate');
    await mkdir(path, { recursive: true });
    const files = [join(path, 'server.key'), join(path, 'server.crt')] as const;
    const request =
      'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
    execFileSync('openssl', [...request.split(' '), '-keyout', files[0], '-out', files[1]], {
      stdio: 'ignore',
    });
    execFileSync('chown', [`--reference=${path}`, ...files]);
    await chmod(files[0], 0o600);
    for (const [name, value] of [
      ['ssl_cert_file', `${inside}/server.crt`],
      ['ssl_key_file', `${inside}/server.key`],
      ['ssl', 'on'],
    ]) {
      await server.query(`alter system set ${name} = '${value}'`);
    }
    await server.query('select pg_reload_conf()');
    const connect = async (parameters: string) => {
      const client = new pg.Client({ connectionString: `${server.url('postgres')}?${parameters}` });
      client.on('error', () => undefined);
      try {
        await client.connect();
        const { rows } = await client.query<{ ssl: boolean }>(
          'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
        );
        return rows[0]?.ssl;
      } catch (error) {
        return (error as { code?: string }).code;
      } finally {
        await client.end().catch(() => undefined);
      }
    };
    await waitFor(async () => (await connect('sslmode=no-verify')) === true);
    const results: Record<string, unknown> = {};
    for (const mode of ['disable', 'require', 'verify-full', `verify-full&sslrootcert=${files[1]}`]) {
      results[mode.replace(path, '…')] = await connect(`sslmode=${mode}`);
    }
    assert.deepEqual(results, {
      disable: false,
      require: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      'verify-full': 'DEPTH_ZERO_SELF_SIGNED_CERT',
      'verify-full&sslrootcert=…/server.crt': true,
    });
  });
});
