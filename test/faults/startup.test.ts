import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { databaseUrl } from '../support/needs/database.ts';
import {
  API_TOKEN,
  endProcesses,
  freePorts,
  logLines,
  printedUrl,
  type ServiceProcess,
  startCommand,
  startMain,
  temporaryFolder,
} from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';

const embedded = { skip: databaseUrl !== undefined && 'on the embedded database' };

after(endProcesses);

/** Expects a start-up that fails, and returns its lines on standard error. */
async function refusal(service: ServiceProcess): Promise<string[]> {
  assert.equal(await service.exited, 1, [...service.stdout, ...service.stderr].join('\n'));
  return service.stderr;
}

/** The warnings in the log. */
const warningsOf = (service: ServiceProcess) =>
  logLines(service).flatMap((line) => (line['level'] === 40 ? [String(line['msg'])] : []));

describe('what npm start requires', embedded, () => {
  /** Runs what `npm start` runs first, with statements before it. */
  const check = (file: string, before = '') =>
    refusal(startCommand(process.execPath, ['-e', `${before}require(${JSON.stringify(file)})`]));

  test('an older Node exits with 1 and one line that says what to do', async () => {
    const older = "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });";
    const lines = await check(join(ROOT, 'require-node.cjs'), older);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /requires Node 24, not 20\.20\.2: install Node 24, or run "npm ci"/);
  });

  test('a folder without packages exits with 1 and one line that says what to do', async () => {
    const file = join(await temporaryFolder(), 'require-node.cjs');
    await copyFile(join(ROOT, 'require-node.cjs'), file);
    assert.deepEqual(await check(file), ['The packages of the service are not installed: run "npm ci"']);
  });
});

const ALL = ['start.ts', 'api/main.ts', 'worker/main.ts'];

/** What a start is refused for: by which processes, with which settings, and what each line on standard error says. */
const REFUSED: Record<string, [mains: string[], env: Record<string, string>, lines: RegExp[]]> = {
  'no token': [ALL, { MEMORY_API_TOKEN: '  ' }, [/^MEMORY_API_TOKEN: expected /]],
  'no database of processes that share one': [
    ALL.slice(1),
    { MEMORY_DATABASE_URL: '' },
    [/^MEMORY_DATABASE_URL: expected /],
  ],
  'invalid settings': [
    ['start.ts'],
    { MEMORY_API_TOKEN: 'two words of SECRET', MEMORY_DATABASE_URL: 'mysql://user:SECRET@host/database' },
    [/^MEMORY_API_TOKEN: expected /, /^MEMORY_DATABASE_URL: expected /],
  ],
  'a folder that cannot be written': [
    ['start.ts'],
    { MEMORY_DATA_DIR: '/proc/data', MEMORY_API_PORT: '0' },
    [/^MEMORY_DATA_DIR: user \d+ cannot create anything in \/proc: /],
  ],
};

describe('a start is refused with exit code 1 and one line for each fault, without values:', embedded, () => {
  for (const [what, [mains, env, expected]] of Object.entries(REFUSED)) {
    test(what, async () => {
      for (const main of mains) {
        const service = startMain(main, { cwd: await temporaryFolder(), env });
        const lines = await refusal(service);
        assert.equal(lines.length, expected.length, lines.join('\n'));
        for (const [index, line] of expected.entries()) assert.match(lines[index] ?? '', line);
        assert.ok(![...lines, ...service.stdout].join('\n').includes('SECRET'));
      }
    });
  }

  test('a file .env that cannot be read', async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, '.env'));
    for (const main of ALL) {
      const lines = await refusal(startMain(main, { cwd }));
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', /^\.env: user \d+ cannot read \S+\.env \(\w+\): /);
    }
  });
});

