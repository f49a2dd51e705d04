import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../../../../worker/extract/html.ts';
import { testFaults, testTexts, textOf } from '../extraction.ts';

const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const table = (...rows: string[]) => `<table>${rows.join('')}</table>`;
const sentence = 'The pump is checked by two people before it leaves the hall. ';

describe('a table of data', () => {
  testTexts(extractHtml, {
    'keeps its rows if a cell has a table of one cell': [
      '<table><tr><th>Field</th><th>Value</th></tr><tr><td>Owner</td><td><table><tr><td>Ann</td></tr></table></td></tr>' +
        '<tr><td>Phone</td><td>6100</td></tr></table>',
      '| Field | Value |\n| - | - |\n| Owner | Ann |\n| Phone | 6100 |',
    ],
    'keeps its rows if nothing declares it as data': [
      table(row('Owner', table(row('Ann'))), row('Phone', '6100')),
      '| Owner | Ann |\n| - | - |\n| Phone | 6100 |',
    ],
    'has tables in its cells as text, with a colon between a name and its value': [
      table(
        row('Team', 'Contact'),
        row('Sales', `first ${table(row('Owner', 'Ann'), row('Phone', '<b>61</b>00'))} last`),
      ),
      '| Team | Contact |\n| - | - |\n| Sales | first Owner: Ann; Phone: 6100 last |',
    ],
    'has tables with headings or several columns in its cells as text, with commas': [
      table(
        '<tr><th>Pump<th>Values</tr>',
        row(
          'PV-1',
          '<table><tr><th>Bar<th>Flow</tr><tr><td>12<td>30</tr></table><table><tr><td>a<td><td>c</tr></table>',
        ),
      ),
      '| Pump | Values |\n| - | - |\n| PV-1 | Bar, Flow; 12, 30 a, c |',
    ],
    'keeps its rows if tables are in tables of its cells': [
      table(
        row('Owner', table(row('Name', table(row('First', 'Ann'), row('Last', 'Lee'))), row('Age', '40'))),
        row('Phone', '6'),
      ),
      '| Owner | Name: First: Ann; Last: Lee; Age: 40 |\n| - | - |\n| Phone | 6 |',
    ],
    'keeps its rows if a cell has a heading': [
      table(
        '<tr><th>Field<th>Value</tr>',
        row('<h3>Owner</h3>', 'Ann'),
        row('Phone', '<h4>6100</h4> in the hall'),
      ),
      '| Field | Value |\n| - | - |\n| Owner | Ann |\n| Phone | 6100 in the hall |',
    ],
    'keeps its rows if a cell has a heading, and nothing declares it as data': [
      table(row('<h3>Owner</h3>', 'Ann'), row('<h3>Phone</h3>', '6100')),
      '| Owner | Ann |\n| - | - |\n| Phone | 6100 |',
    ],
    'keeps long cells if it has headings': [
      table('<tr><th>Id<th>Text</tr>', row('R1', `<p>${sentence}</p>`.repeat(30))),
      /^\| Id \| Text \|\n\| - \| - \|\n\| R1 \| The pump[^|]{1700,} \|$/,
    ],
  });
});

describe('a table that only arranges the page', () => {
  testTexts(extractHtml, {
    'is read as text if its cells have a menu and an article': [
      table(row('Logo', 'Slogan'), row(`<a>Home</a>`, `<h1>Refunds</h1><p>Within 14 days.</p>`)),
      'Logo\n\nSlogan\n\nHome\n\n# Refunds\n\nWithin 14 days.',
    ],
    'is read as text if its cells are sections with headings': [
      table(row('<h2>A</h2><p>a</p>', '<h2>B</h2><p>b</p>'), row('<h2>C</h2><p>c</p>', '<h2>D</h2><p>d</p>')),
      '## A\n\na\n\n## B\n\nb\n\n## C\n\nc\n\n## D\n\nd',
    ],
    'is read as text if a cell has a long table or section, and nothing declares the table as data': [
      table(row('a', 'b'), row('Left', `<h2>News</h2><p>${sentence.repeat(10)}</p>`)),
      /^a\n\nb\n\nLeft\n\n## News\n\nThe pump/,
    ],
    'is read as text if a cell has a very long section, also with headings': [
      table('<tr><th>a<th>b</tr>', row('Left', `<h2>News</h2><p>${sentence.repeat(40)}</p>`)),
      /^a\n\nb\n\nLeft\n\n## News\n\nThe pump/,
    ],
    'is read as text if a cell has many paragraphs, and nothing declares the table as data': [
      table(row('Left', `<p>${sentence.repeat(4)}</p>`.repeat(5))),
      /^Left\n\nThe pump[^|]+$/,
    ],
    'is read as text if it says so': [
      '<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>',
      'a\n\nb\n\nc\n\nd',
    ],
  });
});

describe('a hostile table', () => {
  test('does not become large by its spans', async () => {
    const html = `<table>${'<tr><td rowspan=9999 colspan=99>a<td>b'.repeat(500)}</table>`;
    assert.ok((await textOf(extractHtml, html)).length < 20_000);
  });

  test('does not become large by one wide row', async () => {
    const html = `<table><tr>${'<td>a'.repeat(1_000)}${'<tr><td>b<td>c'.repeat(1_000)}</table>`;
    assert.ok((await textOf(extractHtml, html)).length < 20_000);
  });

  test('within tables is read in linear time: a cell with much in it arranges the page', async () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'x' : `<table><tr><th>a<th>b<tr><td>c<td>${nested(depth - 1)}</table>`;
    const text = await textOf(extractHtml, nested(150));
    // All rows would be in one cell otherwise.
    assert.ok(Math.max(...text.split('\n').map((line) => line.length)) < 3_000);
  });

  test('can have more captions than a call can have arguments', async () => {
    const text = await textOf(
      extractHtml,
      `<table>${'<caption>a</caption>'.repeat(130_000)}<tr><td>b<td>c</table>`,
    );
    assert.match(text, /^a\n/);
  });

  testFaults(extractHtml, {
    'fails if it is nested too deeply': ['too_deep', ['<table><tr><td>a<td>'.repeat(20_000)]],
  });
});
