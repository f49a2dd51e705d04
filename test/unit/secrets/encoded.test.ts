import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSecretsNow } from '../../../shared/secrets/find-secrets.ts';
import { plantedSecrets } from '../../support/planted-secrets.ts';

const SECRET = 'Hunter22isLong';
const LINE = `password=${SECRET}`;

const find = (text: string) => findSecretsNow([{ text }])[0]!;

/** Writes each character of a text in another way. */
const each = (text: string, write: (character: string) => string) => [...text].map(write).join('');
const hex = (character: string) => character.charCodeAt(0).toString(16);
const percent = (text: string) => each(text, (character) => `%${hex(character)}`);
const fullWidth = (text: string) =>
  each(text, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));

const ENCODINGS: readonly (readonly [string, (text: string) => string])[] = [
  ['percent signs', percent],
  ['percent signs for what is no letter', encodeURIComponent],
  ['percent signs twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['decimal entities', (text) => each(text, (character) => `&#${character.charCodeAt(0)};`)],
  ['hexadecimal entities', (text) => each(text, (character) => `&#x${hex(character)};`)],
  ['named entities', (text) => text.replaceAll('=', '&equals;').replaceAll('"', '&quot;')],
  ['escapes of JSON', (text) => each(text, (character) => `\\u00${hex(character)}`)],
  ['full width', fullWidth],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['base64 for addresses', (text) => Buffer.from(text).toString('base64url')],
  ...['\u200b', '\u200c', '\u200d', '\ufeff', '\u2060', '\u00ad'].map(
    (invisible) =>
      [`U+${hex(invisible)} between letters`, (text: string) => [...text].join(invisible)] as const,
  ),
];

describe('credentials that are encoded', () => {
  for (const [name, encode] of ENCODINGS) {
    it(`finds a name and its value, written with ${name}`, () => {
      const encoded = encode(LINE);
      const { findings, masked } = find(`🔑 first line\nthen ${encoded} and more\nlast line`);
      assert.equal(findings.length, 1);
      assert.equal(findings[0]?.rule, 'password');
      const shown = findSecretsNow([{ text: masked }])[0]!;
      assert.deepEqual(shown.findings, []);
      assert.ok(masked.startsWith('🔑 first line\nthen ') && masked.endsWith(' and more\nlast line'), masked);
      assert.ok(!masked.includes(encode(SECRET)) && !masked.includes(SECRET.slice(4)), masked);
    });

    // A token of letters and digits has nothing that these write in another way.
    if (name === 'named entities' || name.includes('for what is no letter') || name.endsWith('twice'))
      continue;
    it(`finds tokens of services, written with ${name}`, () => {
      const prefixes = /^(?:ghp_|glpat-|sk_live|AIza|npm_|dapi)/;
      const tokens = plantedSecrets().filter(({ secret }) => prefixes.test(secret));
      assert.equal(tokens.length, 6);
      const missed = tokens.filter(({ secret }) => find(`a ${encode(secret)} b`).findings.length !== 1);
      assert.deepEqual(missed, []);
    });
  }

  it('finds a value whose base64 for addresses has both signs of that alphabet', () => {
    const encoded = Buffer.from('password=~~~H1?unter22isLong').toString('base64url');
    assert.match(encoded, /-.*_/);
    assert.equal(find(`see ${encoded}`).findings.length, 1);
  });

  it('reports the range of the encoded value in code points of the text', () => {
    const { findings } = find(`🔑 password%3D${percent(SECRET)}!`);
    assert.deepEqual(
      findings.map(({ start, end }) => [start, end]),
      [[13, 13 + 3 * SECRET.length]],
    );
  });

  it('finds a value in full width after a name in full width, and one after a sign in full width', () => {
    assert.equal(find(`密码 ${fullWidth('password')}＝${SECRET}。`).findings.length, 1);
    assert.equal(find(`password＝${SECRET}`).findings.length, 1);
  });

  it('finds nothing in encoded texts without credentials', () => {
    const innocent = [
      'https://example.test/search?q=password%20reset%3A%20how%20to&lang=en',
      '<p>The password &quot;required&quot; &amp; the token &#61; none</p>',
      '👩‍👩‍👧 family, soft\u00adhyphen, password\u00ad: required',
      'ＡＢＣ株式会社　パスワード：必須',
      Buffer.from('A plain line about a password: it is required.').toString('base64'),
    ];
    assert.deepEqual(
      innocent.flatMap((text) => find(text).findings),
      [],
    );
  });
});
