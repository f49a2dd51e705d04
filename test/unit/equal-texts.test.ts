import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { textHash } from '../../shared/text/content-hash.ts';

const hex = (text: string) => textHash(text).toString('hex');

const SAME: Readonly<Record<string, readonly string[]>> = {
  'The pump hums.': ['the PUMP hums.', '  The\tpump\r\n\n hums. \n', 'The\u00a0pump\u0085\u3000hums.'],
  office: ['oﬃce'],
  'HR-2210': ['ＨＲ－２２１０'],
  é: ['e\u0301'],
  Straße: ['STRASSE'],
  ΟΔΟΣ: ['οδος'],
  각: ['\u1100\u1161\u11a8'],
};

describe('the hash of a text', () => {
  it('is the same for texts that differ in form, case and white space', () => {
    for (const [one, others] of Object.entries(SAME))
      for (const other of others) assert.equal(hex(one), hex(other), other);
  });

  it('differs between texts that differ in anything else', () => {
    const texts =
      'The pump hums.|The pump hums|Thepump hums.|resume|résumé|ı|i|HR-2210|HR-2211|水泵|水 泵'.split('|');
    assert.equal(new Set(texts.map(hex)).size, texts.length);
  });

  it('has 16 bytes that do not change between versions, because it is stored', () => {
    assert.equal(hex(''), 'e3b0c44298fc1c149afbf4c8996fb924');
    assert.equal(hex('The pump\nhums at 5 °C – größer.'), 'f95d0d67a11761cc249435754e067255');
  });

  it('does not depend on the case of ASCII letters or on the amount of white space in any text', () => {
    const swapped = (text: string) =>
      text.replaceAll(/[a-z]/gi, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }),
        fc.constantFrom('  ', '\n', '\t \r\n'),
        (words, blank) => {
          const text = words.join(' ');
          assert.equal(hex(swapped(text)), hex(text));
          assert.equal(hex(` ${words.join(blank)}\n`), hex(text));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('of a text with longer compatibility forms or more marks than any real text belongs only to this text', () => {
    const long = '\ufdfa'.repeat(8000);
    assert.notEqual(hex(long), hex(long.normalize('NFKC')));
    assert.equal(hex('\ufdfa'), hex('\ufdfa'.normalize('NFKC')));
    const marks = 'a' + '\u0316\u0301'.repeat(4000);
    assert.equal(hex(marks), hex(marks));
    assert.notEqual(hex(marks), hex(marks.toUpperCase()));
  });
});
