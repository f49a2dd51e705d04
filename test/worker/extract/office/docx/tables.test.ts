import { describe } from 'node:test';
import { extractDocx } from '../../../../../worker/extract/office/docx.ts';
import { testTexts } from '../../extraction.ts';
import { cell, paragraph, run, table, writeWord } from './word-writer.ts';

const text = (content: string) => paragraph(run(content));
const tableOf = (...rows: string[]) => `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`;
const span = (columns: number | string) => `<w:gridSpan w:val="${columns}"/>`;
const heading = paragraph(run('Details'), '<w:pStyle w:val="berschrift1"/>');
const long = text('word '.repeat(500));

describe('a table of a Word document', () => {
  testTexts(extractDocx, {
    'has each cell in its column if cells are merged': [
      writeWord(
        tableOf(
          cell(text('Name')) + cell(text('Size'), span(2)) + cell(text('Note')),
          cell(text('Ring'), '<w:vMerge w:val="restart"/>') +
            cell(text('4')) +
            cell(text('mm')) +
            cell(text('a')),
          cell(text('unseen'), '<w:vMerge/>') + cell(text('5')) + cell(text('mm')) + cell(text('b')),
          `<w:trPr><w:gridBefore w:val="1"/></w:trPr>${cell(text('6'))}${cell(text('m|m'))}`,
        ),
      ),
      '| Name | Size |  | Note |\n| - | - | - | - |\n| Ring | 4 | mm | a |\n|  | 5 | mm | b |\n|  | 6 | m\\|m |',
    ],
    'keeps its rows if a cell has a table, a heading or a list': [
      writeWord(
        tableOf(
          cell(text('Owner')) + cell(table(['Ann', '6100'], ['Bo', '6200']) + text('')),
          cell(text('Pump')) + cell(heading + text('large')),
          cell(text('Two')) + cell(text('lines') + text('here')),
        ),
      ),
      '| Owner | Ann: 6100; Bo: 6200 |\n| - | - |\n| Pump | Details large |\n| Two | lines here |',
    ],
    'is text if it has one column, or one row with headings, or a cell with as much as a page': [
      writeWord(
        tableOf(cell(heading), cell(text('a'))) +
          tableOf(cell(heading + text('left')) + cell(table(['x', 'y']))) +
          tableOf(cell(text('b')) + cell(text('c')), cell(heading + long) + cell(text('d'))),
      ),
      new RegExp(
        `^# Details\n\na\n\n# Details\n\nleft\n\n\\| x \\| y \\|\n\\| - \\| - \\|\n\nb\n\nc\n\n# Details\n\n(?:word ?){500}\n\nd$`,
      ),
    ],
    'leaves out rows that were deleted': [
      writeWord(
        tableOf(
          cell(text('a')) + cell(text('b')),
          `<w:trPr><w:del w:id="1"/></w:trPr>${cell(text('c'))}${cell(text('d'))}`,
        ),
      ),
      '| a | b |\n| - | - |',
    ],
    'has rows and cells within content controls': [
      writeWord(
        `<w:tbl><w:sdt><w:sdtPr/><w:sdtContent><w:tr><w:sdt><w:sdtContent>${cell(text('a'))}</w:sdtContent></w:sdt>${cell(text('b'))}</w:tr></w:sdtContent></w:sdt></w:tbl>`,
      ),
      '| a | b |\n| - | - |',
    ],
    'has no more columns than Word for a span, and none for a span that is no number': [
      writeWord(
        tableOf(
          cell(text('a'), span(999_999_999)) + cell(text('b')),
          cell(text('c'), span('x')) + cell(text('d'), span(-5)),
        ),
      ),
      `| a${' | '.repeat(63)}b |\n|${' - |'.repeat(64)}\n| c | d |`,
    ],
  });
});
