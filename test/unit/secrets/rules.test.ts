import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { findMatches, findSecretsNow, type SecretInput } from '../../../shared/secrets/find-secrets.ts';
import { plantedSecrets } from '../../support/planted-secrets.ts';

function find(text: string, name?: string) {
  const input: SecretInput = name === undefined ? { text } : { text, name };
  const [found] = findSecretsNow([input]);
  assert.ok(found);
  return found;
}

describe('the rules for credentials', () => {
  it('masks a credential of each kind, and its preview shows nothing of it', () => {
    const missedKinds = () =>
      plantedSecrets().flatMap(({ kind, text, secret }) => {
        const { findings, masked } = find(text);
        const shown = findings.map(({ preview }) => preview.replace('…', ''));
        assert.ok(
          shown.every((prefix) => prefix.length <= 4 && !prefix.includes(secret)),
          kind,
        );
        return findings.length === 1 && !masked.includes(secret) ? [] : [kind];
      });
    // A random value can look like something else, such as the name of a type. Not twice.
    assert.deepEqual([...new Set(missedKinds()).intersection(new Set(missedKinds()))], []);
  });

  it('shows nothing of a password, at most four characters of a known prefix, and offsets in code points', () => {
    const prefix = ['gh', 'p_'].join('');
    assert.equal(find(`use ${prefix}${'aB3'.repeat(12)}`).findings[0]?.preview, `${prefix}…`);
    const [finding] = find('🔑 密码 password=hunter22 🔒').findings;
    assert.deepEqual([finding?.preview, finding?.start, finding?.end], ['…', 14, 22]);
  });

  it('finds a credential by the name of its value', () => {
    assert.equal(find('hunter22', 'db_password').masked, '[redacted: password]');
    assert.equal(find('hunter22', 'room').masked, 'hunter22');
    const long = ' and so on'.repeat(10_000);
    assert.equal(find(`hunter22${long}`, 'db_password').masked, `[redacted: password]${long}`);
  });

  it('finds a token and a named value at every place of a long text, also where windows meet', () => {
    const secret = ['gl', 'pat-', 'q4W'.repeat(8)].join('');
    const places = [65_000, 524_280, ...Array.from({ length: 30 }, (_, n) => 262_120 + n)];
    for (const before of places) {
      const filling = '. '.repeat(before).slice(0, before);
      const { findings, masked } = find(`${filling} ${secret} ${'. '.repeat(1000)}`);
      assert.deepEqual(
        findings.map(({ start, end }) => [start, end]),
        [[before + 1, before + 1 + secret.length]],
        `after ${before}`,
      );
      assert.ok(!masked.includes(secret));
      assert.ok(!find(`${filling} password=hunter22 ${'. '.repeat(1000)}`).masked.includes('hunter22'));
    }
  });

  it('masks all credentials of a text and nothing else, also where one follows another or is next to a mask', () => {
    const github = ['gh', 'p_', 'x7Y'.repeat(12)].join('');
    const google = ['AI', 'za', 'a1'.repeat(17), '1'].join('');
    const [password, aws] = ['Tr0ub4dor', 'a1B2'.repeat(10)];
    for (const [text, masked] of [
      [
        `a ${github}, b password=${password}; c ${github}`,
        'a [redacted: github], b password=[redacted: password]; c [redacted: github]',
      ],
      // The first is recognized only when the second is masked.
      [google + github, '[redacted: google-api-key][redacted: github]'],
      [
        `git+https://${aws}:x-oauth-basic@github.com/a/b`,
        'git+https://[redacted: github]:x-oauth-basic@github.com/a/b',
      ],
      [`aws_secret_access_key = ${aws}`, 'aws_secret_access_key = [redacted: aws]'],
      [
        `password=[redacted: password] password=${password} [redacted: github]`,
        'password=[redacted: password] password=[redacted: password] [redacted: github]',
      ],
    ] as const) {
      assert.equal(find(text).masked, masked);
      assert.deepEqual(find(masked).findings, []);
    }
  });

  it('looks for no name within a credential', () => {
    const value = 'Hunter22 token="';
    const rest = ' (see 4f5a6b7c8d9e0f1a2b3c) and "x"';
    const [inner] = find(`token="${rest}`).findings;
    assert.equal(inner?.rule, 'secret-value');
    assert.equal(find(`password='${value}'${rest}`).masked, `password='[redacted: password]'${rest}`);
  });

  it('cannot be switched off by a comment in the text', () => {
    const secret = ['gl', 'pat-', 'q4W'.repeat(8)].join('');
    const masked = find(`// secretlint-disable\n${secret} // secretlint-disable-line`).masked;
    assert.ok(!masked.includes(secret));
  });

  it('lists and masks 150,000 credentials', () => {
    const { findings, masked } = find('password=hunter22\n'.repeat(150_000));
    assert.equal(findings.length, 150_000);
    assert.equal(masked, 'password=[redacted: password]\n'.repeat(150_000));
  });

  it('takes no more steps for a text full of masks than for one with a mask', () => {
    const steps = (text: string) => [...findMatches(text)].length;
    const masks = '[redacted: a]'.repeat(160_000);
    const other = '[redacted: a]'.padEnd(masks.length, 'x');
    assert.ok(steps(masks) < steps(other) + 160_000 / 4096 + 2);
  });

  it('finds a credential of each rule of the preset that is used', () => {
    const found = new Set(
      plantedSecrets().flatMap(({ text }) => find(text).findings.map(({ rule }) => rule)),
    );
    const names = rules.map(({ meta }) => meta.id.replace('@secretlint/secretlint-rule-', ''));
    const replaced = ['aws', 'basicauth', 'database-connection-string', 'filter-comments', 'gcp'];
    const unseen = names.filter((name) => !found.has(name));
    assert.deepEqual(
      unseen.filter((name) => ![...replaced, 'privatekey', '1password', 'grafana'].includes(name)),
      [],
    );
  });
});
