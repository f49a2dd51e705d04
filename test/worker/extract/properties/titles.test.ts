import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { documentTitle } from '../../../../worker/extract/properties/titles.ts';

/** Titles of programs, of which each is left out. */
const OF_PROGRAMS = {
  'of PowerPoint, in every language': [
    'PowerPoint Presentation, PowerPoint-Präsentation, Présentation PowerPoint, Presentación de PowerPoint',
    'Presentazione standard di PowerPoint, Apresentação do PowerPoint, PowerPoint-presentatie, Prezentacja programu PowerPoint',
    'Prezentace aplikace PowerPoint, PowerPoint-præsentation, PowerPoint-esitys, PowerPoint Sunusu, Презентация PowerPoint',
    'Παρουσίαση του PowerPoint, מצגת של PowerPoint, عرض تقديمي في PowerPoint, งานนำเสนอ PowerPoint, Bản trình bày PowerPoint',
    'PowerPoint プレゼンテーション, PowerPoint 演示文稿, PowerPoint 簡報, PowerPoint 프레젠테이션',
    'Slide 1, Folie 12, Diapositive 1, Diapositiva 1, Slajd 1, Слайд 1, 幻灯片 1, スライド 1, No Slide Title, Slide Title, 1. dia, Office Theme',
  ],
  'of Word, Excel and OpenOffice': [
    'Document1, Dokument 2, Word Document, Microsoft Word Document, New Microsoft Word Document, Neues Microsoft Word-Dokument',
    'Book1, Mappe1, Workbook1, Sheet1, Microsoft Excel Worksheet, 工作簿1, ブック1, 新建Word文档, Document1.docx, Presentation2.pptx',
  ],
  'of files without a title': [
    'Untitled, untitled, UNTITLED.INDD, Untitled-3, Untitled_1, (untitled), [Untitled], "Untitled", Untitled document',
    'Untitled Presentation, Unbenannt 1, Sans titre, Sin título, Senza titolo, Без имени, 無題, 无标题, Sans titre 2, Présentation1',
    '(anonymous), Unknown, No title, title, Title, Presentation, New Document, about:blank, undefined, null, N/A',
  ],
  'that are names of files, or nothing': [
    'Microsoft Word - Brief.doc, Microsoft PowerPoint - x.ppt, Microsoft Office Excel - a.xls, file:///C:/x.html, C:\\Users\\x.doc',
    '/tmp/a1b2.html, ~WRL0001.tmp, ~$brief.docx, tmp4f2.docx, lu1234abc.tmp, paper.dvi, -, …, ., ', // the last one is blank
    '0d5f6f5e-8a3e-4b67-9e0e-1d3f2a4b5c6d, {0D5F6F5E-8A3E-4B67-9E0E-1D3F2A4B5C6D}.pdf',
  ],
};

/** Titles of people, of which each is kept. */
const OF_PEOPLE = [
  'Budget of the pump team, Presentation of the budget, Presentation skills, PowerPoint, Microsoft Excel, Excel for auditors',
  'Book 1984, Document 2024, Presentation 2025-03, Untitled Goose Game, The unknown, Titles and roles, Slide rules, Slides',
  'Slide 1: welcome, Folie für Gewächshäuser, Documento de presentación, Temperature.doc, Sheet metal, New pages, 1984, 42',
  'PowerPoint Presentation Guidelines, Word document templates, Page one, Anonymous complaints',
  '北京大学, 演示文稿制作, Презентация завода, Presentación del hospital, 無題の絵, A, C: drive, Report.pdf, Tmp',
];

const listed = (lines: readonly string[]) => lines.flatMap((line) => line.split(', '));

describe('the title of a document', () => {
  for (const [kind, lines] of Object.entries(OF_PROGRAMS)) {
    test(`is none of those ${kind}`, () => {
      for (const title of listed(lines)) assert.equal(documentTitle(title), null, title);
    });
  }

  test('is kept if a person wrote it', () => {
    for (const title of listed(OF_PEOPLE)) {
      assert.equal(documentTitle(title), title);
    }
  });

  test('is the first useful one, on one line', () => {
    assert.equal(
      documentTitle(null, undefined, '  ', 'Untitled', ' Pumps\n and  seals ', 'other'),
      'Pumps and seals',
    );
    assert.equal(documentTitle(), null);
  });

  test('is found whatever it is, and never becomes another one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const found = documentTitle(title);
        if (found !== null) assert.equal(documentTitle(found), found);
      }),
    );
  });
});
