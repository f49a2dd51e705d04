import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Expected, judge } from '../../bench/files/judge.ts';

const TABLE: Expected = {
  texts: [],
  tables: [
    {
      labels: ['Part', 'City', 'Price'],
      rows: [
        ['valve', 'Kiel', '12.50'],
        ['motor', '', '7.00'],
      ],
    },
  ],
};

const labelled = (expected: Expected, stored: string) => judge(expected, null, stored).labelled;
const isRight = (expected: Expected, stored: string, title: string | null = null) =>
  judge(expected, title, stored).isRight;

describe('the judge of bench:files', () => {
  it('finds rows in a Markdown table below its labels', () => {
    const table = (head: string) =>
      `| ${head} |\n| - | - | - |\n| valve | Kiel | 12.50 |\n| motor |  | 7.00 |\n\nAfter`;
    assert.equal(labelled(TABLE, table('Part | City | Price')), 2);
    assert.equal(labelled(TABLE, table('Part | Price | City')), 0);
    assert.equal(labelled(TABLE, table('Part | City | Price').replace('|  | 7.00', '| 7.00 |')), 1);
  });

  it('finds rows in records with the label of each cell', () => {
    const stored = 'Part: valve\nCity: Kiel\nPrice: 12.50\n\nPart: motor\nPrice: 7.00';
    assert.equal(labelled(TABLE, stored), 2);
    assert.ok(isRight(TABLE, stored));
    assert.equal(labelled(TABLE, stored.replace('City: Kiel', 'Price: Kiel')), 1);
    assert.equal(labelled(TABLE, stored.replace('City: Kiel', 'Kiel')), 1);
    assert.equal(labelled(TABLE, 'Report: valve\nReport: Kiel\nReport: 12.50'), 0);
  });

  it('accepts any of several texts of a cell and of a label, and covered cells empty or repeated', () => {
    const tables = [
      {
        labels: [['Weight kg', 'Weight'], 'Name'],
        rows: [
          [['12%', '0.12'], 'valve'],
          ['^', 'motor'],
        ],
      },
    ];
    const expected = { texts: [], tables };
    assert.equal(labelled(expected, 'Weight kg: 0.12\nName: valve\n\nName: motor'), 2);
    assert.equal(labelled(expected, '| Weight | Name |\n| - | - |\n| 12% | valve |\n|  | motor |'), 2);
    assert.equal(labelled(expected, '| Weight | Name |\n| - | - |\n| 12% | valve |\n| 12% | motor |'), 2);
    assert.equal(labelled(expected, '| Weight | Name |\n| - | - |\n| 13% | valve |'), 0);
  });

  it('does not accept data as labels of a table that has none', () => {
    const rows = [
      ['Ann', '6100'],
      ['Bob', '6200'],
      ['Eve', '6300'],
    ];
    const expected = { texts: [], tables: [{ labels: [], rows }] };
    assert.equal(labelled(expected, 'Ann | 6100\nBob | 6200\n\nA: Eve\nB: 6300'), 3);
    assert.equal(labelled(expected, 'Ann: Bob\n6100: 6200\n\nAnn: Eve\n6100: 6300'), 0);
  });

  it('counts words that are missing, glued and too many, but not those that are optional', () => {
    const expected = { texts: ['The green bridge is open.'], optional: ['Header of the page'] };
    assert.ok(isRight(expected, 'Header of the page\n\nThe green bridge is open.\n\nHeader of the page 12'));
    const { missing, glued, extra } = judge(expected, null, 'Home Products\n\nThe greenbridge is.');
    assert.deepEqual({ missing, glued, extra }, { missing: 1, glued: 2, extra: 3 });
    assert.ok(!isRight(expected, 'The green bridge is open. Home'));
    assert.ok(!isRight(expected, 'The green bridge open.'));
  });

  it('accepts one word of a hundred that is missing or too many', () => {
    const words = Array.from({ length: 200 }, (_, at) => `word${at}x`);
    const expected = { texts: [words.join(' ')] };
    assert.ok(isRight(expected, `${words.slice(2).join(' ')} other words`));
    assert.ok(!isRight(expected, words.slice(3).join(' ')));
    assert.ok(!isRight(expected, `${words.join(' ')} three other words`));
  });

  it('finds words of the text in the title, and judges the title if one is expected', () => {
    const expected = { texts: ['Pump manual', 'Wear gloves.'], title: 'Pump manual' };
    assert.ok(isRight(expected, 'Wear gloves.', 'Pump manual'));
    assert.ok(isRight(expected, '# Pump manual\n\nWear gloves.', 'Pump manual'));
    assert.ok(!isRight(expected, '# Pump manual\n\nWear gloves.', 'Document1'));
    assert.ok(!isRight({ ...expected, title: null }, 'Pump manual\n\nWear gloves.', 'Slide'));
  });

  it('ignores targets of links, marks of notes, and the tags of source text', () => {
    const expected = { texts: ['See the manual now.'] };
    assert.ok(isRight(expected, 'See [the manual](https://example.org/manual)[^1] now.'));
    assert.ok(isRight({ ...expected, isMarkup: true }, '<p>See the manual</p><b>now.</b>'));
    assert.ok(!isRight(expected, '<p>See the manual</p><b>now.</b>'));
  });
});
