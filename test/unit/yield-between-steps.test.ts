import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { slicesOf } from '../../shared/resources/async.ts';

describe('the slices of a text', () => {
  // In a text of pairs only, one code unit more at its beginning moves the end of a slice into a pair, or out of it.
  for (const [what, pair] of [
    ['a surrogate pair', '\u{1e8d0}'],
    ['a CRLF', '\r\n'],
  ] as const) {
    it(`a slice never splits ${what}, and the slices join to the whole text`, () => {
      for (const before of ['', 'a']) {
        const text = before + pair.repeat(1_000_000);
        const slices = [...slicesOf(text)];
        assert.ok(slices.length > 1);
        assert.ok(slices.every((slice) => slice.endsWith(pair)));
        assert.equal(slices.join(''), text);
      }
    });
  }

  it('an empty text has no slices', () => {
    assert.deepEqual([...slicesOf('')], []);
  });
});
