import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto';
import { newAgentToken } from '../../shared/formats/agent-token.ts';
import { newToken } from '../../shared/tokens.ts';

/*
 * Credentials of every kind that is searched for, made when a test runs: no scanner of secrets finds one in the repository.
 */

/** A text with a credential. */
export interface Planted {
  kind: string;
  text: string;
  /** The part that must not be stored or shown. */
  secret: string;
}

const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ALPHANUMERIC = LETTERS + DIGITS;
const URL_SAFE = `${ALPHANUMERIC}_-`;

/** A random text of these characters. It has a digit and a letter if the alphabet has both. */
function random(length: number, alphabet = ALPHANUMERIC): string {
  const text = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
  const isMixed = [/\d/, /[a-z]/i].every((one) => one.test(text) || !one.test(alphabet));
  return isMixed || length < 2 ? text : random(length, alphabet);
}

const base64 = (bytes: number) => randomBytes(bytes).toString('base64');
const base64url = (bytes: number) => randomBytes(bytes).toString('base64url');
const json = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The parts of a prefix are joined here, because a scanner would report a whole one. */
const token = (prefix: readonly string[], rest: string): Planted => {
  const secret = prefix.join('') + rest;
  return { kind: `${prefix.join('')}…`, text: `The key for the service: ${secret} is in use.`, secret };
};

/** The form of the private keys of each kind. */
const KEY_FORMS = { rsa: 'pkcs1', ec: 'sec1', ed25519: 'pkcs8' } as const;

function privateKey(kind: keyof typeof KEY_FORMS): Planted {
  const options = { modulusLength: 2048, namedCurve: 'P-256' };
  const keys = generateKeyPairSync(kind as 'rsa', options);
  const pem = keys.privateKey.export({ type: KEY_FORMS[kind], format: 'pem' }) as string;
  return { kind: `private key ${kind}`, text: `Key:\n${pem}\nend`, secret: pem.split('\n')[1] ?? '' };
}

const named = (kind: string, write: (secret: string) => string, secret = random(14)): Planted => ({
  kind,
  text: write(secret),
  secret,
});

/** A private key in a mail, a comment, a table and a page, and one whose lines are cut off on the left. */
function quotedKeys({ text, secret }: Planted): Planted[] {
  const write = (before: string, between: string) => before + text.split('\n').slice(1, -1).join(between);
  return [
    { kind: 'private key in a mail', text: write('> ', '\n> '), secret },
    { kind: 'private key in a comment', text: write('# ', '\n# '), secret },
    { kind: 'private key in a table', text: write('| ', ' | '), secret },
    { kind: 'private key in a page', text: write('<p>', '<br>'), secret },
    { kind: 'private key in an unknown form', text: write('', '%0A'), secret },
    { kind: 'private key cut off in a mail', text: write('> ', '\n> ').split('-----END')[0] ?? '', secret },
    {
      kind: 'short private key',
      text: text.replace(secret, secret.slice(0, 24)),
      secret: secret.slice(0, 24),
    },
  ];
}

