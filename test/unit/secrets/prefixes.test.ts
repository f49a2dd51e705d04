import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSecretsNow } from '../../../shared/secrets/find-secrets.ts';

const letters = (length: number) => 'aBcDeFgHiJkLmNoPqRsT'.repeat(8).slice(0, length);
const digits = (length: number) => '1357902468'.repeat(2).slice(0, length);
const mixed = (length: number) => 'a1B2c3D4e5F6g7H8'.repeat(20).slice(0, length);
const hex = (length: number) => '0123456789abcdef'.slice(0, length);

/** The shortest token of each kind that begins with a known prefix, in all its variants. */
const TOKENS: readonly [prefixes: readonly string[], rest: string][] = [
  [['cfk_', 'cfut_', 'cfat_'], mixed(40) + hex(8)],
  [['dckr_pat_'], mixed(27)],
  [['figd_'], mixed(40)],
  [['gho_', 'ghp_', 'ghs_', 'ghu_', 'ghr_'], mixed(36)],
  [['github_pat_'], mixed(82)],
  [['ghs_'], '1_a.b.c'],
  [['glc_'], mixed(32)],
  [['glsa_'], `${mixed(32)}_${hex(8)}`],
  [['gsk_'], mixed(52)],
  [['hf_'], letters(34)],
  [['lin_api_'], mixed(32)],
  [['npm_'], mixed(36)],
  [['ntn_'], digits(11) + mixed(35)],
  [['ops_'], Buffer.from(JSON.stringify({ email: letters(82) })).toString('base64')],
  [['rk_live_', 'rk_test_', 'sk_live_', 'sk_test_'], mixed(24)],
  [['shppa_', 'shpca_', 'shpat_', 'shpss_'], mixed(32)],
  [['vca_', 'vci_', 'vck_', 'vcp_', 'vcr_'], mixed(20)],
  [['whsec_'], mixed(20)],
  [['glpat-', 'glrt-', 'gldt-', 'glptt-', 'glsoat-'], mixed(20)],
  [['pypi-'], `AgE${mixed(50)}`],
  [['sk-'], mixed(40)],
  [['sk-proj-', 'sk-svcacct-', 'sk-admin-'], `${mixed(58)}T3BlbkFJ${mixed(58)}`],
  [['sk-ant-api03-'], `${mixed(90)}AA`],
  [['tskey-'], `api-${mixed(8)}-${mixed(16)}`],
  [['hvs.', 'hvr.'], mixed(90)],
  [['hvb.'], mixed(138)],
  [['SG.'], `${mixed(22)}.${mixed(43)}`],
  [['ya29.'], mixed(30)],
];

describe('tokens with a known prefix', () => {
  for (const [prefixes, rest] of TOKENS) {
    it(`${prefixes.join(', ')} is found in a text without another token`, () => {
      for (const prefix of prefixes) {
        const token = prefix + rest;
        const { findings } = findSecretsNow([{ text: `See ${token} there.` }])[0]!;
        assert.deepEqual(
          findings.map(({ start, end }) => [start, end]),
          [[4, 4 + token.length]],
          prefix,
        );
      }
    });
  }

  it('are found where the prefix is over the end of a window', () => {
    const token = ['gl', 'pat-', mixed(20)].join('');
    for (let before = 65_520; before <= 65_540; before++) {
      const text = `${'. '.repeat(before).slice(0, before)}${token} ${'. '.repeat(40_000)}`;
      assert.equal(findSecretsNow([{ text }])[0]!.findings.length, 1, `after ${before}`);
    }
  });
});
