import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMatches, findSecrets, RULES } from '../../../shared/secrets/find-secrets.ts';
import type { Rule } from '../../../shared/secrets/ranges.ts';
import { plantedSecrets } from '../../support/planted-secrets.ts';
import { type Reads, watchReads } from '../expressions/watch-reads.ts';
import { textOf, worstCasesOf } from '../expressions/worst-cases.ts';

/** The longest text that is tried: enough for several steps. */
const LENGTH = 256 * 1024;
/** What an expression can read between two yields, in characters. */
const MAX_STEP = 64 * 1024;
/** How often an expression can read a character of a text, on average. */
const MAX_TIMES = 24;
/** All cases are tried at this length, and the one that is read most often then at the longest. */
const TRIED_LENGTH = 500;

/** What rules search for first, and what is known to be bad for them or for an earlier form of them. */
const KNOWN: readonly string[] = [
  'pwd= pwd:1a! пароль:é _authToken= AccountKey= token:" token:\'pwd:"secret:` token:\\" token= pwd=example'.split(
    ' ',
  ),
  'token:2024-01-01T pwd=a&a ghs_1_ ghs_1_a. eyJ12345678. glpat- figd_ lin_api_ SG.a. sk-proj- xoxb-a-'.split(
    ' ',
  ),
  '------ ://a:b@ awssecret cGFzc3dvcmQ9aHVudGVyMjIK'.split(' '),
  ['key is a ', 'Bearer a', '[redacted: a]', 'cGFzc3dvcmQ9aHVudGVyMjIK ', `.${'a'.repeat(15)}`],
  [`pwd=${'_'.repeat(400)}x `, `pwd=a,a,a,a${'_'.repeat(100)},`],
  [`${'ghs_1_'.repeat(160)}.${'ghs_1_'.repeat(1600)}`],
  ['', '-'.repeat(16_000), 'MIIEabc1\n'.repeat(2000)].map((key) => `-----BEGIN PRIVATE KEY-----${key}`),
].flat();

function readsOf(rules: readonly Rule[], texts: readonly string[]): Reads {
  const { reads } = watchReads(({ endStep }) => {
    for (const text of texts) {
      for (const _ of findMatches(text, rules)) endStep();
    }
  });
  return reads;
}

const most = (counts: ReadonlyMap<string, number>) => Math.max(0, ...counts.values());

const repeat = (repeated: string, length: number) => textOf({ before: '', repeated, after: '' }, length);

const planted = plantedSecrets();

/** What can be repeated in a text so that a rule reads it often: by the form of its expressions, and what is known. */
function repeatable(rule: Rule): Set<string> {
  const { expressions } = readsOf(
    [rule],
    planted.map(({ text }) => text),
  );
  const made = [...expressions.values()].flatMap((each) => worstCasesOf(each));
  return new Set([
    ...KNOWN,
    ...planted.map(({ secret }) => secret.slice(0, 8)),
    ...made.filter(({ before, after }) => before === '' && after === '').map(({ repeated }) => repeated),
  ]);
}

/** The text that a rule reads most often. */
function worstOf(rule: Rule): string {
  const tried = [...repeatable(rule)].map((repeated) => {
    const text = repeat(repeated, TRIED_LENGTH);
    return { repeated, times: most(readsOf([rule], [text]).totals) / text.length };
  });
  return tried.toSorted((a, b) => b.times - a.times)[0]?.repeated ?? '';
}

describe('the work of the search for credentials', () => {
  for (const [index, rule] of RULES.entries()) {
    it(`rule ${index}, ${rule.name}, reads a long text in small steps and a bounded number of times`, () => {
      const worst = worstOf(rule);
      const [eighth, whole] = [LENGTH / 8, LENGTH].map((length) => readsOf([rule], [repeat(worst, length)]));
      const shown = JSON.stringify(worst.slice(0, 40));
      assert.ok(most(whole!.steps) <= MAX_STEP, `${most(whole!.steps)} in a step: ${shown}`);
      for (const [expression, total] of whole!.totals) {
        assert.ok(total <= MAX_TIMES * LENGTH, `${expression} reads ${total / LENGTH} times ${shown}`);
        const before = eighth!.totals.get(expression) ?? 0;
        assert.ok(total <= 8.2 * before + MAX_STEP, `${expression} reads ${before}, then ${total}: ${shown}`);
      }
    });
  }

  it('reads at most 64 characters of the name of a list for each of its values', () => {
    const [name, text] = ['password '.repeat(1000), 'a plain value'];
    const inputs = Array.from({ length: 300 }, () => ({ name, text }));
    const { reads } = watchReads(({ endStep }) => {
      for (const _ of findSecrets(inputs)) endStep();
    });
    assert.ok(most(reads.steps) <= MAX_STEP, `${most(reads.steps)} in a step`);
    const length = inputs.length * (text.length + 70);
    assert.ok(most(reads.totals) <= MAX_TIMES * length, `${most(reads.totals)} of ${length}`);
  });
});
