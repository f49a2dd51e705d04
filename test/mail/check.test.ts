import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from '../../shared/config.ts';
import { checkMail } from '../../worker/mail/check-mail.ts';
import { openMailer } from '../../worker/mail/mailer.ts';
import { mailSettings, openMailServer } from '../support/mail-server.ts';
import { freePorts } from '../support/needs/process.ts';

const PASSWORD = 'a p@ss:word/of the server';

/** Requires a sign-in, without TLS, as is allowed on the machine of the service only. */
const server = await openMailServer({
  authOptional: false,
  allowInsecureAuth: true,
  onAuth: ({ username, password }, _session, done) =>
    username === 'memory' && password === PASSWORD
      ? done(null, { user: username })
      : done(Object.assign(new Error('not memory with SECRET'), { responseCode: 535 })),
});
const signInUrl = (password: string) =>
  server.url.replace('smtp://', `smtp://memory:${encodeURIComponent(password)}@`);
const configOf = (env: Record<string, string>) =>
  readConfig({ MEMORY_API_TOKEN: 'test-token-of-the-service', ...env });
const withUrl = (url: string) => configOf(mailSettings({ url }));

const check = async (env: Record<string, string>) =>
  (await Array.fromAsync(checkMail(configOf(env)))).map(
    ({ name, state, text }) => `${state} ${name}: ${text}`,
  );
const checkUrl = (url: string) => check(mailSettings({ url }));

describe('--check', () => {
  test('signs in to the mail server, and sends nothing', async () => {
    const [line = '', ...others] = await checkUrl(signInUrl(PASSWORD));
    assert.deepEqual(others, []);
    assert.match(line, /^ok mail: 127\.0\.0\.1:\d+ accepts the sign-in$/);
    assert.deepEqual(server.mails, []);
  });

  test('names the setting if the server refuses the sign-in, and no credential', async () => {
    const [line = ''] = await checkUrl(signInUrl('SECRET'));
    assert.match(line, /^failed mail: the mail server refused with 535 \(AUTH\); look at MEMORY_SMTP_URL$/);
  });

  test('fails if nothing listens', async () => {
    const [port] = await freePorts(1);
    const [line = ''] = await checkUrl(`smtp://memory:SECRET@127.0.0.1:${port}`);
    assert.match(
      line,
      /^failed mail: the mail server cannot be used: connect ECONNREFUSED 127\.0\.0\.1:\d+ \(CONN\); look at MEMORY_SMTP_URL$/,
    );
    assert.doesNotMatch(line, /SECRET/);
  });

  test('says nothing of mail without it', async () => {
    assert.deepEqual(await check({}), []);
  });
});

describe('a mail server that requires a sign-in', () => {
  const mail = {
    id: 'one',
    to: 'ada@example.com',
    subject: 'Greetings',
    text: 'Hello',
    html: '<p>Hello</p>',
  };
  const send = async (url: string) => openMailer(withUrl(url))?.send(mail);

  test('accepts mails with the password', async () => {
    assert.deepEqual(await send(signInUrl(PASSWORD)), { outcome: { state: 'sent' }, reason: null });
    assert.deepEqual(
      server.mails.map(({ to, message }) => [to, message.subject]),
      [['ada@example.com', 'Greetings']],
    );
  });

  test('refuses no mail for good because of a wrong password, which someone can correct', async () => {
    assert.deepEqual(await send(signInUrl('SECRET')), {
      outcome: { state: 'deferred', isKnown: true },
      reason: 'the mail server refused with 535 (AUTH)',
    });
  });
});

describe('the settings of mail', () => {
  const PAIR = { MEMORY_SMTP_URL: 'smtp://mail.example.com', MEMORY_MAIL_FROM: 'memory@example.com' };

  test('name the server, with the usual port of its kind, and the sender', () => {
    assert.deepEqual(
      { ...configOf(PAIR).mailServer },
      {
        host: 'mail.example.com',
        port: 587,
        isSecure: false,
        credentials: null,
      },
    );
    const other = configOf({
      MEMORY_SMTP_URL: 'smtps://a%40b:p%3Aw@[::1]',
      MEMORY_MAIL_FROM: 'Team memory <Memory@Example.com>',
    });
    assert.deepEqual(
      { ...other.mailServer },
      {
        host: '::1',
        port: 465,
        isSecure: true,
        credentials: { user: 'a@b', password: 'p:w' },
      },
    );
    assert.deepEqual({ ...other.mailFrom }, { name: 'Team memory', address: 'memory@example.com' });
  });

  test('are required together', () => {
    for (const [variable, other] of [
      ['MEMORY_SMTP_URL', 'MEMORY_MAIL_FROM'],
      ['MEMORY_MAIL_FROM', 'MEMORY_SMTP_URL'],
    ] as const) {
      const refused = new RegExp(`${other}: expected .*, because ${variable} is set`);
      assert.throws(() => configOf({ [variable]: PAIR[variable] }), refused);
    }
  });

  test('are refused if they are not an address', () => {
    for (const MEMORY_SMTP_URL of [
      'mail.example.com',
      'https://mail.example.com',
      'smtp://user@mail.example.com',
      'smtp://mail.example.com/path',
      'smtp://mail.example.com?tls=no',
      'smtp://u:%zz@mail.example.com',
    ]) {
      assert.throws(() => configOf({ ...PAIR, MEMORY_SMTP_URL }), /MEMORY_SMTP_URL: expected an address/);
    }
    for (const MEMORY_MAIL_FROM of [
      'memory',
      'A <a@example.com>, B <b@example.com>',
      'a@example.com,b@example.com',
    ]) {
      assert.throws(() => configOf({ ...PAIR, MEMORY_MAIL_FROM }), /MEMORY_MAIL_FROM: expected an email/);
    }
  });
});
