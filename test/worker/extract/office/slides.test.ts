import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractOdp } from '../../../../worker/extract/office/slides/odp.ts';
import { extractPptx } from '../../../../worker/extract/office/slides/pptx.ts';
import { mergeUnread } from '../../../../worker/extract/unread.ts';
import { writeZip } from '../../../support/zip-writer.ts';
import { extracted, fixture, testFaults, testTexts } from '../extraction.ts';
import { frame, replaced, textRow, writeOpenDocument, writeXlsx } from './sheet-writer.ts';
import { presentationMembers, relation, shape, writePptx } from './slide-writer.ts';

/** Slides of which some parts are not read. */
const PARTLY_READ = [
  {
    tree: shape(['one']),
    relations: [
      relation('rId1', 'chart', '../charts/chart1.xml'),
      relation('rId2', 'chart', '../charts/chart2.xml'),
      relation('rId3', 'package', '../embeddings/Sheet1.xlsx'),
      relation('rId4', 'diagramData', '../damaged.xml'),
      relation('rId5', 'image', '../media/image1.png'),
      relation('rId6', 'oleObject', 'http://127.0.0.1/x', ' TargetMode="External"'),
    ].join(''),
  },
  { tree: `${shape(['two'])}<p:sp>` },
  {
    tree: shape(['three']),
    relations: [
      relation('rId1', 'chartEx', '../charts/chartEx1.xml'),
      relation('rId2', 'notesSlide', '../damaged-notes.xml'),
      relation('rId3', 'comments', '../damaged-comments.xml'),
    ].join(''),
  },
];
const DAMAGED = ['damaged', 'damaged-notes', 'damaged-comments'].map((name) => ({
  name: `ppt/${name}.xml`,
  content: '<p:notes xmlns:p="p">',
}));

const TORQUE = {
  text: '# Torque\n\n| Screw | Nm |\n| - | - |\n| M8 | 25 |',
  place: { slide: 2, hidden: true },
};