describe('--check', embedded, () => {
  test('prints a line for each check, exits with 0 or 1, and starts nothing', async () => {
    const cwd = await temporaryFolder();
    const run = async (main: string, env: Record<string, string>) => {
      const command = startCommand(process.execPath, [join(ROOT, main), '--check'], { cwd, env });
      const code = await command.exited;
      return [code, ...command.stdout, ...command.stderr];
    };
    const [port] = await freePorts(1);
    const ownPort = { MEMORY_RATE_LIMITS: 'on', MEMORY_API_PORT: String(port) };
    const [code, settings, database, address, ...others] = await run('start.ts', ownPort);
    assert.equal(code, 0);
    assert.match(String(settings), /^ok {7}settings {5}all are valid$/);
    assert.match(String(database), /^ok {7}database {5}embedded in \.data; /);
    assert.equal(address, `ok       address      127.0.0.1:${port} is free`);
    assert.deepEqual(others, []);

    const [refused, line, ...more] = await run('start.ts', { MEMORY_API_PORT: 'SECRET' });
    assert.deepEqual([refused, more], [1, []]);
    assert.match(String(line), /^failed {3}settings {5}MEMORY_API_PORT: (?!.*SECRET)/);
    assert.deepEqual(await readdir(cwd), []);
  });
});

