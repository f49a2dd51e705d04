import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseDuration } from '../../api/operator/duration.ts';
import { newId } from '../../shared/ids.ts';
import { API_TOKEN, openTestApp } from '../support/app.ts';
import { addAccount, linkToken, useLink } from '../support/sign-in.ts';

const OPERATOR = fileURLToPath(new URL('../../api/operator.ts', import.meta.url));
const service = await openTestApp();
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const folder = await mkdtemp(join(tmpdir(), 'operator-test-'));
after(() => rm(folder, { recursive: true }));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Where the runner gathers what was covered; nothing else is passed on. */
const coverage = process.env['NODE_V8_COVERAGE'];

/** Runs the command line in an empty folder, with the environment given and no other. */
function operator(args: string[], given: Record<string, string> = {}): Promise<Ended> {
  const env = coverage === undefined ? given : { ...given, NODE_V8_COVERAGE: coverage };
  return new Promise((resolve) => {
    execFile(process.execPath, [OPERATOR, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** A failure: one line on standard error, nothing on standard output. */
function assertRefused(ended: Ended, reason: RegExp): void {
  assert.deepEqual([ended.code, ended.stdout], [1, '']);
  assert.match(ended.stderr, /^operator: [^\n]+\n$/);
  assert.match(ended.stderr, reason);
}

describe('operator owner-reset-link', () => {
  test('prints a link for the caller, which works, and when it ends', async () => {
    const company = await service.company();
    const ended = await operator(['owner-reset-link', '--url', base], { MEMORY_API_TOKEN: company.token });
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    const [url = '', until, ...more] = ended.stdout.split('\n');
    assert.ok(url.startsWith(`${base}/reset#token=`), url);
    assert.match(String(until), /^valid once, until \d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.deepEqual(more, ['']);
    const answer = await useLink(service, linkToken(url), 'a password of this test');
    assert.equal(answer.json<{ user: { id: string } }>().user.id, company.ownerId);
  });

  test('takes Team, email, base address and duration', async () => {
    const company = await service.company();
    const other = {
      userId: newId(),
      email: `other-${newId()}@example.com`,
      role: 'member',
      teamRole: 'owner',
    };
    await addAccount(service, company, other);
    const options = ['--team', company.teamId, '--email', other.email];
    const ended = await operator(
      ['owner-reset-link', ...options, '--base-url', 'https://memory.example.com', '--ttl', '15m'],
      { MEMORY_API_TOKEN: company.token, MEMORY_API_PUBLIC_URL: base },
    );
    const [url = '', until = ''] = ended.stdout.split('\n');
    assert.ok(url.startsWith('https://memory.example.com/reset#token='), ended.stderr);
    const minutes = (Date.parse(until.replace('valid once, until ', '')) - Date.now()) / 60_000;
    assert.ok(minutes > 13 && minutes <= 15.1, `${minutes} minutes`);
    const answer = await useLink(service, linkToken(url), 'a password of this test');
    assert.equal(answer.json<{ user: { id: string } }>().user.id, other.userId);
  });

  test('reads the token from .env, finds the port as the service does, and acts as the principal', async () => {
    const file = join(folder, '.env');
    await writeFile(file, `MEMORY_API_TOKEN=${API_TOKEN}\n`);
    const ended = await operator(['owner-reset-link'], { MEMORY_API_PORT: new URL(base).port, PORT: '1' });
    await rm(file);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /\/reset#token=/);
  });

  test('says in one line what is wrong, without the token', async () => {
    const env = { MEMORY_API_TOKEN: API_TOKEN };
    const run = (...args: string[]) => operator(['owner-reset-link', '--url', base, ...args], env);
    assertRefused(await run('--email', `nobody-${newId()}@example.com`), /not_found/);
    assertRefused(await run('--base-url', 'ftp://example.com'), /invalid_request: .*baseUrl/);
    assertRefused(await run('--ttl', 'soon'), /--ttl: expected/);
    assertRefused(await run('--ttl', '2d'), /--ttl: expected/);
    assertRefused(await run('--colour'), /Unknown option '--colour'/);
    assertRefused(await run('more'), /more/);
    assertRefused(await operator(['owner-reset-link', '--url', base]), /MEMORY_API_TOKEN/);
    assertRefused(await operator(['owner-reset-link', '--url', 'example'], env), /--url: expected/);
    const wrong = await operator(['owner-reset-link', '--url', base], {
      MEMORY_API_TOKEN: 'wrong-of-this-test',
    });
    assertRefused(wrong, /unauthenticated/);
    assert.ok(!wrong.stderr.includes('wrong-of-this-test'));
  });

  test('tells a service that is not there, that is another, or that has moved', async () => {
    const env = { MEMORY_API_TOKEN: API_TOKEN };
    const asked: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      asked.push(request.url);
      if (request.url?.startsWith('/moved'))
        response.writeHead(308, { location: 'https://new.example.com/' });
      response.end('<p>hello</p>');
    });
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    assertRefused(await operator(['owner-reset-link', '--url', address], env), /not as this service does/);
    assertRefused(
      await operator(['owner-reset-link', '--url', `${address}/moved`], env),
      /new\.example\.com/,
    );
    assert.deepEqual(asked, ['/v1/auth/session', '/moved/v1/auth/session']);
    await new Promise((closed) => other.close(closed));
    assertRefused(
      await operator(['owner-reset-link', '--url', address], env),
      /cannot be reached.*ECONNREFUSED/,
    );
  });
});

describe('operator', () => {
  test('explains itself and its commands, without a token', async () => {
    const help = await operator(['--help']);
    assert.deepEqual([help.code, help.stderr], [0, '']);
    assert.match(help.stdout, /owner-reset-link/);
    const command = await operator(['owner-reset-link', '--help']);
    assert.equal(command.code, 0);
    for (const option of ['--team', '--email', '--base-url', '--ttl', '--url', 'MEMORY_API_TOKEN']) {
      assert.ok(command.stdout.includes(option), option);
    }
  });

  test('refuses no command and one it does not have', async () => {
    assertRefused(await operator([]), /--help/);
    assertRefused(await operator(['owner-reset-lnk']), /no command "owner-reset-lnk"/);
    assertRefused(await operator(['constructor']), /no command/);
  });

  test('reads durations in seconds, minutes, hours and days', () => {
    assert.deepEqual(['90', '90s', '15m', '1h', '2d'].map(parseDuration), [90, 90, 900, 3600, 172_800]);
    for (const text of ['', 'h', '1.5h', '-1', '1 h', '1w', '1h30m'])
      assert.equal(parseDuration(text), null, text);
  });
});
