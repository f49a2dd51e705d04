import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { newId } from '../../../../shared/ids.ts';
import { fieldsNow } from '../../../../shared/text/prepared-chunks.ts';
import { prepareDocument } from '../../../../worker/extract/document.ts';
import { extractOdp, extractPptx } from '../../../../worker/extract/office/slides.ts';
import { writeZip } from '../../../support/zip-writer.ts';
import { assertDamagedMembersAreTold } from '../damaged-members.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from '../extraction.ts';
import { openDocumentMembers, textRow, writeOpenDocument, writeXlsx } from './sheet-writer.ts';
import { presentationMembers, relation, shape, writePptx } from './slide-writer.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));
const TORQUE = {
  text: '# Torque\n\n| Screw | Nm |\n| - | - |\n| M8 | 25 |',
  place: { slide: 2 },
};

describe('a presentation of PowerPoint', () => {
  test('of LibreOffice keeps titles, lists, tables, notes, comments and hidden slides', async () => {
    const { title, date, parts } = await extracted(extractPptx, fixture('libreoffice.pptx'));
    assert.deepEqual([title, date], ['Pump training', '2024-04-01']);
    assert.deepEqual(parts, [
      {
        text: '# Why pumps leak\n\nWorn seals 密封\n- after two years\nLoose screws\n\nNotes: Bring a worn seal to the room.\n\nComment: Show the old seal too',
        place: { slide: 1 },
      },
      TORQUE,
    ]);
  });

  test('of Pandoc is read in a process without permissions, and each chunk knows its slide', async (t) => {
    const type = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
    const { title, parts } = await extractedInProcess(t, type, fixture('pandoc.pptx'));
    assert.equal(title, 'Guide to seals');
    assert.deepEqual(parts, [
      { text: '# Guide to seals', place: { slide: 1 } },
      {
        text: '# Seals\n\nA seal is soft.\nRubber\nCork\n\nNotes: Say that cork is old.',
        place: { slide: 2 },
      },
      { text: '# Sizes\n\n| Name | Size |\n| - | - |\n| A | 4 mm |', place: { slide: 3 } },
    ]);
  });

  test('has its slides in the order in which they are shown, and the title of a slide first', async () => {
    const body = shape(['second', '# no heading']) + shape(['First'], 'ctrTitle') + shape(['7'], 'sldNum');
    const { parts } = await extracted(
      extractPptx,
      writePptx([{ tree: shape(['last']), attributes: ' show="0"' }, { tree: '' }, { tree: body }]),
    );
    assert.deepEqual(parts, [
      { text: '# First\n\nsecond\n\\# no heading', place: { slide: 1 } },
      { text: 'last', place: { slide: 3 } },
    ]);
  });

  test('has a slide once, also if it is shown several times', async () => {
    const members = presentationMembers([{ tree: shape(['one']) }, { tree: shape(['two']) }]);
    const content = writeZip(
      members.map((each) => ({ ...each, content: String(each.content).replace('slide2.xml', 'slide1.xml') })),
    );
    assert.equal(await textOf(extractPptx, content), 'one');
  });

  test('has the texts of diagrams and newer comments, and descriptions of pictures', async () => {
    const tree =
      '<p:pic><p:nvPicPr><p:cNvPr id="2" name="Picture" descr="a pump in section"/></p:nvPicPr></p:pic>' +
      `<mc:AlternateContent><mc:Choice>${shape(['new'])}</mc:Choice><mc:Fallback>${shape(['old'])}</mc:Fallback></mc:AlternateContent>`;
    const relations =
      relation('rId1', 'diagramData', '../diagrams/data1.xml') +
      relation('rId2', 'comments', '/ppt/comments/comment1.xml') +
      relation('rId3', 'notesSlide', '../notes/linked.xml', ' TargetMode="External"') +
      relation('rId4', 'oleObject', '../embeddings/oleObject1.bin');
    const text = '<a:p><a:r><a:t>TEXT</a:t></a:r></a:p>';
    const more = [
      {
        name: 'ppt/diagrams/data1.xml',
        content: `<d:m xmlns:d="d" xmlns:a="a"><d:pt><d:t>${text.replace('TEXT', 'step')}</d:t></d:pt></d:m>`,
      },
      {
        name: 'ppt/comments/comment1.xml',
        content: `<c:cmLst xmlns:c="c" xmlns:a="a"><c:cm><c:replyLst><c:reply><c:txBody>${text.replace('TEXT', 'yes')}</c:txBody></c:reply></c:replyLst><c:txBody>${text.replace('TEXT', 'really?')}</c:txBody></c:cm></c:cmLst>`,
      },
      { name: 'ppt/embeddings/oleObject1.bin', content: 'embedded' },
      { name: 'ppt/notes/linked.xml', content: `<p:notes xmlns:p="p" xmlns:a="a">${text}</p:notes>` },
    ];
    assert.equal(
      await textOf(extractPptx, writePptx([{ tree, relations }], more)),
      'a pump in section\n\nnew\n\nstep\n\nComment: yes\n\nComment: really?',
    );
  });

  test('is refused if it is encrypted, something else, lacks a slide, or is nested too deeply', async () => {
    assert.equal((await faultOf(extractPptx, fixture('encrypted.pptx'))).code, 'locked');
    const workbook = await faultOf(extractPptx, writeXlsx({ sheets: { S: textRow(1, 'a') } }));
    assert.deepEqual([workbook.code, workbook.message.includes('an XLSX workbook')], ['corrupt', true]);
    const members = presentationMembers([{ tree: shape(['x']) }]);
    const others = [
      fixture('libreoffice.odp'),
      fixture('libreoffice.pptx').subarray(0, 20_000),
      writeZip(members.filter(({ name }) => name !== 'ppt/slides/slide1.xml')),
      writeZip(
        members.map((each) => ({
          ...each,
          content: String(each.content).replaceAll('p:presentation', 'p:document'),
        })),
      ),
      writeZip(
        members.map((each) => ({
          ...each,
          content: String(each.content).replace('Id="rId1"', 'Id="other"'),
        })),
      ),
      'slides',
    ];
    for (const content of others) assert.equal((await faultOf(extractPptx, content)).code, 'corrupt');
    assert.equal(
      (await faultOf(extractPptx, writePptx([{ tree: '<p:grpSp>'.repeat(2_000) }]))).code,
      'too_deep',
    );
  });

  test('is read, or refused with a reported fault, whatever the damage', async () => {
    await assertDamageIsTold(extractPptx, fixture('pandoc.pptx'));
    await assertDamagedMembersAreTold(
      extractPptx,
      presentationMembers([{ tree: shape(['a', 'b'], 'title') }]),
    );
  });
});

