import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeXml } from '../../documents/markup.ts';
import { NAMESPACES } from '../../documents/open-document.ts';
import { convertOffice, execute, write } from '../../support/programs.ts';
import type { Made, Maker } from '../samples.ts';
import { PYTHON, runScript } from './scripts.ts';
import { type Case, type Sheet, sheetCases, type Value } from './sheet-cases.ts';

const casesFor = (program: string, choose: (name: string) => boolean = () => true): [string, Case][] =>
  Object.entries(sheetCases(program)).filter(
    ([name, { only }]) => choose(name) && (only?.includes(program) ?? true),
  );

const madeOf = (program: string, cases: readonly [string, Case][], work: string, format: string): Made[] =>
  cases.map(([name, { expected }]) => ({
    kind: format,
    name: `${name}-${format}`,
    path: join(work, `${program}-${name}.${format}`),
    expected,
  }));

/** A program that a script drives. */
const scripted = (program: string, script: string, packages: string, only?: readonly string[]): Maker => ({
  commands: [script.endsWith('.pl') ? 'perl' : PYTHON],
  packages,
  make: async (work) => {
    const cases = casesFor(program, (name) => only?.includes(name) ?? true);
    const books = cases.map(([name, { sheets }]) => ({
      path: join(work, `${program}-${name}.xlsx`),
      sheets,
    }));
    await runScript(script, { library: program, books });
    return madeOf(program, cases, work, 'xlsx');
  },
});

/** The number style of OpenDocument for a number format of Excel that the cases use. */
const STYLES: Readonly<Record<string, string>> = {
  '0%': '<number:percentage-style style:name="N1"><number:number number:decimal-places="0" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>',
  '#,##0.0%':
    '<number:percentage-style style:name="N2"><number:number number:decimal-places="1" number:min-integer-digits="1" number:grouping="true"/><number:text>%</number:text></number:percentage-style>',
  '0.0" kg"':
    '<number:number-style style:name="N3"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text> kg</number:text></number:number-style>',
  '00000':
    '<number:number-style style:name="N4"><number:number number:decimal-places="0" number:min-integer-digits="5"/></number:number-style>',
  'dd.mm.yyyy':
    '<number:date-style style:name="N5"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style>',
  'yyyy-mm-dd':
    '<number:date-style style:name="N6"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>',
};
const FORMATS = Object.keys(STYLES);

const columnOf = (letter: string) => (letter.codePointAt(0) ?? 0) - ('A'.codePointAt(0) ?? 0);

/** How many columns and rows a merged cell covers; null for a covered cell. */
function spanAt({ merged = [] }: Sheet, x: number, y: number): [columns: number, rows: number] | null {
  for (const area of merged) {
    const [, from = '', top = '', to = '', bottom = ''] = /^([A-Z])(\d+):([A-Z])(\d+)$/.exec(area) ?? [];
    const [x1, y1, x2, y2] = [columnOf(from), Number(top) - 1, columnOf(to), Number(bottom) - 1];
    if (x < x1 || x > x2 || y < y1 || y > y2) continue;
    return x === x1 && y === y1 ? [x2 - x1 + 1, y2 - y1 + 1] : null;
  }
  return [1, 1];
}

function flatCell(sheet: Sheet, value: Value, x: number, y: number): string {
  const span = spanAt(sheet, x, y);
  if (span === null) return '<table:covered-table-cell/>';
  const spans = `table:number-columns-spanned="${span[0]}" table:number-rows-spanned="${span[1]}"`;
  if (value === null) return `<table:table-cell ${spans}/>`;
  const isObject = typeof value === 'object';
  if (isObject && 'date' in value) {
    const style = FORMATS.indexOf(value.format ?? 'yyyy-mm-dd') + 1;
    return `<table:table-cell ${spans} table:style-name="C${style}" office:value-type="date" office:date-value="${value.date}"/>`;
  }
  const plain = isObject ? value.value : value;
  const text = `<text:p>${escapeXml(String(plain))}</text:p>`;
  if (typeof plain === 'string')
    return `<table:table-cell ${spans} office:value-type="string">${text}</table:table-cell>`;
  const format = isObject ? FORMATS.indexOf(value.format ?? '') + 1 : 0;
  const style = format > 0 ? `table:style-name="C${format}"` : '';
  const type = isObject && value.format?.includes('%') === true ? 'percentage' : 'float';
  return `<table:table-cell ${spans} ${style} office:value-type="${type}" office:value="${plain}"/>`;
}

