import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importMediaType } from '../../../shared/formats/media-types.ts';
import { extractDocx } from '../../../worker/extract/office/docx.ts';
import { cutText } from '../../support/cut-text.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';
import { assertDamagedMembersAreTold } from './damaged-members.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from './extraction.ts';
import { wordMembers, wordParagraph, writeDocx } from './office-writer.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;
const row = (...texts: string[]) => `<w:tr>${texts.map(cell).join('')}</w:tr>`;

/** A picture within the text, described. */
const PICTURE =
  '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">' +
  '<wp:docPr id="1" name="Picture" descr="a pump in section"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">' +
  '<a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:embed="rId9"/>' +
  '</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';

describe('a Word document', () => {
  test('keeps its title, headings and tables', async () => {
    const body =
      wordParagraph('Handbuch', 'Titel') +
      wordParagraph('Pumpen', 'berschrift1') +
      wordParagraph('Größe &amp; Gewicht') +
      wordParagraph('Dichtungen', 'berschrift2') +
      `<w:tbl>${row('Teil', 'Preis')}${row('Ring', '4 €')}</w:tbl>`;
    const { title, parts } = await extracted(extractDocx, writeDocx(body, ' Das&#x20;Handbuch &amp; mehr '));
    assert.equal(title, 'Das Handbuch & mehr');
    assert.deepEqual(parts, [
      {
        place: null,
        text: '# Handbuch\n\n# Pumpen\n\nGröße & Gewicht\n\n## Dichtungen\n\n| Teil | Preis |\n| - | - |\n| Ring | 4 € |',
      },
    ]);
    assert.deepEqual(cutText(parts[0]?.text ?? '').at(-1)?.headings, ['Pumpen', 'Dichtungen']);
  });

  test('tells the day on which it was last changed', async () => {
    const dayOf = async (changed: string) =>
      (await extracted(extractDocx, writeDocx(wordParagraph('x'), 'T', changed))).date;
    assert.equal(await dayOf('2024-01-31T23:59:00-02:00'), '2024-02-01', 'in UTC');
    for (const useless of ['', 'yesterday', '2024-99-99']) assert.equal(await dayOf(useless), null, useless);
  });

  test('keeps text of every script, and has no title if none is set', async () => {
    for (const text of ['北京大学', '日本語', '한국어', 'مرحبا بالعالم', 'שלום', 'हिन्दी', 'ไทย', '🚰']) {
      const { title, parts } = await extracted(extractDocx, writeDocx(wordParagraph(text)));
      assert.deepEqual([title, parts], [null, [{ text, place: null }]]);
    }
    assert.equal((await extracted(extractDocx, writeDocx(wordParagraph('x'), '  '))).title, null);
  });

  test('gives the description of a picture instead of the picture', async () => {
    const [types, relations, styles, document] = wordMembers(wordParagraph('Above') + PICTURE);
    assert.ok(types && relations && styles && document);
    const text = await textOf(
      extractDocx,
      writeZip([
        {
          name: types.name,
          content: String(types.content).replace(
            '<Default',
            '<Default Extension="png" ContentType="image/png"/><Default',
          ),
        },
        relations,
        styles,
        document,
        {
          name: 'word/_rels/document.xml.rels',
          content:
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.png"/></Relationships>',
        },
        { name: 'word/media/a.png', content: Buffer.alloc(5_000, 'picture') },
      ]),
    );
    assert.equal(text, 'Above\n\na pump in section');
  });

  test('is recognised by type and extension, and read in a process without permissions', async (t) => {
    assert.equal(importMediaType('Brief.DOCX', undefined, false), DOCX);
    const { title, parts } = await extractedInProcess(t, DOCX, writeDocx(wordParagraph('水泵'), 'T'));
    assert.deepEqual([title, parts], ['T', [{ text: '水泵', place: null }]]);
  });
});

describe('a file that claims to be a Word document', () => {
  const ole = (text: string) =>
    Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1_000),
      Buffer.from(text, 'utf16le'),
    ]);

  test('is refused with advice if it is encrypted or of an older version of Word', async () => {
    assert.equal((await faultOf(extractDocx, ole('EncryptedPackage'))).code, 'locked');
    const older = await faultOf(extractDocx, ole('WordDocument'));
    assert.equal(older.code, 'corrupt');
    assert.match(older.message, /save it as DOCX/);
  });

  test('is refused if it is something else', async () => {
    const sheet = wordMembers('').map((member) =>
      member.name === '_rels/.rels'
        ? { ...member, content: String(member.content).replace('officeDocument"', 'other"') }
        : member,
    );
    const noWord = writeZip(sheet.filter(({ name }) => !name.startsWith('word/')));
    assert.equal((await faultOf(extractDocx, noWord)).code, 'corrupt');
    assert.equal((await faultOf(extractDocx, writeZip([{ name: 'a.txt', content: 'x' }]))).code, 'corrupt');
    for (const content of ['', 'no archive', '%PDF-1.4', Buffer.alloc(100)]) {
      assert.equal((await faultOf(extractDocx, content)).code, 'corrupt');
    }
  });

  test('is refused if it is a zip bomb, larger than declared, or partly encrypted', async () => {
    const members = wordMembers(wordParagraph('text '.repeat(1_000)));
    const withDocument = (change: Partial<ZipMember>) =>
      writeZip(
        members.map((member) => (member.name === 'word/document.xml' ? { ...member, ...change } : member)),
      );
    const bomb = withDocument({ content: Buffer.alloc(40 * 1024 * 1024, ' ') });
    assert.equal((await faultOf(extractDocx, bomb)).code, 'zip_bomb');
    assert.equal((await faultOf(extractDocx, withDocument({ claimedSize: 100 }))).code, 'zip_bomb');
    assert.equal((await faultOf(extractDocx, withDocument({ encrypted: true }))).code, 'locked');
  });

  test('is read from the archive that was checked, even if the file contains a second one', async () => {
    const checked = writeDocx(wordParagraph('text 1'));
    const other = writeDocx(wordParagraph('text 2'));
    // Both have the same layout, so the end record of the second describes the first one as well. A reader that
    // counts from the bytes between directory and end record finds the second.
    assert.equal(checked.length, other.length);
    const endRecord = 22;
    const both = Buffer.concat([checked.subarray(0, -endRecord), other]);
    assert.equal(await textOf(extractDocx, both), 'text 1');
  });

  test('is refused if its text is missing, is not XML or is nested too deeply', async () => {
    const [types, relations, styles] = wordMembers('');
    assert.ok(types && relations && styles);
    assert.notEqual((await faultOf(extractDocx, writeZip([types, relations, styles]))).code, 'too_deep');
    const broken = writeZip([types, relations, { name: 'word/document.xml', content: '<w:document' }]);
    assert.equal((await faultOf(extractDocx, broken)).code, 'corrupt');
    const deep = writeDocx('<w:sdt><w:sdtContent>'.repeat(50_000) + '</w:sdtContent></w:sdt>'.repeat(50_000));
    assert.equal((await faultOf(extractDocx, deep)).code, 'too_deep');
  });

  test('is read, or refused with a reported fault, whatever the damage', async () => {
    const body = wordParagraph('Title', 'Titel') + wordParagraph('text') + `<w:tbl>${row('a', 'b')}</w:tbl>`;
    await assertDamageIsTold(extractDocx, writeDocx(body, 'T'));
    await assertDamagedMembersAreTold(extractDocx, wordMembers(body, 'T'));
  });
});
