import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../shared/errors.ts';
import { normalizeTag, parseTags } from '../../shared/formats/names.ts';

describe('normalized tags', () => {
  test('tags that differ only in case, in composition or in white space around them are the same', () => {
    const pairs = 'Straße=strasse STRAẞE=strasse ΟΔΟΣ=οδοσ οδος=οδοσ İ=i\u0307 I=i ı=ı ﬃ=ffi Ǆ=ǆ 𐐀=𐐨'.split(
      ' ',
    );
    const spaced = ['  Invoices\t\n=invoices', 'e\u0301TE\u0301=\u00e9t\u00e9', 'Q3 / 2026=q3 / 2026'];
    for (const pair of [...pairs, ...spaced]) {
      const [given = '', normal] = pair.split('=');
      assert.equal(normalizeTag(given), normal, pair);
    }
  });

  test('letters that only look alike, and marks, make different tags', () => {
    const tags = ['i', 'ı', 'İ', 'a', 'а', 'é', 'e', 'ａ', 'a b', 'a\u00a0b'];
    assert.equal(new Set(tags.map(normalizeTag)).size, tags.length);
  });

  test('a tag that was normalized does not change when it is sent again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (tag) => {
        const normal = normalizeTag(tag);
        assert.equal(normalizeTag(normal), normal);
      }),
    );
  });
});

describe('parsed tags', () => {
  test('each tag is kept once, in the order in which the tags are first named', () => {
    assert.deepEqual(parseTags(['b', 'A', ' B', 'a ', 'c']), ['b', 'a', 'c']);
  });

  test('a tag that becomes longer than 50 characters is refused by its path', () => {
    assert.equal(parseTags(['ß'.repeat(25)])[0]?.length, 50);
    assert.equal(Array.from(parseTags(['𐐀'.repeat(50)])[0] ?? '').length, 50);
    assert.throws(
      () => parseTags(['x', 'ß'.repeat(26)], '/items/3/tags'),
      (error) => error instanceof ServiceError && error.errors?.[0]?.path === '/items/3/tags/1',
    );
  });
});
