import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  EXCERPT,
  excerptOf,
  LEAD,
  plain,
  rangesOf,
  type Sought,
  soughtBy,
} from '../../web/src/pages/search/marks.ts';
import { countReads } from '../support/count-reads.ts';

/** The part of an excerpt after its first mark. */
const LENGTH = EXCERPT - LEAD;

/** Where the excerpt begins that has most words of the query, found by looking at all ranges for each of them. */
function plainStart(text: string, sought: Sought): number {
  const ranges = rangesOf(text, sought);
  let [best, most] = [0, 0];
  for (const { start } of ranges) {
    const within = ranges.filter((range) => range.start >= start && range.end <= start + LENGTH);
    const words = new Set(within.map(({ word }) => word)).size;
    if (words > most) [best, most] = [start, words];
  }
  return best;
}

describe('the marked words of a search', () => {
  it('an excerpt shows the place with most words of the query', () => {
    const word = fc.constantFrom('alpha', 'beta', 'gamma', 'filler', '三号厅', 'x'.repeat(500), '\n');
    fc.assert(
      fc.property(fc.array(word, { minLength: 100, maxLength: 400 }), (words) => {
        const text = words.join(' ');
        const sought = soughtBy(`alpha beta gamma 三号 ${'x'.repeat(500)}`);
        const { start, end } = excerptOf(text, sought);
        const best = plainStart(text, sought);
        assert.ok(start <= best && best <= end, `${start} to ${end} has ${best}`);
      }),
      { numRuns: 100 },
    );
  });

  it('marking a text reads it in line with its length and sorts few marks', async () => {
    const marks = ['a\u0301\u0316 ', '\u0301\u0316', '\u0301\u200d\u0316\u200d'];
    const repeated = [...marks, 'alpha ', '三号', '三 ', 'a-'];
    for (const unit of repeated) {
      const totals: number[] = [];
      for (const length of [32_000, 128_000]) {
        const reads = await countReads(() =>
          excerptOf(unit.repeat(length / unit.length), soughtBy('alpha 三号')),
        );
        assert.ok(reads.marks <= 64, `${JSON.stringify(unit)}: ${reads.marks} marks are sorted`);
        totals.push(reads.total);
      }
      assert.ok(totals[1]! < 4.2 * totals[0]!, `${JSON.stringify(unit)}: ${totals.join(', ')}`);
    }
  });

  it('the words of a text are without the signs of Markdown', () => {
    const text =
      '# Visitors\n\n- wear a **yellow** *lanyard*\n\n| a | snake_case |\n|---|:--|\n| 2 * 3 | `5*4` |\n';
    assert.equal(plain(text), 'Visitors — wear a yellow lanyard a · snake_case 2 * 3 · 5*4');
  });
});
