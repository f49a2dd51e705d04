import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { textHash } from '../../shared/text/content-hash.ts';
import { Counts } from '../../shared/text/terms/counts.ts';
import { normalizeText } from '../../shared/text/terms/fold.ts';
import { chunkTerms, MAX_CHUNK_DIMS } from '../../shared/text/terms/terms.ts';
import { countWords } from '../../shared/text/terms/words.ts';
import { plainNormalize, plainTerms, plainWords } from '../support/plain-terms.ts';
import { LANGUAGES, NO_RETRIEVAL_SET, readRetrievalSet, retrievalFolder } from '../support/retrieval-set.ts';

const TEAM = '7b0f3c1e-4a52-4b6e-9d53-0a3f1f0f5a11';

/** Texts of characters that are rarely next to each other, with words and joiners between them. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 0x31ff }).map((point) => String.fromCodePoint(point)),
      fc.constantFrom(
        ...'Straße ΟΔΟΣ İstanbul élan й 한국 \u1112\u1161\u11ab น้ำ ที่นี่ดี ខ្មែរ က္ကခ 数据库 食べるー'.split(' '),
      ),
      fc.constantFrom(
        ...'𐹠 𠀀𠀁 ＡＢＣ ﬁne \ufdfa ERR_CONN_42 foo.bar/baz-9 v1.2.3 a@b.org well-known a.b--c_d'.split(' '),
      ),
      fc.constantFrom(' ', '.', '-', '_', 'x1', '\u00a0', '\u200b', '\u2010', '\ud800', '\u0301'),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('the terms of a chunk', () => {
  test('are those of the plain rules, for every text', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, fields) => {
        assert.equal(normalizeText(text), plainNormalize(text));
        assert.deepEqual(countWords(text), plainWords(text));
        assert.deepEqual(chunkTerms(TEAM, text, fields), plainTerms(TEAM, text, fields));
      }),
      { numRuns: 500 },
    );
  });

  test('are those of the plain rules, for each character between letters', () => {
    for (let point = 0; point <= 0x10ffff; point += point < 0x3000 ? 1 : 37) {
      const text = `e${String.fromCodePoint(point)}f`;
      assert.equal(normalizeText(text), plainNormalize(text), point.toString(16));
      assert.deepEqual(chunkTerms(TEAM, text), plainTerms(TEAM, text), point.toString(16));
    }
  });

  test('are those of the plain rules, for more dimensions than a sparsevec has', () => {
    // Three dimensions for each word: itself and two grams. Reversed, so that the words begin differently.
    const rare = Array.from({ length: 6000 }, (_, i) => [...(i + 50_000).toString(36)].reverse().join(''));
    const terms = chunkTerms(TEAM, `${rare.join(' ')} often often often`);
    assert.equal(terms.dims.length, MAX_CHUNK_DIMS);
    assert.deepEqual(terms, plainTerms(TEAM, `${rare.join(' ')} often often often`));
  });

  const folder = retrievalFolder();
  test('are those of the plain rules, for natural text', {
    skip: folder === null && NO_RETRIEVAL_SET,
  }, async () => {
    for (const language of LANGUAGES) {
      const { paragraphs } = await readRetrievalSet(folder ?? '', language);
      for (const { article, text } of paragraphs) {
        assert.deepEqual(chunkTerms(TEAM, text, article), plainTerms(TEAM, text, article));
      }
    }
  });
});

describe('counts', () => {
  test('are sorted and summed, and then empty', () => {
    const numbers = (bits: 29 | 32) => {
      const any = bits === 32 ? fc.integer() : fc.integer({ min: 1, max: 2 ** 29 });
      return fc.array(fc.oneof(any, fc.constantFrom(1, 2, 3)), { maxLength: 5000, size: 'max' });
    };
    for (const bits of [29, 32] as const) {
      const counts = new Counts(bits);
      fc.assert(
        fc.property(numbers(bits), (added) => {
          for (const number of added) counts.add(number, 2);
          const drained = counts.drain();
          const expected = Map.groupBy(added, (number) => number);
          const sorted = [...expected].sort(([a], [b]) => a - b);
          assert.deepEqual(
            [[...drained.numbers], [...drained.counts]],
            [sorted.map(([number]) => number), sorted.map(([, same]) => 2 * same.length)],
          );
        }),
      );
    }
  });

  test('look for a number among few others, however close to each other the numbers are', (t) => {
    // Those that are not looked for further are in a map.
    const set = t.mock.method(Map.prototype, 'set');
    for (const bits of [29, 32] as const) {
      const counts = new Counts(bits);
      const close = Array.from({ length: 4000 }, (_, index) => 4000 - index);
      const spread = close.map((number) => {
        const hash = Math.imul(number, 0x9e3779b1);
        return bits === 32 ? hash : hash >>> 3;
      });
      for (const number of close) counts.add(number, 1);
      assert.ok(set.mock.callCount() > 3500, 'close numbers');
      for (const number of [...spread, ...close]) counts.add(number, 1);
      const { numbers, counts: times } = counts.drain();
      const expected = [...new Set([...spread, ...close])].sort((a, b) => a - b);
      const [isClose, isSpread] = [new Set(close), new Set(spread)];
      const timesOf = (number: number) => (isClose.has(number) ? 2 : 0) + (isSpread.has(number) ? 1 : 0);
      assert.deepEqual([[...numbers], [...times]], [expected, expected.map(timesOf)]);
      set.mock.resetCalls();
      for (const number of spread) counts.add(number, 1);
      assert.equal(set.mock.callCount(), 0, 'spread numbers');
      counts.drain();
    }
  });
});

test('the hash of a text is that of its normal form', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      // With a Hangul letter and a mark, no text is recognized as normal.
      const marked = (part: string) => textHash(`${part} \u1100 e\u0301`);
      if (textHash(text).equals(textHash(text.normalize('NFKC')))) {
        assert.deepEqual(marked(text), marked(text.normalize('NFKC')));
      } else assert.match(text, /[\p{M}\uff9e\uff9f]{65}/u);
    }),
  );
});
