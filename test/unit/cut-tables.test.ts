import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { splitCharacters } from '../../shared/text/characters.ts';
import { MAX_PIECE_LENGTH, type Piece } from '../../shared/text/chunking.ts';
import { cutText } from '../support/cut-text.ts';

const HEAD = '| Part | Torque |\n| --- | --- |\n';

/** The rows of a table, with a number in each. */
const rows = (count: number, before = '') =>
  Array.from({ length: count }, (_, i) => `${before}| P-${i} | ${i} newton metres of torque |`).join('\n');

const repeatedOf = ({ text, repeated }: Piece) => splitCharacters(text, repeated)[0];
const ownOf = ({ text, repeated }: Piece) => splitCharacters(text, repeated)[1];
const compact = (text: string) => text.replace(/\s/g, '');

/** Cuts a text whose first piece repeats nothing, and returns the others, which must not be few. */
function furtherPieces(text: string): Piece[] {
  const [first, ...further] = cutText(text);
  assert.equal(first?.repeated, 0);
  assert.ok(further.length > 1, `${further.length}`);
  assert.equal(compact([first, ...further].map(ownOf).join('')), compact(text));
  return further;
}

describe('the pieces of a long table', () => {
  it('begin with the heading row and the delimiter row, and end with a row', () => {
    for (const piece of furtherPieces(`${HEAD}${rows(120)}`)) {
      assert.equal(repeatedOf(piece), HEAD);
      assert.match(ownOf(piece), /^\| P-\d+ \|[^]*\|$/);
    }
  });

  it('have as much own text as those of a table with a short heading row', () => {
    const wide = `| Part | ${'Torque '.repeat(50)}|\n| --- | --- |\n`;
    const ends = (head: string) => cutText(`${head}${rows(120)}`).map((piece) => piece.text.slice(-50));
    assert.equal(ends(wide).length, ends(HEAD).length);
  });

  it('repeat nothing if the table fits into one piece, or is below the text of a piece that it shares', () => {
    const [piece, ...others] = cutText(`# Torques\n\nBelow.\n\n${HEAD}${rows(20)}`);
    assert.equal(piece?.repeated, 0);
    assert.deepEqual(others, []);
  });

  it('stay whole at the end, where a short rest of the table is joined to the piece before', () => {
    for (const count of [52, 53, 54, 55, 56, 57, 58]) {
      const pieces = cutText(`${HEAD}${rows(count)}\n\nA note.`);
      const whole = pieces.map((piece) => piece.text).join('\n');
      assert.equal(whole.split('| --- |').length - 1, pieces.length, `${count}`);
      assert.ok(pieces.every(({ text }) => text.length <= MAX_PIECE_LENGTH));
    }
  });

  it('keep the headings above, and the line directly above the table stays with it', () => {
    const text = `# Torques\n\nAs of May:\n${HEAD}${rows(120)}`;
    const [first, ...further] = cutText(text);
    assert.ok(first?.text.startsWith(`# Torques\n\nAs of May:\n${HEAD}| P-0 |`));
    for (const piece of further) assert.deepEqual(piece.headings, ['Torques']);
  });

  it('have the rest of a row that is cut in the column of that row', () => {
    const long = 'It is said of it in one more sentence. '.repeat(150).trim();
    const text = `| Part | Note | Torque |\n|---|:-:|--:|\n| P-1 | ${long} | 60 |\n${rows(3)}`;
    const further = furtherPieces(text);
    for (const piece of further)
      assert.equal(repeatedOf(piece), '| Part | Note | Torque |\n|---|:-:|--:|\n|| ');
    assert.ok(ownOf(further[0]!).startsWith('It is said'));
    assert.match(further.at(-1)!.text, /sentence\. \| 60 \|\n\| P-0/);
  });

  it('count an escaped pipe as a part of its cell, and rows without a pipe before them', () => {
    const long = 'a \\| b, which is one cell. '.repeat(200).trim();
    for (const [row, rest] of [
      [`P-1 | ${long}`, '|| '],
      [`${long} | P-1`, '| '],
    ] as const) {
      const [further] = furtherPieces(`Part | Note\n--- | ---\n${row}\nP-2 | short`);
      assert.equal(repeatedOf(further!), `Part | Note\n--- | ---\n${rest}`);
    }
  });

  it('are cut between graphemes if a cell is one word', () => {
    const text = `${HEAD}| ${'👨‍👩‍👧‍👦'.repeat(700)} | 1 |`;
    for (const piece of furtherPieces(text)) assert.match(ownOf(piece), /^👨‍👩‍👧‍👦/u);
  });
});

