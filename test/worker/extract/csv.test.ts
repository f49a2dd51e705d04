import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractCsv, extractTsv } from '../../../worker/extract/csv.ts';
import { cutText } from '../../support/cut-text.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from './extraction.ts';

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('a table', () => {
  test('becomes a block per row, with each cell after its column name', async () => {
    const { title, parts } = await extracted(extractCsv, 'Name,City\nAnna,Aachen\nBert,Bonn\n');
    assert.deepEqual(
      [title, parts],
      [null, [{ text: 'Name: Anna\nCity: Aachen\n\nName: Bert\nCity: Bonn', place: null }]],
    );
  });

  test('keeps codes and numbers as written', async () => {
    const text = await textOf(
      extractCsv,
      'Code,Price,Id\n00420,19.90,12345678901234567890\n+49 241,-3,1e400\n',
    );
    for (const cell of [
      'Code: 00420',
      'Price: 19.90',
      'Id: 12345678901234567890',
      '+49 241',
      '-3',
      '1e400',
    ]) {
      assert.ok(text.includes(cell), cell);
    }
  });

  test('can use any of the usual delimiters', async () => {
    for (const delimiter of [',', ';', '\t', '|']) {
      const table = [
        ['Name', 'Note'],
        ['Anna', 'one'],
        ['Bert', 'two'],
      ];
      assert.equal(
        await textOf(extractCsv, table.map((row) => row.join(delimiter)).join('\n')),
        'Name: Anna\nNote: one\n\nName: Bert\nNote: two',
        JSON.stringify(delimiter),
      );
    }
  });

  test('keeps commas in numbers and in prose apart from delimiters', async () => {
    assert.equal(
      await textOf(extractCsv, 'Preis;Menge\n1,50;2,0\n2,25;3,5'),
      'Preis: 1,50\nMenge: 2,0\n\nPreis: 2,25\nMenge: 3,5',
    );
    assert.equal(await textOf(extractCsv, '1,5;2,5\n3,5;4,5'), '1,5\n2,5\n\n3,5\n4,5');
    assert.equal(
      await textOf(extractCsv, 'Remark\nbroken, old\nnew\nfine, but loud, very'),
      'Remark: broken, old\n\nRemark: new\n\nRemark: fine, but loud, very',
    );
  });

  test('can name its delimiter in the first line, as Excel does', async () => {
    assert.equal(await textOf(extractCsv, 'sep=;\nName;Note\nAnna;a,b'), 'Name: Anna\nNote: a,b');
  });

  test('can quote delimiters, quotation marks and line breaks', async () => {
    assert.equal(
      await textOf(extractCsv, 'Name,Note\r\n"Bert, ""B""","first\r\nsecond"\r\n'),
      'Name: Bert, "B"\nNote: first\nsecond',
    );
  });

  test('can have quotation marks within cells', async () => {
    assert.equal(
      await textOf(extractCsv, 'Part,Size\npipe,5" wide\n"ab" cd,7\n'),
      'Part: pipe\nSize: 5" wide\n\nPart: "ab" cd\nSize: 7',
    );
  });

  test('can have rows that are too short or too long, empty cells and empty rows', async () => {
    assert.equal(
      await textOf(extractCsv, 'A,B,C\n1,,3\n\n4\n,,\n5,6,7,8\n'),
      'A: 1\nC: 3\n\nA: 4\n\nA: 5\nB: 6\nC: 7\n8',
    );
  });

  test('without column names becomes its cells only', async () => {
    assert.equal(await textOf(extractCsv, '1,2\n3,4\n'), '1\n2\n\n3\n4');
    assert.equal(await textOf(extractCsv, 'Name,City\n'), 'Name\nCity');
  });

  test('can be in any script, as UTF-8 and UTF-16', async () => {
    const table = '名前,城市,المدينة,เมือง\n水泵,亚琛,آخن,อาเคิน\n';
    const text = '名前: 水泵\n城市: 亚琛\nالمدينة: آخن\nเมือง: อาเคิน';
    assert.equal(await textOf(extractCsv, table), text);
    assert.equal(await textOf(extractCsv, `\ufeff${table}`), text);
    assert.equal(await textOf(extractCsv, utf16(table)), text);
  });

  test('makes no heading or code block from a cell that begins like one', async () => {
    const table = 'Name,"# No"\n"x\n# y\n---\n```","1"\nz,2\n';
    const pieces = cutText(`# Table\n\n${await textOf(extractCsv, table)}`);
    assert.deepEqual(
      pieces.map(({ headings }) => headings),
      pieces.map(() => ['Table']),
    );
    assert.match(pieces.at(-1)?.text ?? '', /Name: z\n\\# No: 2$/);
  });

  test('that is empty has no text', async () => {
    for (const empty of ['', '\n\n', ' , \n,\n']) assert.equal(await textOf(extractCsv, empty), '');
  });

  test('with very many cells is read row by row', async () => {
    const text = await textOf(extractCsv, `a,b\n${'1,2\n'.repeat(200_000)}last,cell`);
    assert.ok(text.endsWith('a: last\nb: cell'));
    assert.equal(text.split('\n\n').length, 200_001);
  });
});

describe('a table with tabs', () => {
  test('keeps commas and semicolons in its cells', async () => {
    assert.equal(await textOf(extractTsv, 'A;B\tC\n1,5;2\t3\n'), 'A;B: 1,5;2\nC: 3');
  });
});

describe('a file that is not a valid table', () => {
  test('fails for an unclosed quotation mark, and names the line of its row', async () => {
    const fault = await faultOf(extractCsv, 'a,b\n1,"x\ny"\n2,"secret\n3,4\n');
    assert.equal(fault.code, 'invalid_csv');
    assert.match(fault.message, /line 4 /);
    assert.doesNotMatch(fault.message, /secret/);
    assert.match((await faultOf(extractCsv, 'sep=,\r\na,b\r\n"1')).message, /line 3 /);
  });

  test('fails for an unknown encoding and for binary data', async () => {
    assert.equal(
      (await faultOf(extractCsv, Buffer.from('a,b\ncaf\u00e9', 'latin1'))).code,
      'invalid_encoding',
    );
    assert.equal((await faultOf(extractCsv, 'a,b\0')).code, 'not_text');
  });

  test('fails for a column name that is too long to repeat in every row', async () => {
    const table = `${'x'.repeat(100_000)},b\n${'1,2\n'.repeat(1_100)}`;
    assert.equal((await faultOf(extractCsv, table)).code, 'too_many_chunks');
  });
});

const cell = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('a,b', 'a;b', 'a\tb', 'a|b', '"', '""', 'x\ny', '# y', '---', '```', 'سعر', '价格', 'ราคา'),
);

