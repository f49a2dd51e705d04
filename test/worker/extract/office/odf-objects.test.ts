import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractOdt } from '../../../../worker/extract/office/odt.ts';
import { extractOdp } from '../../../../worker/extract/office/slides/odp.ts';
import { mergeUnread } from '../../../../worker/extract/unread.ts';
import { writeZip, type ZipMember } from '../../../support/zip-writer.ts';
import { extracted, textOf } from '../extraction.ts';
import { openDocumentMembers } from './sheet-writer.ts';

const PREFIX = 'application/vnd.oasis.opendocument.';
const object = (reference: string, element = 'object') =>
  `<draw:frame><draw:${element} xlink:href="${reference}"/><draw:image/></draw:frame>`;

/** The files of a document with these objects: their kind and their content, by path. */
function members(
  kind: 'text' | 'presentation',
  body: string,
  objects: Readonly<Record<string, readonly [kind: string, content: string]>>,
): ZipMember[] {
  const entries = Object.entries(objects);
  const manifest = entries.map(
    ([path, [type]]) =>
      `<manifest:file-entry manifest:full-path="${path}/" manifest:media-type="${PREFIX}${type}"/>`,
  );
  return [
    ...openDocumentMembers(kind, body, { manifest: manifest.join('') }),
    ...entries.map(([path, [, content]]) => ({ name: `${path}/content.xml`, content })),
  ];
}

const math = (content: string) => `<math xmlns="http://www.w3.org/1998/Math/MathML">${content}</math>`;
/** The text of a document with this formula between two words. */
const formula = (content: string) =>
  textOf(
    extractOdt,
    writeZip(
      members('text', `<text:p>a ${object('./Object 1')} b</text:p>`, { 'Object 1': ['formula', content] }),
    ),
  );

describe('a formula of a document of OpenDocument', () => {
  test('is read in one line, at its place', async () => {
    const rows: Readonly<Record<string, string>> = {
      '<mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow>': 'E=mc^2',
      '<semantics><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><annotation>over</annotation></semantics>':
        '(a+b)/2',
      '<msqrt><mi>x</mi><mo>-</mo><msub><mi>y</mi><mi>i</mi></msub></msqrt>': '√(x-y_i)',
      '<mroot><mi>x</mi><mn>3</mn></mroot><mspace/><mtext>over all</mtext>': '3√x over all',
      '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>':
        '∑_(i=1)^ni',
      '<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>':
        '1, 2; 3',
      '<msup><mrow/><mn>2</mn></msup><constructor><mi>H</mi></constructor>': '^2H',
    };
    for (const [content, text] of Object.entries(rows))
      assert.equal(await formula(math(content)), `a ${text} b`);
  });

  test('is read in time, however deeply it is nested', async () => {
    const nested = `${'<mrow><mi>x</mi>'.repeat(900)}<mi>${'y'.repeat(1_000_000)}</mi>${'</mrow>'.repeat(900)}`;
    const text = await formula(math(nested));
    assert.equal(text.length, 'a  b'.length + 900 + 1_000_000);
  });

  test('that is damaged or missing is named, and the text is read', async () => {
    const body = `<text:p>a${object('Damaged')}${object('Missing')}</text:p>`;
    const files = members('text', body, { Damaged: ['formula', '<math'], Missing: ['formula', ''] });
    const { parts, unread } = await extracted(
      extractOdt,
      writeZip(files.filter(({ name }) => !name.startsWith('Missing'))),
    );
    assert.deepEqual(parts, [{ text: 'a', place: null }]);
    assert.deepEqual(mergeUnread(unread ?? []), [
      { kind: 'part', names: ['formula Damaged', 'formula Missing'], reason: 'damaged' },
    ]);
  });
});

describe('an embedded object of a document of OpenDocument', () => {
  const objects = {
    Chart: ['chart', '<x/>'],
    Sheet: ['spreadsheet', '<x/>'],
    Sum: ['formula', math('<mn>1</mn>')],
  } as const;
  const body =
    object('./Chart') +
    object('Chart/') +
    object('./Sheet') +
    object('./Ole', 'object-ole') +
    object('./Sum');

  test('is named if it is not read, and a link to another file is not', async () => {
    const links = object('http://127.0.0.1/x') + object('../other.ods');
    const { parts, unread } = await extracted(
      extractOdt,
      writeZip(members('text', `<text:p>a ${body}${links}</text:p>`, objects)),
    );
    assert.deepEqual(parts, [{ text: 'a 1', place: null }]);
    assert.deepEqual(mergeUnread(unread ?? []), [
      {
        kind: 'part',
        names: ['chart 1', 'chart 2', 'embedded object 1', 'embedded object 2'],
        reason: 'not_read',
      },
    ]);
  });

  test('is named with its slide', async () => {
    const page = (content: string) => `<draw:page>${content}</draw:page>`;
    const file = writeZip(members('presentation', page(object('./Sum')) + page(body), objects));
    const { parts, unread } = await extracted(extractOdp, file);
    assert.deepEqual(
      parts,
      [1, 2].map((slide) => ({ text: '1', place: { slide } })),
    );
    assert.deepEqual(mergeUnread(unread ?? []), [
      { kind: 'part', names: ['slide 2, chart', 'slide 2, embedded object'], reason: 'not_read' },
    ]);
  });
});