/** Sheets as flat OpenDocument. */
function flatSheets(sheets: readonly Sheet[]): string {
  const styles = FORMATS.map(
    (_, at) =>
      `<style:style style:name="C${at + 1}" style:family="table-cell" style:data-style-name="N${at + 1}"/>`,
  );
  const hidden =
    '<style:style style:name="T1" style:family="table"><style:table-properties table:display="false"/></style:style>';
  const tables = sheets.map((sheet) => {
    const width = Math.max(...sheet.rows.map((row) => row.length));
    const rows = sheet.rows.map((row, y) => {
      const cells = Array.from({ length: width }, (_, x) => flatCell(sheet, row[x] ?? null, x, y));
      return `<table:table-row>${cells.join('')}</table:table-row>`;
    });
    const style = sheet.hidden === true ? 'table:style-name="T1"' : '';
    return `<table:table table:name="${sheet.name}" ${style}><table:table-column table:number-columns-repeated="${width}"/>${rows.join('\n')}</table:table>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?><office:document ${NAMESPACES} xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"
    office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
    <office:automatic-styles>${FORMATS.map((format) => STYLES[format]).join('')}${styles.join('')}${hidden}</office:automatic-styles>
    <office:body><office:spreadsheet>${tables.join('\n')}</office:spreadsheet></office:body></office:document>`;
}

/** LibreOffice Calc, in both formats. */
export const calc: Maker = {
  commands: ['soffice'],
  packages: 'libreoffice-calc',
  make: async (work) => {
    const cases = casesFor('calc');
    const sources = await Promise.all(
      cases.map(([name, { sheets }]) => write(join(work, `calc-${name}.fods`), flatSheets(sheets))),
    );
    for (const format of ['xlsx', 'ods']) await convertOffice(sources, format, work);
    return [...madeOf('calc', cases, work, 'xlsx'), ...madeOf('calc', cases, work, 'ods')];
  },
};

const GNUMERIC = [
  'plain',
  'title-block',
  'two-rows',
  'below',
  'no-heading',
  'empty-column',
  'formats',
  'days',
  'ja',
];

/** Gnumeric, which writes workbooks of openpyxl again. */
export const gnumeric: Maker = {
  commands: ['ssconvert', PYTHON],
  packages: 'gnumeric python3-openpyxl',
  make: async (work) => {
    const cases = casesFor('gnumeric', (name) => GNUMERIC.includes(name));
    const books = cases.map(([name, { sheets }]) => ({ path: join(work, `source-${name}.xlsx`), sheets }));
    await runScript('sheet.py', { library: 'openpyxl', books });
    for (const [at, [name]] of cases.entries()) {
      const source = books[at]!.path;
      await execute('ssconvert', [source, join(work, `gnumeric-${name}.ods`)]);
      await execute('ssconvert', [
        '--export-type=Gnumeric_Excel:xlsx2',
        source,
        join(work, `new-${name}.xlsx`),
      ]);
      await rename(join(work, `new-${name}.xlsx`), join(work, `gnumeric-${name}.xlsx`));
    }
    return [...madeOf('gnumeric', cases, work, 'xlsx'), ...madeOf('gnumeric', cases, work, 'ods')];
  },
};

export const openpyxl = scripted('openpyxl', 'sheet.py', 'python3-openpyxl');
export const xlsxwriter = scripted('xlsxwriter', 'sheet.py', 'python3-xlsxwriter');
export const excelWriter = scripted('excel-writer', 'sheet.pl', 'libexcel-writer-xlsx-perl', [
  'plain',
  'title-block',
  'below',
  'no-heading',
  'years',
  'formats',
  'groups',
]);