describe('a presentation of OpenDocument', () => {
  const frame = (role: string, text: string) =>
    `<draw:frame presentation:class="${role}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;

  test('of LibreOffice reads like the same presentation of PowerPoint', async () => {
    const { title, date, parts } = await extracted(extractOdp, fixture('libreoffice.odp'));
    assert.deepEqual([title, date], ['Pump training', '2024-04-01']);
    assert.deepEqual(parts, [
      {
        text: '# Why pumps leak\n\n- Worn seals 密封\n  - after two years\n- Loose screws\n\nComment: Show the old seal too\n\nNotes: Bring a worn seal to the room.',
        place: { slide: 1 },
      },
      TORQUE,
    ]);
  });

  test('of another program is read in a process without permissions', async (t) => {
    const type = 'application/vnd.oasis.opendocument.presentation';
    const { title, parts } = await extractedInProcess(t, type, fixture('odfpy.odp'));
    assert.deepEqual(
      [title, parts],
      [
        'Two halls',
        [
          { text: '# North\n\nopens at nine', place: { slide: 1 } },
          { text: '# South\n\nis closed', place: { slide: 2 } },
        ],
      ],
    );
  });

  test('can have drawings with very long outlines', async () => {
    const page = `<draw:page><draw:path svg:d="${'M1 2L3 4'.repeat(40_000)}"/>${frame('outline', 'kept')}</draw:page>`;
    assert.equal(await textOf(extractOdp, writeOpenDocument('presentation', page)), 'kept');
  });

  test('leaves out what repeats on every slide and what is embedded', async () => {
    const object =
      '<draw:frame><draw:object xlink:href="http://127.0.0.1/x"><text:p>embedded</text:p></draw:object></draw:frame>';
    const page = `<draw:page>${frame('footer', 'confidential')}${frame('page-number', '1')}${frame('outline', 'kept')}${object}</draw:page>`;
    assert.equal(await textOf(extractOdp, writeOpenDocument('presentation', page)), 'kept');
  });

  test('is refused if it is of another format, and whatever the damage, its fault is reported', async () => {
    assert.equal((await faultOf(extractOdp, fixture('libreoffice.ods'))).code, 'corrupt');
    await assertDamageIsTold(extractOdp, fixture('odfpy.odp'));
    const page = `<draw:page>${frame('title', 'a')}<presentation:notes>${frame('notes', 'b')}</presentation:notes></draw:page>`;
    await assertDamagedMembersAreTold(extractOdp, openDocumentMembers('presentation', page));
  });

  test('is checked for credentials: in a title and in notes', async () => {
    const token = `ghp_${'aZ09'.repeat(9)}`;
    const notes = `<presentation:notes>${frame('notes', token)}</presentation:notes>`;
    const page = `<draw:page>${frame('title', `The ${token}`)}${notes}</draw:page>`;
    const read = await extracted(extractOdp, writeOpenDocument('presentation', page));
    const { chunks } = prepareDocument(read, newId(), fieldsNow('x'), 'redact');
    assert.equal(chunks[0]?.text, '# The [redacted: github]\n\nNotes: [redacted: github]');
    assert.deepEqual(chunks[0]?.place.headings, ['The [redacted: github]']);
  });
});
