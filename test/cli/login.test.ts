import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { askSession, makeResetLink, useLink } from '../support/sign-in.ts';
import {
  assertRefused,
  closedAddress,
  isKept,
  keepSession,
  NO_TERMINAL,
  type Person,
  readKept,
  runAtTerminal,
} from './cli.ts';
import { openCli, sessionOf } from './cli-person.ts';

const { service, base, newPerson, openOther } = await openCli();
const { database } = service;
const PASSWORD = 'pass wörd of this test';

const endSession = (token: string) =>
  callerOf(service.app, { authorization: `Bearer ${token}` }).api.logout({});

/** A Company whose Owner has a password and no session. The session of the reset is ended here. */
async function withPassword(): Promise<SignedIn> {
  const company = await service.company();
  const { token } = await makeResetLink(service, company);
  const answer = await useLink(service, token, PASSWORD);
  await endSession(answer.json<{ token: string }>().token);
  return company;
}

function login(person: Person, email: string, options: Parameters<Person['run']>[1] = {}) {
  return person.run(['login', '--email', email, '--url', base], { input: `${PASSWORD}\n`, ...options });
}

/** A person who has signed in with the terminal client. */
async function signedInPerson(): Promise<{ company: SignedIn; person: Person; token: string }> {
  const [company, person] = [await withPassword(), await newPerson()];
  const ended = await login(person, company.ownerEmail);
  assert.equal(ended.code, 0, ended.stderr);
  return { company, person, token: (await readKept(person)).token };
}

async function mode(path: string): Promise<string> {
  return ((await lstat(path)).mode & 0o777).toString(8);
}

/** The number of sessions of an account. */
async function countSessions(userId: string): Promise<number> {
  const rows = await database.query('select id from identity.session where user_id = $1', [userId]);
  return rows.length;
}

describe('cli login', () => {
  test('saves the session for its owner only and prints account, address and expiry without the token', async () => {
    const [company, person] = [await withPassword(), await newPerson()];
    const ended = await login(person, ` ${company.ownerEmail.toUpperCase()}`);
    const session = await readKept(person);
    const stdout = `Signed in as Owner <${company.ownerEmail}> at ${base}, until ${session.expiresAt}.\n`;
    assert.deepEqual(ended, { code: 0, stdout, stderr: '' });
    assert.deepEqual(Object.keys(session), ['url', 'token', 'email', 'expiresAt']);
    assert.deepEqual([session.url, session.email], [base, company.ownerEmail]);
    const answer = await askSession(service, session.token);
    assert.equal(answer.json<{ user: { id: string } }>().user.id, company.ownerId);
    assert.deepEqual(await readdir(dirname(person.sessionFile)), ['session.json']);
  });

  test('saves the session in XDG_CONFIG_HOME unless that is relative', async () => {
    const [company, person] = [await withPassword(), await newPerson()];
    const env = { XDG_CONFIG_HOME: join(person.home, 'chosen') };
    assert.equal((await login(person, company.ownerEmail, { env })).code, 0);
    assert.equal(await mode(join(person.home, 'chosen', 'team-memory', 'session.json')), '600');
    assert.equal(await isKept(person), false);
    assert.equal((await person.run(['whoami'], { env })).code, 0);
    assert.equal((await login(person, company.ownerEmail, { env: { XDG_CONFIG_HOME: 'relative' } })).code, 0);
    assert.equal(await isKept(person), true);
  });

  test('replaces a file or a link at the place of the session file, and is private even if they were not', async () => {
    const [company, person] = [await withPassword(), await newPerson()];
    await keepSession(person, 'old', 0o666);
    await chmod(dirname(person.sessionFile), 0o755);
    const target = join(person.home, 'target');
    await writeFile(target, 'of someone else');
    for (const isLink of [false, true]) {
      if (isLink) {
        await rm(person.sessionFile);
        await symlink(target, person.sessionFile);
      }
      assert.equal((await login(person, company.ownerEmail)).code, 0);
      assert.equal((await lstat(person.sessionFile)).isFile(), true);
      const modes = [await mode(person.sessionFile), await mode(dirname(person.sessionFile))];
      assert.deepEqual(modes, ['600', '700']);
    }
    assert.equal(await readFile(target, 'utf8'), 'of someone else');
  });

  test('sends no request without an email or a password', async () => {
    const [person, other] = [await newPerson(), await openOther((_request, response) => response.end('{}'))];
    const email = ['--email', 'a@example.com'];
    for (const [args, input, reason] of [
      [email, '\nmore\n', /no password was given/],
      [email, 'x'.repeat(100_000), /too long/],
      [[], `${PASSWORD}\n`, /--email: required/],
      [['--email', ' '], `${PASSWORD}\n`, /--email: expected/],
      [[...email, '--password', PASSWORD], '', /--password/],
    ] as const) {
      assertRefused(await person.run(['login', '--url', other.url, ...args], { input }), reason);
    }
    assert.deepEqual(other.asked, []);
  });

  test('reads the password from the first line of standard input with any line end', async () => {
    const { ownerEmail } = await withPassword();
    for (const options of [
      { input: `\uFEFF${PASSWORD}\r\nmore\n` },
      { input: PASSWORD },
      { input: `${PASSWORD}\n`, heldOpen: true },
    ]) {
      const ended = await login(await newPerson(), ownerEmail, options);
      assert.equal(ended.code, 0, ended.stderr);
    }
  });

  test('prints one line for a wrong password and keeps the saved session', async () => {
    const { person, company, token } = await signedInPerson();
    const ended = await login(person, company.ownerEmail, { input: 'not the password\n' });
    assertRefused(ended, /does not know this email with this password/);
    assert.ok(!ended.stderr.includes('not the password'));
    assert.equal((await readKept(person)).token, token);
  });

  test('prints one line when the service is unavailable, limits attempts, redirects or is another one', async () => {
    const person = await newPerson();
    const at = async (url: string) =>
      person.run(['login', '--email', 'a@example.com', '--url', url], { input: `${PASSWORD}\n` });
    const problem = 'application/problem+json';
    for (const [status, headers, body, reason] of [
      [503, { 'retry-after': '7' }, '{"code":"unavailable","detail":"x"}', /now \(503\): try again in 7 s$/m],
      [
        429,
        { 'retry-after': '600', 'content-type': problem },
        '{"code":"rate_limited","detail":"x"}',
        /rate_limited.*try again in 10 min$/m,
      ],
      [200, {}, '{"token":"x"}', /answered 200, but not as this service does/],
      [308, { location: 'https://new.example.com/\u009b31m' }, '', /redirects.*new\.example\.com/],
    ] as const) {
      const { url, asked } = await openOther((_request, response) =>
        response.writeHead(status, headers).end(body),
      );
      const ended = await at(url);
      assertRefused(ended, reason);
      assert.ok(!ended.stderr.includes('\u009b'));
      assert.equal(asked.length, 1);
    }
    assertRefused(await at(await closedAddress(openOther)), /cannot be reached \(ECONNREFUSED\)/);
    assert.equal(await isKept(person), false);
  });

  test('refuses an address with a user, a query or a fragment without repeating it', async () => {
    const person = await newPerson();
    for (const url of [
      'http://me:secret@127.0.0.1',
      'http://127.0.0.1/?secret',
      'http://127.0.0.1/#secret',
    ]) {
      const ended = await person.run(['login', '--email', 'a@example.com', '--url', url], { input: 'x\n' });
      assertRefused(ended, /--url: expected/);
      assert.ok(!ended.stderr.includes('secret'));
    }
  });

  test('ends the session that it replaces, and a new one that cannot be saved', async () => {
    const { person, company, token } = await signedInPerson();
    assert.equal((await login(person, company.ownerEmail)).code, 0);
    const next = await readKept(person);
    assert.notEqual(next.token, token);
    assert.equal((await askSession(service, token)).statusCode, 401);
    assert.equal(await countSessions(company.ownerId), 1);
    await rm(person.sessionFile);
    // A folder in its place cannot be replaced by a file.
    await mkdir(person.sessionFile);
    assertRefused(await login(person, company.ownerEmail), /cannot be saved in .*session\.json/);
    assert.equal(await countSessions(company.ownerId), 1);
    assert.deepEqual(await readdir(dirname(person.sessionFile)), ['session.json']);
  });

  test('does not send the token of the session that it replaces to another address', async () => {
    const [company, person] = [await withPassword(), await newPerson()];
    const token = await service.signIn(company.companyId, company.ownerId);
    const url = base.replace('127.0.0.1', 'localhost');
    await keepSession(person, sessionOf(url, token, company.ownerEmail));
    const ended = await login(person, company.ownerEmail);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal((await readKept(person)).url, base);
    // The service is the same: if it had received the token, the session would have ended.
    assert.equal((await askSession(service, token)).statusCode, 200);
  });
});

