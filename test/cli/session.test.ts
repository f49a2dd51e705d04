import assert from 'node:assert/strict';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hashToken } from '../../shared/tokens.ts';
import { API_TOKEN } from '../support/app.ts';
import { askSession, linkToken, useLink } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';
import { assertRefused, closedAddress, isKept, keepSession, readKept } from './cli.ts';
import { cells, openCli, sessionOf } from './cli-person.ts';

const { service, base, newPerson, openOther, owner } = await openCli();
const { database } = service;

describe('the credential of a command', () => {
  test('a command uses the saved session, which also gives the address when none is set', async () => {
    const { person, company } = await owner();
    const { token } = company;
    const ended = await person.run(['owner-reset-link']);
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    assert.ok(!ended.stdout.includes(token));
    const [url = '', until] = ended.stdout.split('\n');
    assert.ok(url.startsWith(`${base}/reset#token=`), url);
    assert.match(String(until), /^valid once, until \d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const answer = await useLink(service, linkToken(url), 'a password of this test');
    assert.equal(answer.json<{ user: { id: string } }>().user.id, company.ownerId);
  });

  test('a command uses MEMORY_API_TOKEN when it is set, also in .env and with an unusable session file', async () => {
    const { person, company } = await owner();
    await chmod(person.sessionFile, 0o644);
    const env = { MEMORY_API_TOKEN: API_TOKEN };
    const byToken = await person.run(['whoami', '--url', base], { env });
    const told = `^Owner <owner@localhost>.*\nusing MEMORY_API_TOKEN for ${base}\n`;
    assert.match(byToken.stdout, new RegExp(told));
    await chmod(person.sessionFile, 0o600);
    const address = `MEMORY_API_PORT=${new URL(base).port}\nPORT=1`;
    await writeFile(join(person.home, '.env'), `MEMORY_API_TOKEN=${API_TOKEN}\n${address}\n`);
    assert.match((await person.run(['whoami'])).stdout, new RegExp(told));
    const bySession = await person.run(['whoami', '--url', base], { env: { MEMORY_API_TOKEN: '' } });
    assert.match(bySession.stdout, /^using the saved session /m);
    assert.ok(bySession.stdout.includes(company.ownerEmail));
  });

  test('a saved session is never sent to an address other than its own', async () => {
    const { person } = await owner();
    const other = await openOther((_request, response) => response.end('{}'));
    for (const url of [other.url, `${base}/path`, base.replace('127.0.0.1', 'localhost')]) {
      const ended = await person.run(['whoami', '--url', url]);
      assertRefused(ended, /the saved session belongs to /);
      assert.ok(ended.stderr.includes(`${base},`) && ended.stderr.includes(url), ended.stderr);
    }
    const env = { MEMORY_API_PUBLIC_URL: other.url };
    assertRefused(await person.run(['owner-reset-link'], { env }), /the saved session belongs to /);
    assert.deepEqual(other.asked, []);
    const same = await person.run(['whoami', '--url', `${base.replace('http:', 'HTTP:')}/`]);
    assert.equal(same.code, 0, same.stderr);
  });

  test('an ended session prints one line that names the login command', async () => {
    const { person, company } = await owner();
    const { token } = company;
    await database.query(
      `update identity.session set last_seen_at = now() - interval '8 days' where token_hash = $1`,
      [hashToken(token)],
    );
    assertRefused(await person.run(['whoami']), /the session at .* has ended: .*login --url http:/);
    await database.query('delete from identity.session where token_hash = $1', [hashToken(token)]);
    const ended = await person.run(['owner-reset-link']);
    assertRefused(ended, /the session at .* has ended: .*login --url http:/);
    assert.ok(!ended.stderr.includes(token));
  });

  test('a session file that others can read is refused with the command that protects it', async () => {
    const { person } = await owner();
    for (const open of [0o640, 0o604]) {
      await chmod(person.sessionFile, open);
      const told = `mode ${open.toString(8)}\\): protect it with chmod 600 ${person.home}`;
      assertRefused(await person.run(['whoami']), new RegExp(told));
    }
    await chmod(person.sessionFile, 0o600);
    assert.equal((await person.run(['whoami'])).code, 0);
  });

  test('a damaged session file is refused with one line that names the login command', async () => {
    const { person, company } = await owner();
    const { token } = company;
    const session = await readKept(person);
    for (const content of [
      '{',
      'null',
      { ...session, token: `${token}\n` },
      { ...session, url: 'ftp://example.com' },
      { ...session, expiresAt: null },
    ]) {
      await keepSession(person, content);
      const ended = await person.run(['whoami']);
      assertRefused(ended, /session\.json is damaged: sign in again with login/);
      assert.ok(!ended.stderr.includes(token));
    }
    await rm(person.sessionFile);
    await mkdir(person.sessionFile);
    assertRefused(await person.run(['whoami']), /cannot be read from .*\(EISDIR\)/);
  });
});

describe('cli logout', () => {
  test('ends the session on the service and removes its file, whatever token and address are set', async () => {
    const { person, company } = await owner();
    const { token } = company;
    const other = await openOther((_request, response) => response.end('{}'));
    // Neither the service token nor another address changes which session is ended.
    const env = { MEMORY_API_TOKEN: API_TOKEN, MEMORY_API_PUBLIC_URL: other.url };
    const ended = await person.run(['logout'], { env });
    const stdout = `Signed out ${company.ownerEmail} at ${base}.\n`;
    assert.deepEqual(ended, { code: 0, stdout, stderr: '' });
    assert.equal((await askSession(service, token)).statusCode, 401);
    assert.deepEqual([await isKept(person), other.asked], [false, []]);
    const again = await person.run(['logout']);
    assert.deepEqual([again.code, again.stdout], [0, 'You are not signed in: there is no saved session.\n']);
  });

  test('removes the file of a session that has already ended and says so', async () => {
    const { person, company } = await owner();
    const { token } = company;
    await database.query('delete from identity.session where token_hash = $1', [hashToken(token)]);
    const ended = await person.run(['logout']);
    assert.equal(ended.code, 0);
    assert.match(ended.stdout, /had already ended. Its file was removed/);
    assert.equal(await isKept(person), false);
  });

  test('keeps the file while the service cannot be reached, except with --force', async () => {
    const person = await newPerson();
    const keep = (url: string) => keepSession(person, sessionOf(url, 'a-token-of-this-test'));
    await keep(await closedAddress(openOther));
    const kept = /cannot be reached.*session file was not removed; logout --force removes/;
    assertRefused(await person.run(['logout']), kept);
    // A 401 of another kind of service does not mean that the session has ended.
    const proxy = await openOther((_request, response) => response.writeHead(401).end('{}'));
    await keep(proxy.url);
    assertRefused(await person.run(['logout']), /not as this service does.*session file was not removed/);
    assert.equal(await isKept(person), true);
    const forced = await person.run(['logout', '--force']);
    assert.equal(forced.code, 0, forced.stderr);
    assert.match(forced.stdout, /^Removed .*session\.json, but its session was not ended: .*\n$/);
    assert.equal(await isKept(person), false);
  });

  test('keeps an unusable file without --force, and always a session of another address', async () => {
    const { person, company } = await owner();
    const { token } = company;
    assertRefused(await person.run(['logout', '--url', 'http://127.0.0.1:1']), /belongs to /);
    assertRefused(await person.run(['logout', '--force', '--url', 'http://127.0.0.1:1']), /belongs to /);
    await chmod(person.sessionFile, 0o644);
    assertRefused(await person.run(['logout']), /chmod 600/);
    await keepSession(person, '{');
    await chmod(person.sessionFile, 0o600);
    assertRefused(await person.run(['logout']), /logout --force/);
    assert.equal((await askSession(service, token)).statusCode, 200);
    const forced = await person.run(['logout', '--force']);
    assert.match(forced.stdout, /^Removed .*but its session was not ended\.\n$/);
    assert.equal(await isKept(person), false);
  });
});

describe('cli whoami', () => {
  test('prints name, email, Company, role, expiry and one line for each Team', async () => {
    const { person, company } = await owner();
    const ended = await person.run(['whoami']);
    const [[who], [by = ''], [blank], ...table] = cells(ended.stdout) as [string[], string[], string[]];
    assert.equal(who, `Owner <${company.ownerEmail}>, owner of the Company "Test Company"`);
    assert.match(
      by,
      new RegExp(`^using the saved session for ${base}, until \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$`),
    );
    assert.equal(blank, '');
    assert.deepEqual(table, [
      ['Team', 'Role', 'Access', 'State', 'Name'],
      [company.teamId, 'owner', 'full', 'active', 'Test Team'],
    ]);
  });

  test('prints a Team without a role and removes control characters from names', async () => {
    const company = await service.company();
    const { token } = await addPerson(service, company, { companyRole: 'owner' });
    const name = 'Red \u001b[31m\nTeam \u202e\u05d0';
    await database.query(`update identity.team set name = $2 where id = $1`, [company.teamId, name]);
    const person = await newPerson();
    const ended = await person.run(['whoami', '--url', base], { env: { MEMORY_API_TOKEN: token } });
    const row = [company.teamId, '-', 'full', 'active', 'Red [31m Team \u05d0'];
    assert.deepEqual(cells(ended.stdout).at(-1), row);
  });
});
