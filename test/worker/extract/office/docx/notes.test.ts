import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractDocx } from '../../../../../worker/extract/office/docx.ts';
import { extracted, testTexts } from '../../extraction.ts';
import { cell, paragraph, part, run, writeWord } from './word-writer.ts';

const reference = (kind: string, id: string) => `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`;
const note = (kind: string, id: string, text: string, more = '') =>
  `<w:${kind} w:id="${id}"${more}>${paragraph(`<w:r><w:${kind}Ref/></w:r>${run(text)}`)}</w:${kind}>`;
const footnotes = part(
  'footnotes',
  note('footnote', '0', 'line', ' w:type="separator"') +
    note('footnote', '2', 'Without feet.') +
    note('footnote', '3', 'In kg.'),
);
const endnotes = part('endnotes', note('endnote', '2', 'See the report.'));
const comments = part(
  'comments',
  note('comment', '1', 'Which hall?', ' w:author="Ann  B." w:initials="A"') + note('comment', '2', 'All?'),
);

describe('notes of a Word document', () => {
  testTexts(extractDocx, {
    'come after the paragraph, and endnotes at the end, each with its number': [
      writeWord(
        paragraph(
          run('Size') + reference('endnote', '2') + run(' 4') + reference('footnote', '2') + run('.'),
        ) + paragraph(run('Next') + reference('footnote', '2') + reference('footnote', '9')),
        footnotes,
        endnotes,
      ),
      'Size[1] 4[2].\n\n[2] Without feet.\n\nNext[2]\n\n[1] See the report.',
    ],
    'come after the table that they are in': [
      writeWord(
        `<w:tbl><w:tr>${cell(paragraph(run('Ring') + reference('footnote', '2')))}${cell(paragraph(run('4') + reference('footnote', '3')))}</w:tr></w:tbl>${paragraph(run('End'))}`,
        footnotes,
      ),
      '| Ring[1] | 4[2] |\n| - | - |\n\n[1] Without feet.\n\n[2] In kg.\n\nEnd',
    ],
    'of hidden and of deleted text are left out': [
      writeWord(
        paragraph(
          `${run('a')}<w:del>${reference('footnote', '2')}</w:del><w:r><w:rPr><w:vanish/></w:rPr><w:footnoteReference w:id="3"/><w:commentReference w:id="1"/></w:r>`,
        ),
        footnotes,
        comments,
      ),
      'a',
    ],
  });
});

describe('comments of a Word document', () => {
  testTexts(extractDocx, {
    'come once, after the paragraph in which they end, with their authors': [
      writeWord(
        paragraph(
          `<w:commentRangeStart w:id="1"/>${run('Ask the hall.')}<w:commentRangeEnd w:id="1"/>${reference('comment', '1')}`,
        ) +
          paragraph(run('Next') + reference('comment', '2')) +
          '<w:commentRangeEnd w:id="2"/>',
        comments,
      ),
      'Ask the hall.\n\nComment by Ann B.: Which hall?\n\nNext\n\nComment: All?',
    ],
    'stay in the row that they are about': [
      writeWord(
        `<w:tbl><w:tr>${cell(paragraph(run('Ring') + reference('comment', '1')))}${cell(paragraph(run('4')))}</w:tr></w:tbl>`,
        comments,
      ),
      '| Ring Comment by Ann B.: Which hall? | 4 |\n| - | - |',
    ],
  });
});

describe('what was not read of a Word document', () => {
  const unreadOf = async (content: Buffer) => (await extracted(extractDocx, content)).unread;

  it('is absent if all was read', async () => {
    assert.equal(await unreadOf(writeWord(paragraph(run('a')), comments)), undefined);
  });

  it('names embedded objects and controls that are shown', async () => {
    const object = (id: string, more = '') =>
      `<w:r>${more}<w:object><o:OLEObject ProgID="Excel.Sheet.12" r:id="${id}"/></w:object></w:r>`;
    const content = writeWord(
      paragraph(
        object('o1') +
          object('o2', '<w:rPr><w:vanish/></w:rPr>') +
          '<w:r><w:control w:name="TextBox1" r:id="c1"/><w:control w:name="" r:id="c2"/></w:r>',
      ),
      { type: 'package', name: 'embeddings/sheet1.xlsx', content: 'x', id: 'o1' },
      { type: 'package', name: 'embeddings/sheet2.xlsx', content: 'x', id: 'o2' },
      { type: 'control', name: 'activeX/activeX2.xml', content: 'x', id: 'c2' },
    );
    assert.deepEqual(await unreadOf(content), [
      {
        kind: 'part',
        names: ['sheet1.xlsx (Excel.Sheet.12)', 'TextBox1', 'activeX2.xml'],
        reason: 'not_read',
      },
    ]);
  });

  it('names parts that are damaged, and has the other text', async () => {
    const body = paragraph(run('a') + reference('footnote', '2'));
    const damaged = ['styles', 'numbering', 'comments', 'endnotes'].map((type) => ({
      ...part(type, ''),
      content: '<w:p>',
    }));
    const { parts, unread } = await extracted(extractDocx, writeWord(body, ...damaged, footnotes));
    assert.equal(parts[0]?.text, 'a[1]\n\n[1] Without feet.');
    assert.deepEqual(unread, [
      {
        kind: 'part',
        names: ['styles.xml', 'numbering.xml', 'endnotes.xml', 'comments.xml'],
        reason: 'damaged',
      },
    ]);
  });
});
