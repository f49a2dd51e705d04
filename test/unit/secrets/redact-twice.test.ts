import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cutMasked } from '../../../core/redaction/field-texts.ts';
import { findSecretsNow } from '../../../shared/secrets/find-secrets.ts';
import { plantedSecrets } from '../../support/planted-secrets.ts';

const planted = plantedSecrets().flatMap(({ text, secret }) => [text, secret]);

/** Credentials, parts of them, and what rules look at around them, in any order. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...planted),
      fc
        .tuple(fc.constantFrom(...planted), fc.nat({ max: 60 }), fc.nat({ max: 60 }))
        .map(([whole, from, length]) => whole.slice(from, from + length)),
      fc.constantFrom(
        'password',
        ' is ',
        '=',
        ': ',
        '"',
        ' ',
        '\n',
        'Bearer ',
        '://',
        '@',
        'token',
        '_',
        '🔑',
      ),
      fc.constantFrom('[redacted: github]', '[redacted: ', ']', '-----BEGIN PRIVATE KEY-----', 'eyJ'),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join('').toWellFormed());

const find = (...texts: string[]) => findSecretsNow(texts.map((each) => ({ text: each })));

describe('any text', () => {
  it('is not blank and has no part of a mask when it is cut after it was redacted', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 50, max: 200 }), (each, most) => {
        const [{ findings, masked } = { findings: [], masked: '' }] = find(each);
        if (findings.length === 0) return;
        const cut = cutMasked(masked, most);
        assert.ok([...cut].length <= most && cut.isWellFormed());
        assert.notEqual(cut.trim(), '');
        const masks = [...masked.matchAll(/\[redacted: [a-z0-9-]+\]/g)];
        if (masks.some(([mask]) => mask === cut)) return;
        assert.ok(masked.startsWith(cut));
        assert.ok(
          !masks.some(({ 0: mask, index }) => index < cut.length && cut.length < index + mask.length),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('has ranges in order that do not overlap, is unchanged outside of them, and stays as it is when redacted again', () => {
    fc.assert(
      fc.property(text, (each) => {
        const found = find(each)[0]!;
        const points = [...each];
        let [from, masked] = [0, ''];
        for (const { rule, start, end } of found.findings) {
          assert.ok(start >= from && end > start && end <= points.length);
          masked += `${points.slice(from, start).join('')}[redacted: ${rule}]`;
          from = end;
        }
        assert.equal(found.masked, masked + points.slice(from).join(''));
        assert.deepEqual(find(found.masked), [{ findings: [], masked: found.masked }]);
      }),
      { numRuns: 1000 },
    );
  });

  it('has the same findings by itself and among others', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (all) => {
        assert.deepEqual(
          find(...all),
          all.flatMap((each) => find(each)),
        );
      }),
      { numRuns: 300 },
    );
  });
});