describe('a presentation of PowerPoint', () => {
  test('of LibreOffice keeps titles, lists, tables, notes, comments and hidden slides', async () => {
    const text =
      '# Why pumps leak\n\nWorn seals 密封\n- after two years\nLoose screws\n\nNotes: Bring a worn seal to the room.\n\nComment: Show the old seal too';
    assert.deepEqual(await extracted(extractPptx, fixture('libreoffice.pptx')), {
      title: 'Pump training',
      date: '2024-04-01',
      parts: [{ text, place: { slide: 1 } }, TORQUE],
    });
  });

  test('of Pandoc keeps titles, lists, tables and notes', async () => {
    const { title, parts } = await extracted(extractPptx, fixture('pandoc.pptx'));
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
    const slides = [
      { tree: shape(['last']), attributes: ' show="0"' },
      { tree: '' },
      { tree: body, attributes: ' show="1"' },
    ];
    assert.deepEqual((await extracted(extractPptx, writePptx(slides))).parts, [
      { text: '# First\n\nsecond\n\\# no heading', place: { slide: 1 } },
      { text: 'last', place: { slide: 3, hidden: true } },
    ]);
  });

  const tree =
    '<p:pic><p:nvPicPr><p:cNvPr id="2" name="Picture" descr="a pump in section"/></p:nvPicPr></p:pic>' +
    `<mc:AlternateContent><mc:Choice>${shape(['new'])}</mc:Choice><mc:Fallback>${shape(['old'])}</mc:Fallback></mc:AlternateContent>`;
  const relations =
    relation('rId1', 'diagramData', '../diagrams/data1.xml') +
    relation('rId2', 'comments', '/ppt/comments/comment1.xml') +
    relation('rId3', 'notesSlide', '../notes/linked.xml', ' TargetMode="External"') +
    relation('rId4', 'oleObject', '../embeddings/oleObject1.bin');
  const text = (words: string) => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`;
  const more = Object.entries({
    'diagrams/data1.xml': `<d:m xmlns:d="d" xmlns:a="a"><d:pt><d:t>${text('step')}</d:t></d:pt></d:m>`,
    'comments/comment1.xml': `<c:cmLst xmlns:c="c" xmlns:a="a"><c:cm><c:replyLst><c:reply><c:txBody>${text('yes')}</c:txBody></c:reply></c:replyLst><c:txBody>${text('really?')}</c:txBody></c:cm></c:cmLst>`,
    'embeddings/oleObject1.bin': 'embedded',
    'notes/linked.xml': `<p:notes xmlns:p="p" xmlns:a="a">${text('linked')}</p:notes>`,
  }).map(([name, content]) => ({ name: `ppt/${name}`, content }));
  const two = presentationMembers([{ tree: shape(['one']) }, { tree: shape(['two']) }]);
  testTexts(extractPptx, {
    'has a slide once, also if it is shown several times': [
      writeZip(replaced(two, 'slides/slide2.xml', 'slides/slide1.xml')),
      'one',
    ],
    'has the texts of diagrams and newer comments, and descriptions of pictures': [
      writePptx([{ tree, relations }], more),
      'a pump in section\n\nnew\n\nstep\n\nComment: yes\n\nComment: really?',
    ],
  });

  test('without a title of its own has that of its first slide', async () => {
    const title = (text: string) => ({ tree: shape([text], 'ctrTitle') });
    const core = (text: string) => ({
      name: 'docProps/core.xml',
      content: `<c:coreProperties xmlns:c="c" xmlns:dc="dc"><dc:title>${text}</dc:title></c:coreProperties>`,
    });
    for (const [of, slides, wanted] of [
      ['PowerPoint Presentation', [title('Budget of\nthe team'), title('Costs')], 'Budget of the team'],
      ['', [title('Budget')], 'Budget'],
      ['Pumps', [title('Budget')], 'Pumps'],
      ['Slide 1', [{ tree: shape(['no title']) }, title('Costs')], null],
      ['Slide 1', [title('Untitled')], null],
    ] as const) {
      assert.equal(
        (await extracted(extractPptx, writePptx(slides.toReversed(), [core(of)]))).title,
        wanted,
        of,
      );
    }
  });

  test('has the titles and values of charts, or tells which cannot be read', async () => {
    const points = (kind: string, values: string[]) =>
      `<c:${kind}><c:numCache>${values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('')}</c:numCache></c:${kind}>`;
    const series = `<c:ser><c:tx><c:v>North</c:v></c:tx>${points('cat', ['2023', '2024'])}${points('val', ['4', '5'])}</c:ser>`;
    const title = '<c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title>';
    const charts = {
      good: `${title}<c:plotArea><c:barChart>${series}</c:barChart></c:plotArea>`,
      large: `<c:ser>${points('val', Array<string>(400).fill('1'))}</c:ser>`.repeat(300),
      damaged: '<c:title>',
    };
    const slide = (...names: string[]) => ({
      tree: shape(['one'], 'title'),
      relations: names.map((name, index) => relation(`rId${index}`, 'chart', `../${name}.xml`)).join(''),
    });
    const parts = Object.entries(charts).map(([name, content]) => ({
      name: `ppt/${name}.xml`,
      content: `<c:chart xmlns:c="c" xmlns:a="a">${content}</c:chart>`,
    }));
    const slides = [slide('good', 'good'), slide('large'), slide('damaged'), slide('missing')];
    const read = await extracted(extractPptx, writePptx(slides.toReversed(), parts));
    assert.equal(
      read.parts[0]?.text,
      '# one\n\nSales\n\n|  | North |\n| - | - |\n| 2023 | 4 |\n| 2024 | 5 |',
    );
    assert.deepEqual(mergeUnread(read.unread ?? []), [
      { kind: 'part', names: ['slide 2, chart'], reason: 'not_read' },
      { kind: 'part', names: ['slide 3, chart', 'slide 4, chart'], reason: 'damaged' },
    ]);
  });

  test('tells which charts, objects and damaged parts of its slides are not read', async () => {
    const { parts, unread } = await extracted(extractPptx, writePptx(PARTLY_READ.toReversed(), DAMAGED));
    assert.deepEqual(
      parts.map((part) => part.text),
      ['one', 'three'],
    );
    assert.deepEqual(mergeUnread(unread ?? []), [
      {
        kind: 'part',
        names: ['slide 1, chart', 'slide 1, diagram', 'slide 2', 'slide 3, notes', 'slide 3, comments'],
        reason: 'damaged',
      },
      {
        kind: 'part',
        names: ['slide 1, embedded object', 'slide 3, chart'],
        reason: 'not_read',
      },
    ]);
  });

  test('is read without a slide that is not in the file', async () => {
    const lost = writeZip(two.filter(({ name }) => name !== 'ppt/slides/slide1.xml'));
    for (const file of [lost, writeZip(replaced(two, 'Id="rId1" Type="http', 'Id="other" Type="http'))]) {
      assert.deepEqual(await extracted(extractPptx, file), {
        title: null,
        parts: [{ text: 'two', place: { slide: 1 } }],
        unread: [{ kind: 'part', names: ['slide 2'], reason: 'damaged' }],
      });
    }
  });

  testFaults(extractPptx, {
    'is refused if it lists too many slides': [
      'too_many_chunks',
      [writeZip(replaced(two, '</p:sldIdLst>', `${'<p:sldId r:id="rId1"/>'.repeat(50_001)}</p:sldIdLst>`))],
    ],
    'is refused if it is encrypted': ['locked', [fixture('encrypted.pptx')]],
    'is refused with the name of its format if that is another one': [
      'corrupt',
      [writeXlsx({ sheets: { S: textRow(1, 'a') } })],
      /an XLSX workbook/,
    ],
    'is refused if it is cut off, something else, or lacks all its slides': [
      'corrupt',
      [
        fixture('libreoffice.odp'),
        fixture('libreoffice.pptx').subarray(0, 20_000),
        writeZip(replaced(two, 'p:presentation', 'p:document')),
        writeZip(two.filter(({ name }) => !name.startsWith('ppt/slides/slide'))),
        writeZip(replaced(two, '/slide"', '/other"')),
        writeZip(replaced(two, '</p:sld>', '')),
      ],
    ],
    'is refused if it is nested too deeply': ['too_deep', [writePptx([{ tree: '<p:grpSp>'.repeat(2_000) }])]],
  });
});

describe('a presentation of OpenDocument', () => {
  const page = (content: string) => writeOpenDocument('presentation', `<draw:page>${content}</draw:page>`);

  test('of LibreOffice reads like the same presentation of PowerPoint', async () => {
    const slide =
      '# Why pumps leak\n\n- Worn seals 密封\n  - after two years\n- Loose screws\n\nComment: Show the old seal too\n\nNotes: Bring a worn seal to the room.';
    assert.deepEqual(await extracted(extractOdp, fixture('libreoffice.odp')), {
      title: 'Pump training',
      date: '2024-04-01',
      parts: [{ text: slide, place: { slide: 1 } }, TORQUE],
    });
  });

  test('of another program keeps its slides', async () => {
    const { title, parts } = await extracted(extractOdp, fixture('odfpy.odp'));
    assert.equal(title, 'Two halls');
    assert.deepEqual(parts, [
      { text: '# North\n\nopens at nine', place: { slide: 1 } },
      { text: '# South\n\nis closed', place: { slide: 2 } },
    ]);
  });

  const object =
    '<draw:frame><draw:object xlink:href="http://127.0.0.1/x"><text:p>embedded</text:p></draw:object></draw:frame>';
  testTexts(extractOdp, {
    'can have drawings with very long outlines': [
      page(`<draw:path svg:d="${'M1 2L3 4'.repeat(40_000)}"/>${frame('outline', 'kept')}`),
      'kept',
    ],
    'leaves out what repeats on every slide and what is embedded': [
      page(frame('footer', 'confidential') + frame('page-number', '1') + frame('outline', 'kept') + object),
      'kept',
    ],
  });

  test('of PowerPoint can have more comments, and more shapes in its notes, than a call can have arguments', async () => {
    const content = {
      tree: shape(['a']),
      relations: relation('r1', 'comments', '../c.xml') + relation('r2', 'notesSlide', '../n.xml'),
    };
    const { parts } = await extracted(
      extractPptx,
      writePptx(
        [content],
        [
          { name: 'ppt/c.xml', content: `<c>${'<p:text>b</p:text>'.repeat(150_000)}</c>` },
          { name: 'ppt/n.xml', content: `<p:notes>${shape(['c']).repeat(150_000)}</p:notes>` },
        ],
      ),
    );
    assert.ok((parts[0]?.text.length ?? 0) > 2 * 150_000);
  });

  test('can have more paragraphs in a frame than a call can have arguments', async () => {
    const paragraphs = '<text:p>a</text:p>'.repeat(150_000);
    const [part] = (
      await extracted(
        extractOdp,
        page(`<draw:frame><draw:text-box>${paragraphs}</draw:text-box></draw:frame>`),
      )
    ).parts;
    assert.equal(part?.text.length, 150_000 * 3 - 2);
  });

  testFaults(extractOdp, {
    'is refused if it is of another format': ['corrupt', [fixture('libreoffice.ods')]],
  });
});
