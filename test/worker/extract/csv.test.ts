import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractCsv, extractTsv } from '../../../worker/extract/csv.ts';
import { cutText } from '../../support/cut-text.ts';
import { extracted, testFaults, testTexts, textOf } from './extraction.ts';

const SCRIPTS = '名前,城市,المدينة,เมือง\n水泵,亚琛,آخن,อาเคิน\n';
const SCRIPTS_TEXT = '名前: 水泵\n城市: 亚琛\nالمدينة: آخن\nเมือง: อาเคิน';

describe('a table', () => {
  testTexts(extractCsv, {
    'can have spaces after its delimiters, also before quotation marks': [
      '"Name",   "Sex", "Age"\n"Bert, C",   "M",   42\n',
      'Name: Bert, C\nSex: M\nAge: 42',
    ],
    'keeps a quotation mark after a space if the first line has no spaces after delimiters': [
      'Name,Note\nAnn, "open\nBob,x\n',
      'Name: Ann\nNote:  "open\n\nName: Bob\nNote: x',
    ],
    'keeps codes and numbers as written': [
      'Code,Price,Id\n00420,19.90,12345678901234567890\n+49 241,-3,1e400\n',
      'Code: 00420\nPrice: 19.90\nId: 12345678901234567890\n\nCode: +49 241\nPrice: -3\nId: 1e400',
    ],
    'keeps decimal commas apart from delimiters': [
      'Preis;Menge\n1,50;2,0\n2,25;3,5',
      'Preis: 1,50\nMenge: 2,0\n\nPreis: 2,25\nMenge: 3,5',
    ],
    'keeps decimal commas without column names': ['1,5;2,5\n3,5;4,5', '1,5\n2,5\n\n3,5\n4,5'],
    'keeps commas in prose apart from delimiters': [
      'Remark\nbroken, old\nnew\nfine, but loud, very',
      'Remark: broken, old\n\nRemark: new\n\nRemark: fine, but loud, very',
    ],
    'can name its delimiter in the first line, as Excel does': [
      'sep=;\nName;Note\nAnna;a,b',
      'Name: Anna\nNote: a,b',
    ],
    'can quote delimiters, quotation marks and line breaks': [
      'Name,Note\r\n"Bert, ""B""","first\r\nsecond"\r\n',
      'Name: Bert, "B"\nNote: first\nsecond',
    ],
    'can have quotation marks within cells': [
      'Part,Size\npipe,5" wide\n"ab" cd,7\n',
      'Part: pipe\nSize: 5" wide\n\nPart: "ab" cd\nSize: 7',
    ],
    'can have rows that are too short or too long, empty cells and empty rows': [
      'A,B,C\n1,,3\n\n4\n,,\n5,6,7,8\n',
      'A | B | C\n\nA: 1\nC: 3\n\nA: 4\n\nA: 5\nB: 6\nC: 7\n8',
    ],
    'without column names becomes its cells only': ['1,2\n3,4\n', '1\n2\n\n3\n4'],
    'of column names only becomes these': ['Name,City\n', 'Name\nCity'],
    'can be in any script': [SCRIPTS, SCRIPTS_TEXT],
    'can have a byte order mark': [`\ufeff${SCRIPTS}`, SCRIPTS_TEXT],
    'can be UTF-16': [Buffer.from(`\ufeff${SCRIPTS}`, 'utf16le'), SCRIPTS_TEXT],
    'without any cell has no text': [' , \n,\n', ''],
    'without any line has no text': ['\n\n', ''],
    'with very many cells is read row by row': [
      `a,b\n${'1,2\n'.repeat(200_000)}last,cell`,
      /^(?:a: 1\nb: 2\n\n){200000}a: last\nb: cell$/,
    ],
  });

  test('has no title and no places', async () => {
    const text = 'Name: Anna\nCity: Aachen';
    assert.deepEqual(await extracted(extractCsv, 'Name,City\nAnna,Aachen\n'), {
      title: null,
      parts: [{ text, place: null }],
    });
  });

  test('makes no heading or code block from a cell that begins like one', async () => {
    const table = 'Name,"# No"\n"x\n# y\n---\n```","1"\nz,2\n';
    const pieces = cutText(`# Table\n\n${await textOf(extractCsv, table)}`);
    assert.deepEqual(new Set(pieces.map(({ headings }) => headings.join())), new Set(['Table']));
    assert.match(pieces.at(-1)?.text ?? '', /Name: z\n\\# No: 2$/);
  });
});

describe('a table with tabs', () => {
  testTexts(extractTsv, {
    'keeps commas and semicolons in its cells': ['A;B\tC\n1,5;2\t3\n', 'A;B: 1,5;2\nC: 3'],
  });
});

describe('a file that is not a valid table', () => {
  testFaults(extractCsv, {
    'fails for an unclosed quotation mark, and names the line of its row': [
      'invalid_csv',
      ['a,b\n1,"x\ny"\n2,"secret\n3,4\n', 'sep=,\r\na,b\r\n1,2\r\n"1'],
      /line 4 /,
      /secret/,
    ],
    'fails for an unknown encoding': ['invalid_encoding', [Buffer.from('x\x81y', 'latin1')]],
    'fails for binary data': ['not_text', ['a,b\0']],
    'fails for column names that make more text than can be stored, because every row repeats them': [
      'too_many_chunks',
      [`${`${'x'.repeat(199)},`.repeat(200)}\n${`${'1,'.repeat(200)}\n`.repeat(2_600)}`],
    ],
  });
});

const cell = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('a,b', 'a;b', 'a\tb', 'a|b', '"', '""', 'x\ny', '# y', '---', '```', 'سعر', '价格', 'ราคา'),
);

const table = fc.integer({ min: 2, max: 5 }).chain((width) =>
  fc.record({
    rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 8 }),
    header: fc.constant(Array.from({ length: width }, (_, column) => `Column ${column}`)),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    newline: fc.constantFrom('\n', '\r\n'),
  }),
);

const quoted = (text: string) =>
  /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
/** Without what may be put in between: white space at ends and the backslash before what looks like a heading. */
const bare = (text: string) =>
  text
    .replace(/\\(?=[#=-])/g, '')
    .replace(/\s+/g, ' ')
    .trim();

test('every cell of any table, with any of the usual delimiters, is found again under its column', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ rows, header, delimiter, newline }) => {
      const clean = rows
        .map((row) => row.map((text) => text.replaceAll('\0', '')))
        // An empty row can end the table.
        .filter((row) => row.some((text) => text.trim() !== ''));
      const file = [header, ...clean].map((row) => row.map(quoted).join(delimiter)).join(newline);
      const text = bare(await textOf(extractCsv, file));
      for (const [column, value] of clean.flatMap((row) => [...row.entries()])) {
        if (value.trim() !== '') assert.ok(text.includes(bare(`Column ${column}: ${value}`)), value);
      }
    }),
    { numRuns: 300 },
  );
});
