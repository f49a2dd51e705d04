import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  countCharacters,
  countFitting,
  countJsonCharacters,
  countTextInJson,
  countTextInJsonUpTo,
  cutCharacters,
  cutToJson,
  endOfFitting,
} from '../../shared/text/json-characters.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const codePoints = (value: string) => Array.from(value).length;

describe('the characters of JSON', () => {
  test('are counted as code points', () => {
    fc.assert(
      fc.property(fc.jsonValue(), text, (value, given) => {
        assert.equal(countJsonCharacters(value), codePoints(JSON.stringify(value)));
        assert.equal(countCharacters(given), codePoints(given));
        assert.equal(countTextInJson(given), codePoints(JSON.stringify(given)) - 2);
      }),
    );
  });

  test('are counted up to a bound', () => {
    fc.assert(
      fc.property(text, fc.nat(100), (given, most) => {
        assert.equal(countTextInJsonUpTo(given, most), Math.min(countTextInJson(given), most));
      }),
    );
  });

  test('are not split when a text is cut to a number of them', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (given, most) => {
        assert.equal(cutCharacters(given, most), Array.from(given).slice(0, most).join(''));
      }),
    );
  });

  test('of a text that is cut are as many as fit, and the text begins as before', () => {
    fc.assert(
      fc.property(text, fc.nat(100), (given, room) => {
        const cut = cutToJson(given, room);
        assert.ok(countTextInJson(cut) <= room);
        if (countTextInJson(given) <= room) assert.equal(cut, given);
        else if (room > 0) {
          assert.ok(cut.endsWith('…'));
          assert.ok(given.startsWith(cut.slice(0, -1)));
          const next = String.fromCodePoint(given.codePointAt(cut.length - 1)!);
          assert.ok(countTextInJson(cut) + countTextInJson(next) > room, 'one character more does not fit');
        }
      }),
    );
  });

  test('of the parts of a text are all its characters, and no surrogate pair is split', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 6, max: 20 }), (given, room) => {
        const parts: string[] = [];
        for (let at = 0; at < given.length; ) {
          const end = endOfFitting(given, at, room);
          parts.push(given.slice(at, end));
          at = end;
        }
        assert.equal(parts.join(''), given);
        assert.ok(parts.every((part) => part.isWellFormed() && countTextInJson(part) <= room));
      }),
    );
  });

  test('of a list decide how many of its values fit', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.nat(80), (values, room) => {
        const count = countFitting(values, room);
        const length = (fitting: number) => countJsonCharacters(values.slice(0, fitting)) - 2;
        assert.ok(count === 0 || length(count) <= room);
        assert.ok(count === values.length || length(count + 1) > room);
      }),
    );
  });
});
