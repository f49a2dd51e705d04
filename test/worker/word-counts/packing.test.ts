import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type CountEntry,
  packOnceTerms,
  packSlices,
  unpackOnceTerms,
  unpackSlice,
} from '../../../worker/jobs/search/word-counts.ts';

const LEAST_INT4 = -(2 ** 31);
const MOST_INT4 = 2 ** 31 - 1;
const term = fc.oneof(
  fc.integer({ min: LEAST_INT4, max: MOST_INT4 }),
  fc.integer({ min: -300, max: 300 }),
  fc.constantFrom(LEAST_INT4, LEAST_INT4 + 1, -1, 0, 1, MOST_INT4 - 1, MOST_INT4),
);

const byTermAndPlace = (one: CountEntry, other: CountEntry) =>
  one.term - other.term || one.place - other.place;

describe('the terms that occur once', () => {
  test('are unpacked as they were packed', () => {
    fc.assert(
      fc.property(fc.uniqueArray(term, { maxLength: 200 }), (terms) => {
        const sorted = Int32Array.from(terms).sort();
        const packed = packOnceTerms(sorted);
        assert.deepEqual(unpackOnceTerms(packed), sorted);
        assert.ok(packed.length <= 5 * terms.length);
      }),
    );
  });
});

describe('the rows of counts', () => {
  const entry = fc.record(
    {
      term,
      place: fc.oneof(fc.integer({ min: 1, max: 16_000 }), fc.constantFrom(1, 2)),
      count: fc.oneof(fc.integer({ min: 1, max: 2200 }), fc.constantFrom(32_767, 32_768, 100_000)),
    },
    { noNullPrototype: true },
  );
  const entries = fc.uniqueArray(entry, {
    maxLength: 300,
    selector: (one) => `${one.term} ${one.place}`,
  });

  test('have all entries, in the slice of each term', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 8, max: 31 }), (some, shift) => {
        const sorted = some.toSorted(byTermAndPlace);
        const slices = packSlices(sorted, shift);
        assert.deepEqual(slices.flatMap(unpackSlice), sorted);
        for (const { slice, terms, counts } of slices) {
          assert.ok(terms.every((one) => one >> shift === slice));
          assert.ok(
            counts.every((count) => count < 2 ** 15),
            'fits int2',
          );
        }
        assert.equal(new Set(slices.map(({ slice }) => slice)).size, slices.length);
      }),
    );
  });
});
