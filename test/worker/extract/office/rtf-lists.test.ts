import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractRtf } from '../../../../worker/extract/office/rtf.ts';
import { assertDamageIsTold, testTexts, textOf } from '../extraction.ts';

const rtf = (body: string) => `{\\rtf1\\ansi\\ansicpg1252\\deff0 ${body}}`;
/** A paragraph with a marker, as Word and LibreOffice write it. */
const item = (marker: string, text: string, more = '') =>
  `\\pard{\\listtext\\pard\\plain ${marker}}\\ls1 ${more}${text}\\par\n`;
const FONTS = '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f3\\fcharset2 Wingdings;}{\\f4\\fcharset0 Courier New;}}';

describe('numbers of rich text', () => {
  testTexts(extractRtf, {
    'are those of clauses, of any number of levels': [
      rtf(
        item('Article 1\\tab', 'Scope') +
          item('1.1\\tab', 'Fees', '\\ilvl1 ') +
          item('\\rquote a\\rquote\\tab', 'Note') +
          '\\pard Signed.',
      ),
      'Article 1 Scope\n\n1.1 Fees\n\n’a’ Note\n\nSigned.',
    ],
    'are those of headings': [
      rtf(item('2.2\\tab', 'Late fees', '\\outlinelevel1 ') + item('\\tab', 'Annex', '\\outlinelevel0 ')),
      '## 2.2 Late fees\n\n# Annex',
    ],
    'are those of simple lists, which are lists of Markdown': [
      rtf(item('1.\\tab', 'Open') + item('a)\\tab', 'the valve', '\\ilvl1 ') + item('2.\\tab', 'Close')),
      '1. Open\n   a) the valve\n2. Close',
    ],
    'are not the letters of fonts of symbols, nor other bullets': [
      rtf(
        FONTS +
          item("\\f3\\'d8\\tab", 'arrow') +
          item('\\f3 v\\tab', 'leaf') +
          item('\\f4 o\\tab', 'circle') +
          item("\\'b7\\tab", 'dot') +
          item('\\f3 \\f0 4.\\tab', 'four'),
      ),
      '- arrow\n- leaf\n- circle\n- dot\n4. four',
    ],
    'of older programs are read, and one that was begun for deleted text is not kept': [
      rtf(
        '\\pard{\\pntext\\f0 1.\\tab}{\\*\\pn\\pnlvlbody}One\\par\\pard{\\pntext 2.\\tab}{\\deleted Two\\par}{\\pntext 3.\\tab}Three\\par',
      ),
      '1. One\n3. Three',
    ],
    'are in the cells of tables': [
      rtf(
        `\\trowd\\intbl{\\listtext 1.\\tab}Pump\\cell {\\listtext 2.2\\tab}Ring\\par\\intbl{\\listtext\\'b7\\tab}Seal\\cell\\row`,
      ),
      /^\| 1\. Pump \| 2\.2 Ring Seal \|/,
    ],
    'are before the text without a space if none is between them': [
      rtf(item('\\uc0\\u31532 1\\u26465 ', '\\uc0\\u30446 \\u30340 ') + item('Article 2', 'Aim')),
      '第1条目的\n\nArticle 2 Aim',
    ],
  });
});

describe('shapes and tables of rich text', () => {
  const box = (text: string, instead = text) =>
    `{\\shp{\\*\\shpinst\\shpleft0{\\sp{\\sn shapeType}{\\sv 202}}{\\shptxt \\pard ${text}\\par}}{\\shprslt{\\*\\do\\dobypara{\\dptxbx{\\dptxbxtext ${instead}\\par}}}${instead}}}`;
  const nested = (rows: string[][]) =>
    rows
      .map(
        (cells) =>
          `${cells.map((text) => `\\pard\\intbl\\itap2 ${text}\\nestcell{\\nonesttables\\par}`).join('')}{\\*\\nesttableprops\\trowd\\cellx1\\nestrow}{\\nonesttables\\par}`,
      )
      .join('');
  testTexts(extractRtf, {
    'have the text of a box once, after its paragraph': [
      rtf(`Before ${box('boxed\\par more')}after\\par End`),
      'Before after\n\nboxed\n\nmore\n\nEnd',
    ],
    'have a text that is drawn as a picture, and no other property': [
      rtf(
        'Before{\\shp{\\*\\shpinst{\\sp{\\sn gtextUNICODE}{\\sv Way out}}{\\sp{\\sn gtextFont}{\\sv Serif}}}} after\\par',
      ),
      'Before after\n\nWay out',
    ],
    'have the text of a box of the first editions': [
      rtf('Before{\\*\\do\\dobypara\\dodhgt1{\\dptxbx{\\dptxbxtext \\pard boxed\\par}}\\dpx0} after\\par'),
      'Before after\n\nboxed',
    ],
    'have the text of a box in a cell after the table': [
      rtf(`\\trowd\\intbl a${box('boxed')}\\cell b\\cell\\row\\pard End`),
      '| a | b |\n| - | - |\n\nboxed\n\nEnd',
    ],
    'have boxes within boxes down to a depth': [
      rtf(`a${'{\\shp{\\*\\shpinst{\\shptxt b'.repeat(300)}${'}}}'.repeat(300)}`),
      /^a\n\nb\n\nb\n\nb{298}$/,
    ],
    'keep the rows of a table in a cell': [
      rtf(
        `\\trowd\\intbl Item\\cell Details\\cell\\row\\trowd\\pard\\intbl Pump\\cell ${nested([
          ['Owner', 'Ann'],
          ['Phone', '6100'],
        ])}\\pard\\intbl end\\cell\\row\\pard Next`,
      ),
      '| Item | Details |\n| - | - |\n| Pump | Owner: Ann; Phone: 6100 end |\n\nNext',
    ],
    'lose no text of a table in a cell that is nowhere or never ends': [
      rtf('a\\nestcell b\\nestrow c\\nestcell\\par d'),
      /^(?=[^]*\ba\b)(?=[^]*\bb\b)(?=[^]*\bc\b)(?=[^]*\bd\b)/,
    ],
  });

  test('can have more paragraphs in a box than a call has arguments', async () => {
    const text = await textOf(extractRtf, rtf(box('x\\par '.repeat(150_000), '')));
    assert.match(text, /^x\n\nx/);
  });

  test('can be damaged, which is told', async () => {
    await assertDamageIsTold(extractRtf, rtf(item('1.\\tab', `a${box('b')}`) + nested([['c', 'd']])));
  });
});
