import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Extractor } from '../../../../worker/extract/extraction.ts';
import { extractDocx } from '../../../../worker/extract/office/docx.ts';
import { extractOdt } from '../../../../worker/extract/office/odt.ts';
import { extractOds } from '../../../../worker/extract/office/sheets/ods.ts';
import { extractXlsx } from '../../../../worker/extract/office/sheets/xlsx.ts';
import { extractOdp } from '../../../../worker/extract/office/slides/odp.ts';
import { extractPptx } from '../../../../worker/extract/office/slides/pptx.ts';
import { writeZip, type ZipMember } from '../../../support/zip-writer.ts';
import { faultOf, textOf } from '../extraction.ts';
import { wordMembers, wordParagraph } from '../office-writer.ts';
import { frame, openDocumentMembers, replaced, textCell, textRow, writeXlsx } from './sheet-writer.ts';
import { presentationMembers, shape } from './slide-writer.ts';

/** A package of Office Open XML whose main part has this media type, and that contains macros. */
function ofType(members: readonly ZipMember[], main: string, mediaType: string): Buffer {
  const types = `<Types><Override PartName="/${main}" ContentType="${mediaType}"/></Types>`;
  return writeZip([
    ...members.filter(({ name }) => name !== '[Content_Types].xml'),
    { name: '[Content_Types].xml', content: types },
    { name: main.replace(/[^/]+$/, 'vbaProject.bin'), content: 'Sub AutoOpen()' },
  ]);
}

const documentOf = (type: string) => ofType(wordMembers(wordParagraph('kept')), 'word/document.xml', type);
const workbookOf = (mediaType: string) => writeXlsx({ sheets: { S: textRow(1, 'kept') }, mediaType });
const presentationOf = (type: string) =>
  ofType(presentationMembers([{ tree: shape(['kept']) }]), 'ppt/presentation.xml', type);

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const VARIANTS: readonly [extract: Extractor, write: (mediaType: string) => Buffer, types: string[]][] = [
  [
    extractDocx,
    documentOf,
    [
      `${OFFICE}.wordprocessingml.template.main+xml`,
      'application/vnd.ms-word.document.macroEnabled.main+xml',
      'application/vnd.ms-word.template.macroEnabledTemplate.main+xml',
    ],
  ],
  [
    extractXlsx,
    workbookOf,
    [
      `${OFFICE}.spreadsheetml.template.main+xml`,
      'application/vnd.ms-excel.sheet.macroEnabled.main+xml',
      'application/vnd.ms-excel.template.macroEnabled.main+xml',
    ],
  ],
  [
    extractPptx,
    presentationOf,
    [
      `${OFFICE}.presentationml.slideshow.main+xml`,
      `${OFFICE}.presentationml.template.main+xml`,
      'application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml',
      'application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml',
      'application/vnd.ms-powerpoint.template.macroEnabled.main+xml',
    ],
  ],
];

describe('an office file with macros, a template or a slide show', () => {
  for (const [extract, write, types] of VARIANTS) {
    for (const type of types) {
      test(`is read as a document: ${type}`, async () =>
        assert.equal(await textOf(extract, write(type)), 'kept'));
    }
  }

  test('is read as a document of OpenDocument', async () => {
    const bodies = {
      text: [extractOdt, '<text:p>kept</text:p>'],
      spreadsheet: [
        extractOds,
        `<table:table table:name="S"><table:table-row>${textCell('kept')}</table:table-row></table:table>`,
      ],
      presentation: [extractOdp, `<draw:page>${frame('outline', 'kept')}</draw:page>`],
    } as const;
    for (const [kind, [extract, body]] of Object.entries(bodies)) {
      const members = openDocumentMembers(kind as keyof typeof bodies, body);
      const template = writeZip(replaced(members, `opendocument.${kind}`, `opendocument.${kind}-template`));
      assert.match(await textOf(extract, template), /kept$/, kind);
    }
  });

  test('that is a binary workbook is refused, with what to do', async () => {
    const binary = workbookOf('application/vnd.ms-excel.sheet.binary.macroEnabled.main');
    const { code, message } = await faultOf(extractXlsx, binary);
    assert.equal(code, 'corrupt');
    assert.match(message, /XLSB.*save it as XLSX/);
  });
});
