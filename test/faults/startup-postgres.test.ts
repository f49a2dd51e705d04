import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { databaseUrl } from '../support/needs/database.ts';
import { createEmptyDatabase } from '../support/needs/own-database.ts';
import {
  endProcesses,
  logLines,
  printedUrl,
  type ServiceProcess,
  startCommand,
  startMain,
  temporaryFolder,
} from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';

describe('processes on PostgreSQL', { skip: databaseUrl === undefined && 'on PostgreSQL' }, () => {
  let own: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let client: pg.Client;
  let cwd: string;
  let env: Record<string, string>;

  before(async () => {
    assert.ok(databaseUrl);
    own = await createEmptyDatabase(databaseUrl);
    client = new pg.Client({ connectionString: own.url });
    await client.connect();
    cwd = await temporaryFolder();
    env = { MEMORY_DATABASE_URL: own.url, MEMORY_API_PORT: '0', MEMORY_API_HOST: '127.0.0.1' };
  });
  after(async () => {
    await endProcesses();
    await client.end();
    await own.drop();
  });

  const start = (main: string, more: Record<string, string> = {}) =>
    startMain(main, { cwd, env: { ...env, ...more } });
  const livingWorkers = async () => (await client.query('select from memory.worker')).rowCount;

  /** `start.ts` with both of its processes running. */
  async function startBoth() {
    const service = start('start.ts');
    const url = await printedUrl(service);
    await service.line(/"msg":"working"/);
    const pids = new Map(logLines(service).map((line) => [line['name'], Number(line['pid'])]));
    const [api, worker] = [pids.get('api'), pids.get('worker')];
    assert.ok(api && worker);
    return { service, url, api, worker };
  }

  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test('eight processes that start at once on an empty database all run, and one of them migrates', async () => {
    const mains = Array.from({ length: 4 }, () => ['api/main.ts', 'worker/main.ts']).flat();
    const all = mains.map((main) => start(main));
    await Promise.all(all.map((service) => service.line(/"msg":"(listening|working)"/)));
    const applied = all.flatMap((service) =>
      logLines(service).filter((line) => line['msg'] === 'the database was migrated'),
    );
    assert.equal(applied.length, 1);
    const files = globSync('db/migrations/*.sql', { cwd: ROOT }).length;
    const ledger = await client.query('select from memory.migration');
    assert.equal(ledger.rowCount, files);
    const principals = await client.query('select from identity.account');
    assert.equal(principals.rowCount, 1);
    assert.equal(await livingWorkers(), 4);
    for (const service of all) service.child.kill('SIGTERM');
    assert.deepEqual(
      await Promise.all(all.map((service) => service.exited)),
      mains.map(() => 0),
      all.flatMap((service) => service.stderr).join('\n'),
    );
    assert.deepEqual(
      all.flatMap((service) => [
        ...service.stderr,
        ...service.stdout.filter((line) => /"level":[56]0/.test(line)),
      ]),
      [],
    );
    assert.equal(await livingWorkers(), 0, 'each worker said that it stopped');
  });

  test('each start tells the command for the link of the Owner until there is a password, and SIGTERM ends both processes', async () => {
    const toldBy = (service: ServiceProcess) =>
      service.stdout.filter((line) => line.includes('owner-reset-link'));
    const alone = start('api/main.ts', { MEMORY_API_PUBLIC_URL: 'https://memory.example.com' });
    await alone.line(/has no password yet/);
    alone.child.kill('SIGTERM');
    await alone.exited;
    assert.equal(toldBy(alone).length, 1);
    assert.match(toldBy(alone)[0] ?? '', /owner-reset-link --url https:\/\/memory\.example\.com"/);

    const { service, url } = await startBoth();
    const command = ['owner-reset-link', '--url', url];
    await service.line(/^npm run -s cli -- /);
    assert.deepEqual(toldBy(service), [`npm run -s cli -- ${command.join(' ')}`]);
    assert.ok(!service.stdout.some((line) => line.includes('token=')), 'no link');
    // As the script `cli` runs it. No saved session can be found there.
    const client = startCommand(process.execPath, [join(ROOT, 'cli/main.ts'), ...command], {
      env: { HOME: cwd },
    });
    const [, token] = await client.line(/\/reset#token=(\S+)$/);
    const reset = await fetch(`${url}/v1/auth/reset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, newPassword: 'long password of an owner' }),
    });
    assert.ok(reset.ok, await reset.text());
    service.child.kill('SIGTERM');
    await service.exited;

    const later = await startBoth();
    assert.equal(new Set([later.api, later.worker, later.service.child.pid]).size, 3);
    later.service.child.kill('SIGTERM');
    assert.equal(await later.service.exited, 0, later.service.stderr.join('\n'));
    assert.deepEqual(toldBy(later.service), []);
    assert.ok(!isAlive(later.api) && !isAlive(later.worker));
    assert.equal(await livingWorkers(), 0);
  });

  for (const victim of ['api', 'worker'] as const) {
    test(`start.ts stops the other process and exits with 1 when the ${victim} is killed`, async () => {
      const { service, ...pids } = await startBoth();
      process.kill(pids[victim], 'SIGKILL');
      assert.equal(await service.exited, 1);
      assert.ok(!isAlive(pids.api) && !isAlive(pids.worker));
      // A worker that was drained removed its heartbeat; one that was killed could not.
      assert.equal(await livingWorkers(), victim === 'api' ? 0 : 1);
      await client.query('delete from memory.worker');
    });
  }

  test('API and worker stop when start.ts is killed', async () => {
    const { service, url } = await startBoth();
    service.child.kill('SIGKILL');
    // Its output ends only when the processes that inherited it have ended too.
    await service.exited;
    await assert.rejects(fetch(`${url}/livez`));
    assert.equal(await livingWorkers(), 0);
  });

  test('a wrong password or an unreachable server causes one line without the password', async () => {
    const wrong = new URL(own.url);
    wrong.password = 'SECRET-password';
    const nowhere = new URL(wrong.href);
    nowhere.port = '1';
    for (const [url, expected] of [
      [wrong.href, /password authentication failed/],
      [nowhere.href, /ECONNREFUSED/],
    ] as const) {
      for (const main of ['api/main.ts', 'worker/main.ts', 'start.ts']) {
        const service = start(main, { MEMORY_DATABASE_URL: url });
        assert.equal(await service.exited, 1);
        assert.match(service.stderr[0] ?? '', expected);
        // Both processes may report it, with the same line.
        assert.equal(new Set(service.stderr).size, 1, service.stderr.join('\n'));
        if (main !== 'start.ts') assert.equal(service.stderr.length, 1);
        assert.ok(![...service.stdout, ...service.stderr].join('\n').includes('SECRET'));
      }
    }
  });
});