describe('a heading row', () => {
  /** What the second piece of a table with this head repeats. */
  const repeatedWith = (head: string) => repeatedOf(furtherPieces(`${head}${rows(120)}`)[0]!);

  const aligned = `| Part${' '.repeat(300)}| Torque  |\n| ${'-'.repeat(300)} | ------: |\n`;
  for (const [title, head, expected] of [
    ['repeated without the spaces and hyphens that align it', aligned, '| Part | Torque |\n| - | -: |\n'],
    ['not repeated if it is long', `| Part | ${'Torque of it '.repeat(40)}|\n|---|---|\n`, ''],
    ['not repeated if it names no column', `| | |\n|---|---|\n`, ''],
    ['repeated without its indentation', `      | Part | Torque |\n      | --- | --- |\n`, HEAD],
    ['repeated without the marker of a list', `  - 12. | Part | Torque |\n        | --- | --- |\n`, HEAD],
  ] as const)
    it(`is ${title}`, () => assert.equal(repeatedWith(head), expected));

  it('is repeated as a line of the quotation that its table is in', () => {
    const text = `> | Part | Torque |\n> | --- | --- |\n${rows(120, '> ')}`;
    for (const piece of furtherPieces(text)) {
      assert.equal(repeatedOf(piece), '> | Part | Torque |\n> | --- | --- |\n');
    }
  });

  it('of each table is repeated with its own rows', () => {
    const text = `${HEAD}${rows(70)}\n\n| Port | Crane |\n|---|---|\n${rows(70)}`;
    const [, ...further] = cutText(text);
    for (const piece of further) {
      const own = ownOf(piece).includes('| Crane |');
      assert.equal(repeatedOf(piece).includes('Crane'), !own && piece.text.includes('Crane'), piece.text);
    }
    assert.deepEqual(
      further.map(repeatedOf).filter((text) => text !== ''),
      [HEAD, '| Port | Crane |\n|---|---|\n'],
    );
  });
});

describe('text that is no table', () => {
  const long = 'The pump in hall three | and nobody | has ordered the seal yet. '.repeat(60);

  for (const [what, text] of [
    ['has no delimiter row', `| Part | Torque |\n${rows(120)}`],
    ['has another number of columns in the delimiter row', `| Part | Torque |\n|---|---|---|\n${rows(120)}`],
    ['is fenced code', `\`\`\`\n${HEAD}${rows(120)}\n\`\`\``],
    ['follows a table after a blank line', `${HEAD}${rows(3)}\n\n${long}`],
    ['is a list below a table', `${HEAD}${rows(3)}\n- ${long}`],
    ['is a quotation below a table', `${HEAD}${rows(3)}\n> ${long}`],
    ['is below a quotation with a table', `> | a | b |\n> | - | - |\n> | 1 | 2 |\n${long}`],
    ['is below a rule', `${HEAD}${rows(3)}\n---\n${long}`],
    ['is below a heading', `${HEAD}${rows(3)}\n# Next\n${long}`],
  ] as const) {
    it(`is cut without a heading row if it ${what}`, () => {
      const pieces = cutText(text);
      assert.ok(pieces.length > 1 && pieces.every(({ repeated }) => repeated === 0));
    });
  }
});

describe('cutting any table', () => {
  it('loses no text, and makes no piece that is blank or too long', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', ' ', '\\', '字', '😀', '. '), maxLength: 12 });
    const repeated = fc
      .tuple(fc.constantFrom('word ', 'x', '\\|', '. A', '字'), fc.integer({ min: 1, max: 900 }))
      .map(([text, times]) => text.repeat(times));
    const row = fc
      .array(fc.oneof(letters, repeated), { maxLength: 4 })
      .map((cells) => `| ${cells.join(' | ')}`);
    const title = fc.constantFrom('', 'a', 'Torque', 'x'.repeat(90));
    const head = fc.array(title, { minLength: 1, maxLength: 9 });
    const body = fc.array(fc.tuple(row, fc.integer({ min: 1, max: 90 })), { maxLength: 6 });
    fc.assert(
      fc.property(head, fc.constantFrom('', '> ', '  ', '- '), body, (cells, before, given) => {
        const within = before.replace('-', ' ');
        const lines = [`${before}| ${cells.join(' | ')} |`, `${within}|${'-|'.repeat(cells.length)}`];
        for (const [text, times] of given) lines.push(...Array<string>(times).fill(`${within}${text}`));
        const pieces = cutText(lines.join('\n'));
        assert.equal(compact(pieces.map(ownOf).join('')), compact(lines.join('\n')));
        for (const piece of pieces) {
          assert.notEqual(ownOf(piece).trim(), '');
          assert.ok(piece.text.length <= MAX_PIECE_LENGTH, `${piece.text.length}`);
        }
      }),
      { numRuns: 200 },
    );
  });
});
