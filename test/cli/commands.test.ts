import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDuration } from '../../cli/terminal/times.ts';
import { newId } from '../../shared/ids.ts';
import { API_TOKEN } from '../support/app.ts';
import { addAccount, linkToken, useLink } from '../support/sign-in.ts';
import { assertRefused } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, base, newPerson } = await openCli();
const { run } = await newPerson();

/** Runs the terminal client in a home folder without a session, with only the given environment. */
const runCli = (args: string[], env: Record<string, string> = {}) => run(args, { env });

describe('cli owner-reset-link', () => {
  test('accepts Team, email, base URL and lifetime', async () => {
    const company = await service.company();
    const [userId, email] = [newId(), `other-${newId()}@example.com`];
    await addAccount(service, company, { userId, email, role: 'member', teamRole: 'owner' });
    const options = ['--team', company.teamId, '--email', email, '--ttl', '15m'];
    const ended = await runCli(['owner-reset-link', ...options, '--base-url', 'https://memory.example.com'], {
      MEMORY_API_TOKEN: company.token,
      MEMORY_API_PUBLIC_URL: base,
    });
    const [url = '', until = ''] = ended.stdout.split('\n');
    assert.ok(url.startsWith('https://memory.example.com/reset#token='), ended.stderr);
    const minutes = (Date.parse(until.replace('valid once, until ', '')) - Date.now()) / 60_000;
    assert.ok(minutes > 13 && minutes <= 15.1, `${minutes} minutes`);
    const answer = await useLink(service, linkToken(url), 'a password of this test');
    assert.equal(answer.json<{ user: { id: string } }>().user.id, userId);
  });

  test('prints one line with the fault and without the token', async () => {
    const env = { MEMORY_API_TOKEN: API_TOKEN };
    const ask = (...args: string[]) => runCli(['owner-reset-link', '--url', base, ...args], env);
    assertRefused(await ask('--email', `nobody-${newId()}@example.com`), /not_found/);
    assertRefused(await ask('--base-url', 'ftp://example.com'), /invalid_request: .*baseUrl/);
    for (const ttl of ['soon', '2d']) assertRefused(await ask('--ttl', ttl), /--ttl: expected/);
    assertRefused(await ask('--colour'), /Unknown option '--colour'/);
    assertRefused(await ask('more'), /more/);
    assertRefused(await runCli(['owner-reset-link', '--url', base]), /MEMORY_API_TOKEN/);
    assertRefused(await runCli(['owner-reset-link', '--url', 'example'], env), /--url: expected/);
    const token = 'wrong-of-this-test';
    const wrong = await runCli(['owner-reset-link', '--url', base], { MEMORY_API_TOKEN: token });
    assertRefused(wrong, /unauthenticated/);
    assert.ok(!wrong.stderr.includes(token));
  });
});

describe('the terminal client', () => {
  test('refuses an option that is no whole number in its range, with the range', async () => {
    for (const [args, range] of [
      [['search', 'x', '--limit'], '1 to 50'],
      [['expand', 'x', '--after'], '0 to 10'],
      [['token', 'create', 'x', '--permission', 'memory:read', '--days'], '1 to 366'],
      [['token', 'rotate', 'x', '--overlap-hours'], '0 to 72'],
    ] as const) {
      for (const given of ['', '1.5', 'x', '400'])
        assertRefused(
          await runCli([...args, given]),
          new RegExp(`${args.at(-1)}: expected a whole number from ${range}$`, 'm'),
        );
    }
  });

  test('parses durations in seconds, minutes, hours and days', () => {
    assert.deepEqual(['90', '90s', '15m', '1h', '2d'].map(parseDuration), [90, 90, 900, 3600, 172_800]);
    for (const text of ['', 'h', '1.5h', '-1', '1 h', '1w', '1h30m'])
      assert.equal(parseDuration(text), null, text);
  });
});
