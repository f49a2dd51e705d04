import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Extractor } from '../../../../worker/extract/extraction.ts';
import { extractHtml } from '../../../../worker/extract/html.ts';
import { extractDocx } from '../../../../worker/extract/office/docx.ts';
import { extractEpub } from '../../../../worker/extract/office/epub.ts';
import { extractOdt } from '../../../../worker/extract/office/odt.ts';
import { extractRtf } from '../../../../worker/extract/office/rtf.ts';
import { extractPdf } from '../../../../worker/extract/pdf.ts';
import { writePdf } from '../../../support/pdf-writer.ts';
import { writeZip } from '../../../support/zip-writer.ts';
import { extracted, type File } from '../extraction.ts';
import { extractEmail } from '../mail/extractors.ts';
import { openDocumentMembers, replaced } from '../office/sheet-writer.ts';
import { wordMembers, wordParagraph, writeEpub } from '../office-writer.ts';

const docx = (title: string, times: string) => writeZip(wordMembers(wordParagraph('x'), title, times));
const odt = (title: string, meta: string) => {
  const titled = replaced(openDocumentMembers('text', '<text:p>x</text:p>'), 'A title', title);
  return writeZip(replaced(titled, '<dc:date>2024-02-03T04:05:06</dc:date>', meta));
};
const time = (name: string, value: string) => `<${name}>${value}</${name}>`;
const pdf = (info: string) =>
  writePdf({ pages: [[{ y: 700, bytes: 'x' }]], info: `/Title (Untitled) ${info}` });

/** Files of each format that have the title of a program, and two times of which only the second is possible. */
const OF_PROGRAMS: Readonly<Record<string, readonly [extract: Extractor, file: File, date: string | null]>> =
  {
    'a Word document': [
      extractDocx,
      docx('Document1', time('modified', '1980-01-01T00:00:00Z') + time('created', '2024-05-06T00:00:00Z')),
      '2024-05-06',
    ],
    'a document of OpenDocument': [
      extractOdt,
      odt(
        'Unbenannt 1',
        time('dc:date', '3609-01-01T00:00:00') + time('meta:creation-date', '2024-05-06T23:59:59'),
      ),
      '2024-05-06',
    ],
    'rich text': [
      extractRtf,
      '{\\rtf1{\\info{\\title Untitled}{\\revtim\\yr1601\\mo1\\dy1}{\\creatim\\yr2024\\mo5\\dy6}}x}',
      '2024-05-06',
    ],
    'a PDF': [
      extractPdf,
      pdf('/ModDate (D:19800101000000Z) /CreationDate (D:20240506000000Z)'),
      '2024-05-06',
    ],
    'a book': [
      extractEpub,
      writeEpub({
        title: 'Unknown',
        chapters: [{ href: 'a.xhtml', content: '<html><body>x</body></html>' }],
      }),
      null,
    ],
    'a page': [extractHtml, '<title>Untitled Document</title><p>x', null],
  };

describe('the title and the day of a program are not those of the document', () => {
  for (const [name, [extract, file, day]] of Object.entries(OF_PROGRAMS)) {
    test(`in ${name}`, async () => {
      const { title, date = null } = await extracted(extract, file);
      assert.deepEqual([title, date], [null, day]);
    });
  }

  test('in a mail, only for its day: a person wrote its subject', async () => {
    const mail = 'From: a@x.example\nSubject: Presentation\nDate: Thu, 1 Jan 1970 00:00:00 +0000\n\nx';
    const { title, date } = await extracted(extractEmail, mail);
    assert.deepEqual([title, date], ['Presentation', null]);
  });
});
