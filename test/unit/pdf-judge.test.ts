import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wordsOf } from '../../bench/documents/words.ts';
import { commonInOrder, type Expected, judge, type Verdict } from '../../bench/pdf/judge.ts';

/** Fails if the figures of a stored text are not these. */
function assertJudged(
  blocks: Expected['blocks'],
  stored: string,
  figures: Partial<Verdict>,
  repeated = [''],
) {
  const verdict = judge({ blocks, repeated }, stored);
  const named = Object.keys(figures).map((key) => [key, verdict[key as keyof Verdict]]);
  assert.deepEqual(Object.fromEntries(named), figures, stored);
}

const TEXT = [{ text: 'The green bridge of the long river.' }];
const ROWS = [
  {
    rows: [
      ['Name', 'Price'],
      ['copper pipe', '12.50'],
      ['valve', '7.00'],
    ],
  },
];
const FAULTLESS = { missing: 0, broken: 0, twice: 0 };

describe('the judge of bench:pdf', () => {
  it('reads words without Markdown, hyphens at ends of lines, leaders and direction marks', () => {
    assert.deepEqual(wordsOf('## **Bold** a\\*b | x_y\n- inter-\nnational ﬁsh'), [
      'Bold',
      'a*b',
      'x_y',
      'international',
      'fish',
    ]);
    assert.deepEqual(wordsOf('Chapter . . . . . 12\nOther.......7'), ['Chapter', '12', 'Other', '7']);
    assert.deepEqual(wordsOf('\u200fשלום\u200e، ﺳﻼم'), ['שלום', 'سلام']);
    assert.deepEqual(wordsOf('新的桥梁，火车。港口'), ['新的桥梁', '火车', '港口']);
  });

  it('finds the longest common subsequence', () => {
    assert.equal(commonInOrder([...'abcabba'], [...'cbabac']), 4);
    assert.equal(commonInOrder([...'abc'], []), 0);
    assert.equal(commonInOrder(['a'], ['a', 'a']), 1);
  });

  it('finds no fault in the text itself, in whatever lines', () => {
    assertJudged(TEXT, 'The green\nbridge of the\n\nlong river.', { words: 7, ordered: 7, ...FAULTLESS });
  });

  it('counts words out of order', () => {
    assertJudged(TEXT, 'of the long river. The green bridge', { ordered: 4, ...FAULTLESS });
  });

  it('counts words that are missing, joined, divided and there twice', () => {
    assertJudged(TEXT, 'The green of the long river.', { missing: 1, broken: 0, twice: 0 });
    assertJudged(TEXT, 'The greenbridge of the long river.', { missing: 0, broken: 2, twice: 0 });
    assertJudged(TEXT, 'The g r e e n bridge of the long river.', { missing: 0, broken: 1, twice: 0 });
    assertJudged(TEXT, 'The green green bridge of the long river.', { missing: 0, broken: 0, twice: 1 });
  });

  it('expects a header once, and ignores numbers of pages', () => {
    const page = (number: number) => `Annual report\n\n${number}`;
    assertJudged(TEXT, `${page(1)} The green bridge of the long river.`, FAULTLESS, ['Annual report']);
    assertJudged(
      TEXT,
      `${page(1)} The green bridge of ${page(2)} the long river.`,
      { ordered: 7, twice: 2 },
      ['Annual report'],
    );
  });

  it('counts rows in one line, and cells of Markdown', () => {
    const markdown = '| Name | Price |\n| --- | --- |\n| copper<br>pipe | 12.50 |\n| valve | 7.00 |';
    assertJudged(ROWS, markdown, { rows: 3, whole: 3, tableRows: 3, separate: 3, ...FAULTLESS });
    assertJudged(ROWS, 'Name Price\ncopper pipe 12.50\nvalve\n7.00', { whole: 2, separate: 0, ordered: 7 });
    assertJudged(ROWS, 'Name copper pipe valve Price 12.50 7.00', { whole: 0, separate: 0 });
  });

  it('accepts a superscript with and without a space', () => {
    for (const stored of [
      'the river1 ends',
      'the river 1 ends',
      'the river^1 ends',
      'the river[^1] ends',
      'the river¹ ends',
    ]) {
      assertJudged([{ text: 'the river^1 ends' }], stored, { words: 4, ordered: 4, ...FAULTLESS });
    }
  });
});
