import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { countCharacters, cutCharacters } from '../../shared/text/characters.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 60 });

describe('the characters of a text', () => {
  test('are counted as code points', () => {
    fc.assert(fc.property(text, (given) => assert.equal(countCharacters(given), Array.from(given).length)));
  });

  test('are not split when a text is cut to a number of them', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (given, most) => {
        assert.equal(cutCharacters(given, most), Array.from(given).slice(0, most).join(''));
      }),
    );
  });
});