const table = fc
  .tuple(fc.integer({ min: 2, max: 5 }), fc.constantFrom(',', ';', '\t', '|'), fc.constantFrom('\n', '\r\n'))
  .chain(([width, delimiter, newline]) =>
    fc.record({
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 8 }),
      header: fc.constant(Array.from({ length: width }, (_, column) => `Column ${column}`)),
      delimiter: fc.constant(delimiter),
      newline: fc.constant(newline),
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

test('every cell of any table is found again under its column', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ rows, header, delimiter, newline }) => {
      const clean = rows.map((row) => row.map((text) => text.replaceAll('\0', '')));
      const file = [header, ...clean].map((row) => row.map(quoted).join(delimiter)).join(newline);
      const text = bare(await textOf(extractCsv, file));
      for (const row of clean) {
        for (const [column, value] of row.entries()) {
          if (value.trim() !== '') assert.ok(text.includes(bare(`Column ${column}: ${value}`)), value);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('a damaged table is read, or refused with a reported fault', () =>
  assertDamageIsTold(extractCsv, 'Name,"Note"\nAnna,"one, ""two"""\n水泵,"x\ny"\n'));

test('the reading process reads tables', async (t) => {
  const { parts } = await extractedInProcess(t, 'text/csv', '城市,Code\n亚琛,AC-0042\n');
  assert.deepEqual(parts, [{ text: '城市: 亚琛\nCode: AC-0042', place: null }]);
});
