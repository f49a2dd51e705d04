import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMarks } from '../../web/src/pages/sources/pdf-marks.ts';
import { recordsOf } from '../../web/src/pages/sources/records.ts';

describe('the rows of tables in a text', () => {
  it('are found with the columns of all of them, and other texts stay between', () => {
    const parts = recordsOf(
      '# Costs\n\nname: rope\nprice: 3: net\n\nname: mast\nsize: 9\n\nname: a\nno cell',
    );
    assert.deepEqual(parts, [
      { text: '# Costs' },
      {
        columns: ['name', 'price', 'size'],
        rows: [
          new Map([
            ['name', 'rope'],
            ['price', '3: net'],
          ]),
          new Map([
            ['name', 'mast'],
            ['size', '9'],
          ]),
        ],
      },
      { text: 'name: a\nno cell' },
    ]);
  });
});

describe('the marks on the page of a PDF', () => {
  const PIECES = ['The walrus', ' sleeps at ', 'the pier.', '', 'The crane lifts it.', '日本語', 'the'];

  it('are the pieces that a passage is made of, whatever is between its letters', () => {
    assert.deepEqual(findMarks(PIECES, 'The **walrus** sleeps\nat the pier.'), [0, 1, 2]);
    assert.deepEqual(findMarks(PIECES, '| 日本語 | the |'), [5]);
    assert.deepEqual(findMarks(PIECES, 'Nothing of it'), []);
  });
});