describe('start.ts in an empty folder on the embedded database', embedded, () => {
  let cwd: string;
  let service: ServiceProcess;
  let url: string;
  let port: number;
  let platformPort: number;

  before(async () => {
    [port = 0, platformPort = 0] = await freePorts(2);
    cwd = await temporaryFolder();
    // The environment takes precedence over the file, and the file over the defaults.
    await writeFile(
      join(cwd, '.env'),
      `PORT=${platformPort}\nMEMORY_TEAM_NAME=From the file\nMEMORY_COMPANY_NAME=From the file\n`,
    );
    service = startMain('start.ts', {
      cwd,
      env: {
        MEMORY_API_TOKEN: 'short-token',
        MEMORY_RATE_LIMITS: 'on',
        MEMORY_API_PORT: String(port),
        MEMORY_COMPANY_NAME: 'From the environment',
        MEMORY_API_PROT: 'SECRET',
        MEMORY_DATABASE_URL: '',
      },
    });
    url = await printedUrl(service);
    await service.line(/#token=/);
  });

  test('prints its address, one link that sets the password, and what a person needs', async () => {
    assert.equal(url, `http://127.0.0.1:${port}`, 'MEMORY_API_PORT before PORT');
    await service.line(/^Ctrl-C /);
    const printed = service.stdout.filter((line) => !line.startsWith('{'));
    assert.match(
      printed.join('\n'),
      /^Team memory listens on \S+\nThe console, for browsers: \S+\/\nTo set the password of \S+, .*:\n\S+\nData is stored in \S+\.data\.\nSearch by meaning is off: .*\nCtrl-C stops the service\.$/,
    );
    const asked = await fetch(`${url}/v1/health`);
    assert.equal(asked.status, 200);
    assert.equal(((await asked.json()) as { backend: string }).backend, 'pglite');
    const links = service.stdout.filter((line) => line.includes('token='));
    assert.equal(links.length, 1);
    assert.match(links[0] ?? '', new RegExp(`^${url}/reset#token=[\\w-]{43,}$`));
    assert.ok(logLines(service).length > 0, 'there is a log');
    assert.equal(service.stderr.length, 0, service.stderr.join('\n'));
  });

  test('accepts a short MEMORY_API_TOKEN with a warning and reads unset variables from .env', async () => {
    const answer = await fetch(`${url}/v1/auth/session`, {
      headers: { authorization: 'Bearer short-token' },
    });
    assert.equal(answer.status, 200);
    const session = (await answer.json()) as { company: { name: string }; teams: { name: string }[] };
    assert.equal(session.company.name, 'From the environment');
    assert.deepEqual(
      session.teams.map((team) => team.name),
      ['From the file'],
    );
    assert.match(
      warningsOf(service).join('\n'),
      /^MEMORY_API_TOKEN .*\nMEMORY_API_PROT .*MEMORY_API_PORT\?$/,
    );
    assert.ok(!service.stdout.some((line) => /short-token|SECRET/.test(line)));
  });

  test('a second start on the same folder is refused with one line, and the first continues', async () => {
    const lines = await refusal(startMain('start.ts', { cwd, env: { MEMORY_API_PORT: '0' } }));
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0] ?? '', /^\.data is in use by another process/);
    assert.equal((await fetch(`${url}/v1/health`)).status, 200);
  });

  test('SIGTERM completes a running request, refuses new ones and exits with 0', async () => {
    const body = JSON.stringify({ title: 'A note', text: 'Written while the service was told to stop.' });
    const sent = request(`${url}/v1/memory/ingest`, {
      method: 'POST',
      // As with a load balancer: the connection stays open for as long as the service allows.
      agent: new Agent({ keepAlive: true }),
      headers: {
        authorization: 'Bearer short-token',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        expect: '100-continue',
      },
    });
    const answered = once(sent, 'response');
    sent.flushHeaders();
    // The service sends it when it has read the head and has started the request.
    await once(sent, 'continue');
    service.child.kill('SIGTERM');
    const isOpen = () =>
      fetch(`${url}/livez`, { headers: { connection: 'close' } }).then(
        ({ status }) => status !== 503,
        () => false,
      );
    while (await isOpen());
    sent.end(body);
    const [response] = (await answered) as [IncomingMessage];
    response.resume();
    assert.equal(response.statusCode, 201);
    assert.equal(await service.exited, 0, service.stderr.join('\n'));
  });

  test('a port in use exits with 1 and one line that names the variable, and creates no files', async () => {
    const other = createServer().listen(platformPort, '127.0.0.1');
    try {
      const empty = await temporaryFolder();
      const env = { PORT: String(platformPort) };
      for (const folder of [cwd, empty]) {
        const began = await refusal(startMain('start.ts', { cwd: folder, env }));
        assert.equal(began.length, 1, began.join('\n'));
        assert.match(
          began[0] ?? '',
          new RegExp(`^MEMORY_API_PORT: 127\\.0\\.0\\.1:${platformPort} is in use; `),
        );
      }
      assert.deepEqual(await readdir(empty), []);
    } finally {
      other.close();
    }
  });

  test('the next start uses PORT when MEMORY_API_PORT is not set and has all stored data', async () => {
    const env = {
      MEMORY_RATE_LIMITS: 'on',
      // The first start would refuse it.
      MEMORY_COMPANY_NAME: '\u3164',
      MEMORY_OWNER_EMAIL: 'owner@localhost',
      MEMORY_EMBEDDING_MODEL: 'some/model',
    };
    const next = startMain('start.ts', { cwd, env });
    const nextUrl = await printedUrl(next);
    assert.equal(nextUrl, `http://127.0.0.1:${platformPort}`);
    const found = await fetch(`${nextUrl}/v1/memory/status`, {
      headers: { authorization: `Bearer ${API_TOKEN}` },
    });
    const status = (await found.json()) as { sources: { active: number }; workers: unknown[] };
    assert.equal(status.sources.active, 1);
    assert.equal(status.workers.length, 1, 'the first one said that it stopped');
    // The name of the Team is that of the first start, and so is the email of the Owner.
    const [model, company, ...others] = warningsOf(next);
    assert.match(
      String(model),
      /^the embedding model is some\/model and was Xenova\/bge-m3: 1 of 1 chunks wait /,
    );
    assert.match(String(company), /^MEMORY_COMPANY_NAME is ignored: /);
    assert.deepEqual(others, []);
    next.child.kill('SIGINT');
    assert.equal(await next.exited, 0);
  });
});

describe('npm start', () => {
  test('forwards SIGTERM and ends after the service has stopped', async () => {
    const dataDir = await temporaryFolder();
    const env = { MEMORY_DATA_DIR: dataDir, MEMORY_API_PORT: '0', MEMORY_DATABASE_URL: databaseUrl ?? '' };
    const service = startCommand('npm', ['start'], { env });
    const url = await printedUrl(service);
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.stderr.join('\n'));
    await assert.rejects(fetch(`${url}/livez`), 'no process is left behind');
  });
});
