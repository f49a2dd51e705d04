import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import type { App } from '../../api/types.ts';
import { newId } from '../../shared/ids.ts';
import { hashToken } from '../../shared/tokens.ts';
import { API_TOKEN, type SignedIn } from '../support/app.ts';
import { addPasswordHolder, join, makeInvitation, makeInvite, newEmail } from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { linkToken, makeResetLink, signInBy } from '../support/sign-in.ts';
import { addTeam } from '../support/team.ts';

const service = await openOwnTestApp();
const { database } = service;

interface Answer {
  code?: string;
  token?: string;
  url?: string;
}

/** Every token and password that was used in a Company. */
interface Secrets {
  tokens: string[];
  passwords: string[];
  /** Those that were refused. */
  refused: string[];
}

/** Calls every route that makes or accepts a token or a password. */
async function useEveryRoute(app: App, company: SignedIn): Promise<Secrets> {
  const secrets: Secrets = { tokens: [], passwords: [], refused: [] };
  const password = () => {
    const made = `pass word ${newId()}`;
    secrets.passwords.push(made);
    return made;
  };
  const refusedPassword = () => {
    const made = `pass word ${newId()}`;
    secrets.refused.push(made);
    return made;
  };
  const send = async (expected: string, url: string, payload: object, token = company.token) => {
    // Answers are stored under this key, and an answer with a token must not be.
    const headers = {
      authorization: `Bearer ${token}`,
      'memory-team': company.teamId,
      'idempotency-key': newId(),
    };
    const answer = await app.inject({ method: 'POST', url, headers, payload });
    const body: Answer = answer.body === '' ? {} : answer.json<Answer>();
    assert.equal(`${answer.statusCode} ${body.code ?? ''}`.trim(), expected, url);
    const inLink = typeof body.url === 'string' ? linkToken(body.url) : undefined;
    const secret = body.token ?? inLink;
    assert.equal(inLink ?? secret, secret);
    if (expected.startsWith('2') && secret !== undefined) secrets.tokens.push(secret);
    return secret ?? '';
  };

  const person = await addPasswordHolder(
    service,
    company,
    { companyRole: 'owner', teamRole: 'owner' },
    password(),
  );
  const { email } = person;
  const [present = ''] = secrets.passwords;
  const reset = await send('201', '/v1/company/reset-links', { teamId: company.teamId, email });
  await send('201', `/v1/company/members/${person.userId}/reset-link`, {});
  await send('410 token_revoked', '/v1/auth/reset', { token: reset, newPassword: refusedPassword() });
  const login = await send('200', '/v1/auth/login', { email, password: present });
  await useCookie(app, { email, password: present }, secrets);
  await send('401 invalid_credentials', '/v1/auth/login', { email, password: refusedPassword() });
  const changed = password();
  await send('204', '/v1/auth/password', { currentPassword: present, newPassword: changed }, login);
  await send(
    '401 invalid_credentials',
    '/v1/auth/password',
    { currentPassword: refusedPassword(), newPassword: refusedPassword() },
    login,
  );
  const link = await send('201', '/v1/company/reset-links', { teamId: company.teamId, email });
  await send('200', '/v1/auth/reset', { token: link, newPassword: password() });

  const newcomer = newEmail();
  const [name, joined] = ['A newcomer', password()];
  const invite = await send('201', '/v1/team/invites', { email: newcomer, role: 'member' });
  await send('201', '/v1/auth/join', { token: invite, name, password: joined });
  await send('410 token_used', '/v1/auth/join', { token: invite, name, password: refusedPassword() });
  const invitation = await send('201', '/v1/company/invitations', { email: newcomer });
  const wrong = { token: invitation, name, password: refusedPassword() };
  await send('401 invalid_credentials', '/v1/company/invitations/accept', wrong);
  await send('201', '/v1/company/invitations/accept', { token: invitation, name, password: joined });
  const ownTeam = await send('201', '/v1/company/teams', { name: 'Another Team', ownerEmail: newEmail() });
  await send('201', '/v1/auth/join', { token: ownTeam, name, password: password() });
  const unknown = Buffer.from(newId()).toString('base64url');
  secrets.refused.push(unknown);
  await send('404 not_found', '/v1/auth/join', { token: unknown, name, password: refusedPassword() });
  return secrets;
}

/** Signs in as the console does, and sends a request with the cookie. */
async function useCookie(app: App, credentials: object, { tokens, refused }: Secrets): Promise<void> {
  const console = { 'memory-console': '1' };
  const payload = { ...credentials, cookie: true };
  const answer = await app.inject({ method: 'POST', url: '/v1/auth/login', headers: console, payload });
  const [, name = '', token = ''] = /^([^=]+)=([\w-]{43});/.exec(String(answer.headers['set-cookie'])) ?? [];
  tokens.push(token);
  const planted = Buffer.from(newId()).toString('base64url');
  refused.push(planted);
  for (const [value, status] of [
    [token, 200],
    [planted, 401],
  ] as const) {
    const headers = { ...console, cookie: `${name}=${value}` };
    assert.equal((await app.inject({ url: '/v1/auth/session', headers })).statusCode, status);
  }
}

