import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractDocx } from '../../../../../worker/extract/office/docx.ts';
import { extracted, testTexts } from '../../extraction.ts';
import { paragraph, run, type WordPart, writeWord } from './word-writer.ts';

const chunk = (name: string, content: string | Uint8Array): Buffer =>
  writeWord(`${paragraph(run('Before'))}<w:altChunk r:id="c1"/>${paragraph(run('After'))}`, {
    type: 'aFChunk',
    name,
    content,
    id: 'c1',
  });
const graphic = (content: string) =>
  paragraph(
    `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Drawing 1"/><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`,
  );

const rich = (text: string) =>
  `<c:title><c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
const cache = (kind: 'str' | 'num', values: string[], more = '') =>
  `<c:${kind}Ref><c:f>Sheet1!$A$1</c:f><c:${kind}Cache>${more}<c:ptCount val="${values.length}"/>${values.map((value, index) => (value === '' ? '' : `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`)).join('')}</c:${kind}Cache></c:${kind}Ref>`;
const series = (name: string, categories: string, values: string) =>
  `<c:ser><c:idx val="0"/><c:tx>${cache('str', [name])}</c:tx><c:dLbls><c:txPr/></c:dLbls><c:cat>${categories}</c:cat><c:val>${values}</c:val></c:ser>`;
const chart = (content: string): WordPart => ({
  type: 'chart',
  name: 'charts/chart1.xml',
  content: `<c:chartSpace><c:chart>${content}</c:chart></c:chartSpace>`,
  id: 'g1',
});
const CHART = graphic('<c:chart r:id="g1"/>');

describe('texts in other formats within a Word document', () => {
  const html = '<html><head><title>no</title></head><body><h2>Part</h2><p>a <b>b</b></p></body></html>';
  const between = (text: string) => `Before\n\n${text}\n\nAfter`;
  testTexts(extractDocx, {
    'are read as HTML, with their headings': [chunk('a.htm', html), between('## Part\n\na b')],
    'are read as HTML by what they are': [chunk('a.dat', html), between('## Part\n\na b')],
    'are read as plain text, in which nothing is a heading': [
      chunk('a.txt', '# no\nline'),
      between('\\# no\nline'),
    ],
    'are read as RTF': [chunk('a.rtf', '{\\rtf1\\ansi a{\\b b}\\par}'), between('ab')],
    'are read as web pages in one file': [
      chunk(
        'a.mht',
        `MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="x"\r\n\r\n--x\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: a.htm\r\n\r\n<h2>Part</h2><p>gr=C3=B6=C3=9Fer</p>\r\n--x--\r\n`,
      ),
      between('## Part\n\ngrößer'),
    ],
    'are read as Word documents within each other': [
      chunk('a.docx', chunk('b.docx', chunk('c.txt', 'innermost'))),
      between(between(between('innermost'))),
    ],
  });

  it('are named if they are of another format, damaged, or within too many others', async () => {
    const deep = [1, 2, 3, 4, 5].reduce<Uint8Array>(
      (inner, depth) => chunk(`d${depth}.docx`, inner),
      Buffer.from('PK'),
    );
    const cases: [content: Uint8Array, name: string, reason: string][] = [
      [chunk('a.bin', Buffer.of(1, 2, 3)), 'a.bin', 'not_read'],
      [chunk('a.xlsx', 'PK'), 'a.xlsx', 'not_read'],
      [chunk('a.docx', 'PK'), 'a.docx', 'damaged'],
      [chunk('a.htm', '<b>'.repeat(100_000)), 'a.htm', 'not_read'],
      [deep, 'd2.docx', 'not_read'],
    ];
    for (const [content, name, reason] of cases) {
      const { parts, unread } = await extracted(extractDocx, content);
      assert.deepEqual(unread, [{ kind: 'part', names: [name], reason }]);
      assert.match(parts[0]?.text ?? '', /^Before\n\n[^]*After$/);
    }
  });
});

describe('charts and diagrams of a Word document', () => {
  const years = cache('str', ['2023', '2024']);
  testTexts(extractDocx, {
    'are their titles and a table of their values': [
      writeWord(
        CHART + paragraph(run('After')),
        chart(
          rich('Sales') +
            `<c:plotArea><c:barChart>${series('North', years, cache('num', ['4', '0.30000000000000004']))}${series('South', years, cache('num', ['', '0.25'], '<c:formatCode>0%</c:formatCode>'))}</c:barChart><c:catAx>${rich('Year')}</c:catAx><c:valAx>${rich('in k€')}</c:valAx></c:plotArea>`,
        ),
      ),
      'Sales\nin k€\n\n| Year | North | South |\n| - | - | - |\n| 2023 | 4 |  |\n| 2024 | 0.3 | 25% |\n\nAfter',
    ],
    'have a table for each list of categories': [
      writeWord(
        CHART,
        chart(
          `<c:plotArea><c:scatterChart><c:ser><c:tx><c:v>A</c:v></c:tx><c:xVal>${cache('num', ['1'])}</c:xVal><c:yVal>${cache('num', ['2'])}</c:yVal></c:ser><c:ser><c:xVal>${cache('num', ['3'])}</c:xVal><c:yVal>${cache('num', ['4'])}</c:yVal></c:ser></c:scatterChart></c:plotArea>`,
        ),
      ),
      '|  | A |\n| - | - |\n| 1 | 2 |\n\n|  | Series 2 |\n| - | - |\n| 3 | 4 |',
    ],
    'of SmartArt are their texts': [
      writeWord(graphic('<dgm:relIds r:dm="d1" r:lo="d2"/>'), {
        type: 'diagramData',
        name: 'diagrams/data1.xml',
        content:
          '<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Build</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>',
        id: 'd1',
      }),
      'Plan\nBuild',
    ],
  });

  it('are named if they cannot be read or have too many values', async () => {
    const many = Array.from({ length: 400 }, (_, index) =>
      series('s', '', `<c:numLit><c:pt idx="${index}"><c:v>1</c:v></c:pt></c:numLit>`),
    );
    const cases: [part: WordPart, name: string, reason: string][] = [
      [chart('<c:title>'), 'chart1.xml', 'damaged'],
      [chart(many.join('')), 'chart1.xml', 'not_read'],
      [{ ...chart(''), type: 'chartEx' }, 'Drawing 1', 'not_read'],
    ];
    for (const [content, name, reason] of cases) {
      const { unread } = await extracted(extractDocx, writeWord(CHART, content));
      assert.deepEqual(unread, [{ kind: 'part', names: [name], reason }]);
    }
  });
});