/** One text of each kind. All are different at each call. */
export function plantedSecrets(): Planted[] {
  const pkcs8 = privateKey('ed25519');
  return [
    token(['gh', 'p_'], random(36)),
    token(['git', 'hub_pat_'], random(82)),
    token(['gl', 'pat-'], random(20)),
    token(['xo', 'xb-'], `${random(12, DIGITS)}-${random(12, DIGITS)}-${random(24)}`),
    token(['sk', '_live_'], random(24)),
    token(['sk', '-proj-'], `${random(74)}T3Blbk${'FJ'}${random(74)}`),
    token(['sk', '-ant-api03-'], `${random(93, URL_SAFE)}AA`),
    token(['S', 'G.'], `${random(22)}.${random(43)}`),
    token(['np', 'm_'], random(36)),
    token(['lin', '_api_'], random(40)),
    token(['h', 'f_'], random(34, LETTERS)),
    token(['gs', 'k_'], random(52)),
    token(['nt', 'n_'], random(11, DIGITS) + random(35)),
    token(['hv', 's.'], random(95)),
    token(['dckr', '_pat_'], random(27)),
    token(['fig', 'd_'], random(43)),
    token(['dap', 'i'], random(32, HEX)),
    token(['vc', 'p_'], random(24)),
    token(['tskey', '-auth-'], `${random(16)}-${random(32)}`),
    token(['gls', 'a_'], `${random(32)}_${random(8, HEX)}`),
    token(['shp', 'at_'], random(32, HEX)),
    token(['cf', 'ut_'], random(40) + random(8, HEX)),
    token(['AI', 'za'], random(35, URL_SAFE)),
    token(['GOC', 'SPX-'], random(28)),
    token(['ya', '29.'], random(60)),
    token(['wh', 'sec_'], base64(24)),
    token(['do', 'p_v1_'], random(64, HEX)),
    token(['py', 'pi-AgE'], random(90)),
    token(['AK', 'IA'], random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')),
    token([], newAgentToken().token),
    token([], `${json({ alg: 'HS256' })}.${json({ sub: random(8), iat: 1 })}.${base64url(32)}`),
    privateKey('rsa'),
    privateKey('ec'),
    pkcs8,
    { ...pkcs8, kind: 'private key in JSON', text: JSON.stringify({ key: pkcs8.text }) },
    { ...pkcs8, kind: 'private key cut off', text: pkcs8.text.slice(0, pkcs8.text.indexOf('-----END')) },
    ...quotedKeys(pkcs8),
    named('AWS secret', (it) => `AWS_SECRET_ACCESS_KEY = "${it}"`, base64(30)),
    named('AWS secret in JSON', (it) => `{"secretAccessKey":"${it}"}`, base64(30)),
    named('AWS secret like a path', (it) => `{"secretAccessKey":"${it}"}`, `/${random(19)}/aB3${random(16)}`),
    named('Azure', (it) => `DefaultEndpointsProtocol=https;AccountKey=${it};Suffix=x`, base64(64)),
    named('bearer', (it) => `curl -H 'Authorization: Bearer ${it}' https://api.test`, newToken()),
    named('basic', (it) => `Authorization: Basic ${it}`, Buffer.from(`me:${random(12)}`).toString('base64')),
    named('session token in a link', (it) => `http://127.0.0.1/reset#token=${it}`, newToken()),
    named('npmrc', (it) => `//registry.test/:_authToken=${it}`, random(36)),
    named('URL', (it) => `postgres://app:${it}@db.internal:5432/app`),
    named('URL without user', (it) => `redis://:p@${it}@cache.internal`),
    named('x-oauth-basic', (it) => `git+https://${it}:x-oauth-basic@github.com/a/b`, random(40)),
    named('environment', (it) => `DB_PASSWORD=${it}`),
    named('environment with symbols', (it) => `PASSWORD1=${it}`, `${random(4)}&${random(4)}!${random(4)}`),
    named('assignment', (it) => `password = "${it}"`),
    named('JSON', (it) => `{"db_password": "${it}"}`),
    named('JSON in JSON', (it) => JSON.stringify({ body: JSON.stringify({ password: it }) })),
    named('YAML', (it) => `api_key: ${it}`, random(32)),
    named('properties', (it) => `client_secret=${it}`, random(40)),
    named('XML', (it) => `<password>${it}</password>`),
    named('option', (it) => `mysql --password ${it} -u root`),
    named('table', (it) => `| password | ${it} |`),
    named('sentence', (it) => `Note that the password is ${it}.`),
    named('short sentence', (it) => `the password is ${it}`, `hunter${randomInt(10, 99)}`),
    named('quoted with spaces', (it) => `password = "${it}"`, `${random(5)} ${random(9)}, ${random(4)}`),
    named('quoted with escapes', (it) => `password = "${it}"`, `${random(9)}\\"${random(4)}\\\\${random(4)}`),
    // Four x are a placeholder.
    named('long quoted', (it) => `password = '${it}'`, random(3000).replaceAll(/x/gi, 'y')),
    named('quoted without an end', (it) => `password = "${it}`),
    named(
      'bare with separators',
      (it) => `PASSWORD=${it}`,
      [9, 4, 4].map((length) => random(length)).join(','),
    ),
    named(
      'bare with a pipe',
      (it) => `PASSWORD=${it}\n`,
      `${random(9)}|${random(4)};${random(3)}'${random(3)}`,
    ),
    named('bare before a name', (it) => `Server=x;Password=${it};User=me`),
    named('pass', (it) => `DB_PASS=${it}`),
    named('pass in YAML', (it) => `user: me\npass: ${it}`),
    named('api key with a space', (it) => `API key: ${it}`, random(32)),
    named('option of curl', (it) => `curl -u me:${it} https://api.test`),
    named('letters of a bearer', (it) => `Authorization: Bearer ${it}`, random(40, LETTERS)),
    named('short secret', (it) => `secret=${it}`, `${random(4)}S3cr3tV@lue`),
    named('Twilio', (it) => `sid ${it}`, `SK${random(32, HEX)}`),
    named('Azure signature', (it) => `https://a.test/b?sv=2024&sig=${it}&se=x`, `${random(43)}%3D`),
    named(
      'Docker',
      (it) => `{"auths":{"r.test":{"auth":"${it}"}}}`,
      Buffer.from(`me:${random(12)}`).toString('base64'),
    ),
    named('German', (it) => `Das Passwort lautet ${it}, bitte ändern.`),
    named('French', (it) => `Mot de passe : ${it}`),
    named('Russian', (it) => `Пароль: ${it}`),
    named('Chinese', (it) => `密码：${it}`),
    named('Japanese', (it) => `パスワードは${it}`),
  ];
}