describe('cli login at a terminal', { skip: NO_TERMINAL }, () => {
  const LOGIN = ['login', '--email', 'a@example.com', '--url', base];

  test('asks for email and password and never shows the password', async () => {
    const [company, person] = [await withPassword(), await newPerson()];
    // All input at once, as when pasted, with two wrong letters, the keys that delete them, and arrow keys.
    const typed = `${PASSWORD.slice(0, 7)}ZQ\u007f\u007f\u001b[D\u001b[C${PASSWORD.slice(7)}\r`;
    const answers = [
      { question: 'Email: ', typed: `${company.ownerEmail}\r` },
      { question: `Password of ${company.ownerEmail} at ${base}: `, typed },
    ];
    const { code, shown } = await runAtTerminal(person, ['login', '--url', base], answers);
    assert.equal(code, 0, shown);
    assert.match(shown, /Signed in as Owner/);
    assert.equal((await readKept(person)).email, company.ownerEmail);
    const [, afterQuestion = ''] = shown.split(`at ${base}: `);
    assert.match(afterQuestion, /^\r?\nSigned in as/);
    for (const part of [PASSWORD.slice(0, 7), 'ZQ', PASSWORD.slice(7)])
      assert.ok(!shown.includes(part), shown);
    assert.match(shown, / icanon .* echo /s);
  });

  test('Ctrl-C at the password restores the terminal, saves nothing and exits with 130', async () => {
    const person = await newPerson();
    const answers = [{ question: ': ', typed: 'half a pass\u0003' }];
    const { code, shown } = await runAtTerminal(person, LOGIN, answers);
    assert.equal(code, 130, shown);
    assert.match(shown, / icanon .* echo /s);
    assert.ok(!shown.includes('half a pass') && !shown.includes('memory:'), shown);
    assert.equal(await isKept(person), false);
  });
});
