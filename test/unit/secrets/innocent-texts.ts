import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { EXAMPLES } from '../../../api/http/openapi/examples.ts';
import * as identity from '../../../shared/schemas/accounts.ts';
import * as library from '../../../shared/schemas/sources.ts';
import { ROOT } from '../../support/root.ts';

/*
 * Texts without credentials that look as if they had some: numbers, hashes, encoded data, code and prose about passwords.
 */

/** Bytes that are the same in each run. */
function bytes(seed: string, length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    createHash('sha256').update(`${seed} ${index}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

const hex = (seed: string, length: number) => bytes(seed, length / 2).toString('hex');
const base64 = (seed: string, length: number) => bytes(seed, length).toString('base64');
const wrapped = (text: string) => (text.match(/.{1,64}/g) ?? []).join('\n');
const uuid = (seed: string) => hex(seed, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const repeated = (count: number, make: (seed: string) => string) =>
  Array.from({ length: count }, (_, index) => make(`text ${index}`));

/** A text without the session tokens in its examples, which are to be found. */
const withoutTokens = (text: string) => text.replace(/token(?:=|": ")[\w-]{43}/g, 'token');
const read = (file: string) => withoutTokens(readFileSync(join(ROOT, file), 'utf8'));
/** The wire types of accounts and sources and the examples of all routes, as the OpenAPI document has them. */
const DOCUMENTED = withoutTokens(JSON.stringify([identity, library, EXAMPLES], null, 2));
/** The page about credentials has some. */
const NOT_INNOCENT = 'docs/guide/redaction.md';
const files = (pattern: string, count: number) =>
  globSync(pattern, { cwd: ROOT, exclude: [NOT_INNOCENT] })
    .sort()
    .slice(0, count);

/** Pieces of a text, at lines. */
function pieces(text: string, count: number): string[] {
  const all = text.split('\n');
  const size = Math.ceil(all.length / count);
  return Array.from({ length: count }, (_, index) => all.slice(index * size, (index + 1) * size).join('\n'));
}

const minified = (file: string) => transformSync(read(file), { loader: 'ts', minify: true }).code;

const PUBLIC_PARTS = ['CERTIFICATE', 'PUBLIC KEY', 'PGP PUBLIC KEY BLOCK', 'CERTIFICATE REQUEST'];

const PROSE: readonly string[] = [
  'The password must have at least 12 characters. Your password is stored as an argon2id hash. The token is valid for 7 days; the secret is never shown again.',
  'Das Passwort muss mindestens 12 Zeichen haben. Ihr Passwort ist abgelaufen. Kennwort: siehe Umschlag. Das Token ist 30 Tage gültig.',
  'Le mot de passe est obligatoire : 12 caractères au moins. Votre mot de passe est expiré depuis 2024. Le jeton est valable 7 jours.',
  'La contraseña es obligatoria y debe tener 12 caracteres. Contraseña: mínimo 12, máximo 256. El token es válido durante 7 días.',
  'A senha é obrigatória e deve ter 12 caracteres. Senha: entre 12 e 256. O token é válido por 30 dias.',
  'Het wachtwoord is verplicht en heeft minstens 12 tekens. Wachtwoord: 12 tot 256. Het token is 30 dagen geldig.',
  'Пароль должен содержать не менее 12 символов. Пароль: от 12 до 256. Пароль это секрет.',
  '密码必须至少有12个字符。密码：最少12位。令牌有效期为30天。请不要把密码告诉别人。',
  'パスワードは12文字以上で入力してください。パスワード：必須。トークンは30日間有効です。',
  '비밀번호는 12자 이상이어야 합니다. 비밀번호: 필수 항목. 토큰은 30일 동안 유효합니다.',
  'كلمة المرور يجب أن تحتوي على 12 حرفا على الأقل. الرمز صالح لمدة 30 يوما.',
];

const CONFIGURATION: readonly string[] = [
  'services:\n  api:\n    environment:\n      DB_PASSWORD: ${DB_PASSWORD:?set it}\n      API_TOKEN: ${API_TOKEN}\n    secrets:\n      - db_password\n',
  'env:\n  - name: PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: database-2024\n        key: password\n',
  'PASSWORD=\nAPI_KEY=your-api-key-here-123\nTOKEN=<token>\nSECRET=changeme\nDATABASE_URL=postgres://user:password@localhost:5432/app\n',
  'resource "x" "y" {\n  password = var.db_password\n  token    = data.vault.secret1.data["token"]\n  api_key  = module.keys.api_key_v2\n}\n',
  '<form><label for="p1">Password</label><input type="password" name="password" id="password1" autocomplete="current-password" maxlength="256"></form>',
  '{"login":{"password":"Password","forgotPassword":"Forgot your password?","token":"Access token","secret":"Secret","apiKey":"API key"}}',
  '{"login":{"password":"Passwort","token":"Zugriffstoken","confirm":"Passwort bestätigen","passwordHint":"Mindestens 12 Zeichen"}}',
  'password: z.string().min(12).max(256)\ntoken: Type.String({ minLength: 43 })\nsecret?: Buffer;\nkey: Uint8Array;\nconst token = await issueToken(user, 90);',
  'Usage: tool --password <password> --token TOKEN --api-key KEY\n  --password-file PATH  file with the password\n  --token-file PATH',
  'max_tokens: 4096\ntokens: 128000\nprompt_tokens=1523 completion_tokens=220\ntoken: 12\ntoken_type: bearer\npageToken: null\n',
  'Authorization: Bearer <token>\nAuthorization: Bearer $TOKEN\nAuthorization: Basic <credentials>\nWWW-Authenticate: Bearer realm="api", error="invalid_token"',
  'https://example.com:8443/a/b@c?x=1\nssh://git@github.com:22/a/b.git\nhttp://[::1]:3000/\nmailto:me@test.org\nhttps://medium.com/@name/post-1234',
  'hash = sha256(password1 + salt2)\nif (password === password2) return\nkey = keys[index1]\ntoken := strings.Split(header2, " ")[1]\n',
  'Password policy: NIST 800-63B. Password length: 12-256. Password hashing: argon2id, m=19456. Token lifetime: 30d. Key size: 4096 bits.',
  'PASSWORD_MIN_LENGTH=12\nTOKEN_TTL_SECONDS=86400\nSECRET_ROTATION_DAYS=30\nAPI_KEY_HEADER=x-api-key\nSESSION_TOKEN_NAME=session_token_v2\n',
  'AWS_REGION=eu-central-1\naws_account_id = 123456789012\narn:aws:iam::123456789012:role/app-role-2024',
  'password: kubernetes-secret-name-v2\ntoken: team/app/prod/db-token/v2\nsecret: my-app-secret-2024\npassword: ~/secrets/db1\ntoken: /run/secrets/token1',
  'password manager: 1Password\npassword: min8chars\npassword: "at least 12 characters, 1 digit"\npassword hash: PBKDF2-HMAC-SHA256\npassword: PBKDF2-HMAC-SHA256',
  'token: 0x7f3a2b4c5d6e\ntoken: 0x52908400098527886E0F7030069857D2E4169EE7\nnextToken: CAESBggBEAEaAghkYWJjZGVmMTIz\n"next_page_token": "x"',
  `token: ${uuid('a')}\n{"token":"${uuid('b')}"}\nsession secret id: ${uuid('c')}`,
  'The build did pass: 12 of 12. First pass: 3 errors. docker run -u 1000:1000 x; docker run --user app:staff x',
  '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\nReplace the dots with your key, which begins with -----BEGIN PRIVATE KEY-----.',
];

/** Some two hundred texts, by kind. */
export function innocentTexts(): [kind: string, text: string][] {
  const groups: Record<string, readonly string[]> = {
    'lock file': pieces(read('package-lock.json'), 30),
    UUIDs: repeated(8, (seed) => lines(50, (index) => `${uuid(`${seed} ${index}`)},token ${index}`)),
    hashes: repeated(8, (seed) =>
      lines(50, (index) => `${hex(`${seed} ${index}`, 64)}  file-${index}.tar.gz`),
    ),
    commits: repeated(6, (seed) =>
      lines(50, (index) => `commit ${hex(`${seed} ${index}`, 40)} fix: key ${index}`),
    ),
    pictures: repeated(10, (seed) => `<img src="data:image/png;base64,${base64(seed, 6000)}">`),
    'base64 lines': repeated(6, (seed) => wrapped(base64(seed, 6000))),
    'public parts': repeated(8, (seed) => {
      const part = PUBLIC_PARTS[seed.length % PUBLIC_PARTS.length] ?? '';
      return `-----BEGIN ${part}-----\n${wrapped(base64(seed, 1200))}\n-----END ${part}-----\nssh-ed25519 ${base64(seed, 51)} me@host`;
    }),
    'minified code': files('{core,api,cli,shared}/**/{accounts,client,secrets,tokens}/*.ts', 20).map(
      minified,
    ),
    code: files(
      '{core,api,cli,db,shared}/**/*{password,token,session,account,reset,login,setting,key}*.ts',
      25,
    ).map(read),
    pages: files('docs/{guide,operations,reference}/*.md', 35).map(read),
    'OpenAPI document': pieces(DOCUMENTED, 12),
    numbers: repeated(8, (seed) =>
      lines(60, (index) => [...bytes(`${seed} ${index}`, 8)].map((value) => value * 1.37).join(';')),
    ),
    logs: repeated(8, (seed) =>
      lines(
        40,
        (index) =>
          `2024-03-0${(index % 9) + 1}T10:11:12.345Z INFO req=${uuid(`${seed} ${index}`)} token=${index} ip=10.0.0.${index} GET /v1/auth/token?page=${index} 200 12ms`,
      ),
    ),
    prose: PROSE,
    configuration: CONFIGURATION,
  };
  return Object.entries(groups).flatMap(([kind, texts]) =>
    texts.map((text): [string, string] => [kind, text]),
  );
}