/** The base64 forms of a text inside a longer text, for each possible offset. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The characters at both ends also contain bits of their neighbours.
    return encoded.slice(before === 0 ? 0 : before + 1, -1);
  });
}

/** The encodings in which a secret could be stored. */
function writings(secret: string): string[] {
  const bytes = [Buffer.from(secret, 'utf8')];
  // A token is itself the base64url form of random bytes.
  if (/^[\w-]{43}$/.test(secret)) bytes.push(Buffer.from(secret, 'base64url'));
  const encoded = bytes.flatMap((each) => [each.toString('hex'), ...inBase64(each)]);
  const urlSafe = encoded.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'));
  return [secret, encodeURIComponent(secret), ...encoded, ...urlSafe];
}

/** Every row of every table of the database, as text. */
async function readEverything(): Promise<{ schemas: Set<string>; text: string }> {
  const tables = await database.query<{ schema: string; name: string }>(
    `select n.nspname as schema, format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'm') and n.nspname !~ '^(pg_|information_schema$)'`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await database.query<{ row: string }>(`select t::text as row from ${name} t`)) {
      texts.push(row);
    }
  }
  return { schemas: new Set(tables.map(({ schema }) => schema)), text: texts.join('\n') };
}

describe('random tokens', () => {
  const company = service.company();
  for (const [name, make] of [
    ['invites', async (owner: SignedIn) => (await makeInvite(service, owner)).token],
    ['invitations', async (owner: SignedIn) => (await makeInvitation(owner)).token],
    ['reset links', async (owner: SignedIn) => (await makeResetLink(service, owner)).token],
    [
      'sessions',
      async (owner: SignedIn) => {
        const { token } = await makeInvite(service, owner);
        const answer = await join(service, { token, password: 'a password of this test' });
        return answer.json<{ token: string }>().token;
      },
    ],
  ] as const) {
    test(`tokens of ${name} have 256 bits, and every bit takes both values`, async () => {
      const owner = await company;
      const bits = Array.from({ length: 256 }, () => new Set<number>());
      const seen = new Set<string>();
      for (const token of await Promise.all(Array.from({ length: 40 }, () => make(owner)))) {
        seen.add(token);
        const bytes = Buffer.from(token, 'base64url');
        assert.equal(bytes.length, 32);
        assert.equal(bytes.toString('base64url'), token);
        for (const [bit, values] of bits.entries()) values.add(((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1);
      }
      assert.equal(seen.size, 40);
      assert.deepEqual(
        bits.flatMap((values, bit) => (values.size === 2 ? [] : [bit])),
        [],
      );
    });
  }
});

describe('tokens and passwords', () => {
  test('no table contains a token or a password in any encoding, only their hashes', async () => {
    const company = await service.company();
    await addTeam(service, company);
    const { tokens, passwords, refused } = await useEveryRoute(service.app, company);
    const { schemas, text } = await readEverything();
    assert.deepEqual(
      ['identity', 'memory', 'pgboss'].filter((schema) => !schemas.has(schema)),
      [],
    );
    assert.equal(new Set(tokens).size, tokens.length);
    // The stored hashes prove that all tables were read.
    for (const token of tokens) {
      const [row] = await database.query<{ ended: boolean }>(
        `select not exists (select from identity.session where token_hash = $1) and
                not exists (select from identity.invite where token_hash = $1) and
                not exists (select from identity.reset_link where token_hash = $1) as ended`,
        [hashToken(token)],
      );
      assert.equal(text.includes(hashToken(token).toString('hex')), row?.ended === false);
    }
    assert.ok(tokens.filter((token) => text.includes(hashToken(token).toString('hex'))).length >= 10);
    assert.ok((text.match(/\$argon2id\$/g) ?? []).length >= 3);
    const found = [...tokens, ...passwords, ...refused, company.token, API_TOKEN].flatMap((secret) =>
      writings(secret).filter((writing) => text.includes(writing)),
    );
    assert.deepEqual(found, []);
  });

  test('no log line contains a token or a password, even at the most detailed level', async (t) => {
    const lines: string[] = [];
    // Without the redaction of the service's logger: the routes must not depend on it.
    const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const logged = await buildTestedApp({ ...service, logger });
    t.after(() => logged.close());
    const company = await service.company();
    const { tokens, passwords, refused } = await useEveryRoute(logged, company);
    await signInBy({ app: logged }, company.ownerEmail, passwords[0] ?? '');
    const log = lines.join('');
    for (const route of ['/v1/auth/join', '/v1/company/invitations/accept', '/v1/auth/password']) {
      assert.ok(log.includes(route), route);
    }
    const found = [...tokens, ...passwords, ...refused, company.token, API_TOKEN].flatMap((secret) =>
      writings(secret).filter((writing) => log.includes(writing)),
    );
    assert.deepEqual(found, []);
  });
});
