import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractDocx } from '../../../worker/extract/office/docx.ts';
import { cutText } from '../../support/cut-text.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';
import { extracted, testFaults, testTexts } from './extraction.ts';
import { wordMembers, wordParagraph, writeDocx } from './office-writer.ts';

const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;
const row = (...texts: string[]) => `<w:tr>${texts.map(cell).join('')}</w:tr>`;

/** A picture within the text, described. */
const PICTURE =
  '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">' +
  '<wp:docPr id="1" name="Picture" descr="a pump in section"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">' +
  '<a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:embed="rId9"/>' +
  '</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';
const PNG = '<Default Extension="png" ContentType="image/png"/><Default';
const PICTURE_RELATION =
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.png"/></Relationships>';

/** The document with one of its files changed, or without it. */
const changed = (members: readonly ZipMember[], name: string, change: (content: string) => string | null) =>
  writeZip(
    members.flatMap((each) => {
      const content = each.name === name ? change(String(each.content)) : each.content;
      return content === null ? [] : [{ ...each, content }];
    }),
  );

describe('a Word document', () => {
  test('keeps its title, headings and tables', async () => {
    const body =
      wordParagraph('Handbuch', 'Titel') +
      wordParagraph('Pumpen', 'berschrift1') +
      wordParagraph('Größe &amp; Gewicht') +
      wordParagraph('Dichtungen', 'berschrift2') +
      `<w:tbl>${row('Teil', 'Preis')}${row('Ring', '4 €')}</w:tbl>`;
    const { title, parts } = await extracted(extractDocx, writeDocx(body, ' Das&#x20;Handbuch &amp; mehr '));
    const text =
      '# Handbuch\n\n# Pumpen\n\nGröße & Gewicht\n\n## Dichtungen\n\n| Teil | Preis |\n| - | - |\n| Ring | 4 € |';
    assert.deepEqual([title, parts], ['Das Handbuch & mehr', [{ text, place: null }]]);
    assert.deepEqual(cutText(text).at(-1)?.headings, ['Pumpen', 'Dichtungen']);
  });

  test('tells the day on which it was last changed', async () => {
    const dayOf = async (day: string) =>
      (await extracted(extractDocx, writeDocx(wordParagraph('x'), 'T', day))).date;
    assert.equal(await dayOf('2024-01-31T23:59:00-02:00'), '2024-02-01', 'in UTC');
    for (const useless of ['', 'yesterday', '2024-99-99']) assert.equal(await dayOf(useless), null, useless);
  });

  test('keeps text of every script, and has no title if none is set', async () => {
    const text = '北京大学 日本語 한국어 مرحبا בעולם हिन्दी ไทย 🚰';
    for (const title of [undefined, '  ']) {
      const read = await extracted(extractDocx, writeDocx(wordParagraph(text), title));
      assert.deepEqual([read.title, read.parts], [null, [{ text, place: null }]]);
    }
  });

  const [types, relations, styles, document] = wordMembers(wordParagraph('Above') + PICTURE) as [
    ZipMember,
    ZipMember,
    ZipMember,
    ZipMember,
  ];
  testTexts(extractDocx, {
    'gives the description of a picture instead of the picture': [
      writeZip([
        { name: types.name, content: String(types.content).replace('<Default', PNG) },
        relations,
        styles,
        document,
        { name: 'word/_rels/document.xml.rels', content: PICTURE_RELATION },
        { name: 'word/media/a.png', content: Buffer.alloc(5_000, 'picture') },
      ]),
      'Above\n\na pump in section',
    ],
  });
});

describe('a file that claims to be a Word document', () => {
  const members = wordMembers(wordParagraph('text'));
  const ole = (text: string) =>
    Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1_000),
      Buffer.from(text, 'utf16le'),
    ]);
  // Both have the same layout, so the end record of the second describes the first one as well. A reader that counts
  // from the bytes between directory and end record finds the second.
  const [first, second] = ['text 1', 'text 2'].map((text) => writeDocx(wordParagraph(text))) as [
    Buffer,
    Buffer,
  ];
  const END_RECORD = 22;
  testFaults(extractDocx, {
    'is refused if it contains two archives, of which other programs can read either': [
      'corrupt',
      [Buffer.concat([first.subarray(0, -END_RECORD), second])],
    ],
    'is refused if it is encrypted': ['locked', [ole('EncryptedPackage')]],
    'is refused with advice if it is of an older version of Word': [
      'corrupt',
      [ole('WordDocument')],
      /save it as DOCX/,
    ],
    'is refused if its text is not named, missing or not XML': [
      'corrupt',
      [
        changed(members, '_rels/.rels', (content) => content.replace('officeDocument"', 'other"')),
        changed(members, 'word/document.xml', () => null),
        changed(members, 'word/document.xml', () => '<w:document'),
      ],
    ],
    'is refused if it is nested too deeply': [
      'too_deep',
      [writeDocx('<w:sdt><w:sdtContent>'.repeat(50_000) + '</w:sdtContent></w:sdt>'.repeat(50_000))],
    ],
  });
});
