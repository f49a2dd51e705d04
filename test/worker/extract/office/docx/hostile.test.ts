import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extractDocx } from '../../../../../worker/extract/office/docx.ts';
import { writeZip } from '../../../../support/zip-writer.ts';
import {
  assertDamagedMembersAreTold,
  assertDamageIsTold,
  extracted,
  faultOf,
  textOf,
} from '../../extraction.ts';
import { wordMembers } from '../../office-writer.ts';
import {
  numbered,
  paragraph,
  part,
  run,
  table,
  type WordPart,
  wordMembersWith,
  writeWord,
} from './word-writer.ts';

const repeated = (start: string, end: string, times = 50_000) => start.repeat(times) + end.repeat(times);
const level = (text: string) =>
  `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="${text}"/></w:lvl>`;
const numbering = (text: string) =>
  part(
    'numbering',
    `<w:abstractNum w:abstractNumId="0">${level(text)}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
  );

/** A document with something of all kinds. */
const BODY =
  paragraph(
    `${run('a')}<w:r><w:footnoteReference w:id="2"/></w:r><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den/></m:f></m:oMath>`,
    '<w:pStyle w:val="berschrift1"/>',
  ) +
  numbered('b') +
  table(['c', 'd'], ['e', 'f']) +
  paragraph(
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>${paragraph(run('g'))}</w:txbxContent></mc:Choice></mc:AlternateContent><w:fldChar w:fldCharType="end"/></w:r>`,
  ) +
  '<w:altChunk r:id="c1"/><w:p><w:r><c:chart r:id="g1"/></w:r></w:p>';
const PARTS: WordPart[] = [
  numbering('%1.%2'),
  part('footnotes', `<w:footnote w:id="2">${paragraph(run('note'))}</w:footnote>`),
  { type: 'aFChunk', name: 'a.htm', content: '<p>chunk</p>', id: 'c1' },
  {
    type: 'chart',
    name: 'chart.xml',
    content:
      '<c:chartSpace><c:ser><c:val><c:numLit><c:pt idx="0"><c:v>1</c:v></c:pt></c:numLit></c:val></c:ser></c:chartSpace>',
    id: 'g1',
  },
];

describe('a hostile Word document', () => {
  it('is refused if it refers very often to a table that has rows without text', async () => {
    const rows = '<a:tr/>'.repeat(60_000);
    const diagram = { type: 'diagramData', name: 'd.xml', content: `<d><a:tbl>${rows}</a:tbl></d>`, id: 'd' };
    const body = paragraph('<w:r><dgm:relIds r:dm="d"/></w:r>'.repeat(2_000));
    assert.equal((await faultOf(extractDocx, writeWord(body, diagram))).code, 'too_many_chunks');
  });

  it('is refused if it has very many charts of much less text than cells, also where none is shown', async () => {
    const points = Array.from({ length: 315 }, (_, index) => `<c:pt idx="${index}"><c:v>1</c:v></c:pt>`);
    const others = '<c:ser/>'.repeat(315);
    const content = `<c>${others}<c:ser><c:val>${points.join('')}</c:val></c:ser></c>`;
    const charts = Array.from({ length: 350 }, (_, index) => ({
      type: 'chart',
      name: `c${index}.xml`,
      content,
    }));
    const fault = await faultOf(extractDocx, writeWord(paragraph(run('a')), ...charts));
    assert.equal(fault.code, 'too_many_chunks');
  });

  // If each addition copied the text before it, both would take minutes.
  it('is read with very many formulas in a paragraph, and with very many names of functions in a formula', async () => {
    const words = '<m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>sin</m:t></m:r>'.repeat(150_000);
    const formula = await textOf(extractDocx, writeWord(`<w:p><m:oMath>${words}</m:oMath></w:p>`));
    assert.equal(formula, Array(150_000).fill('sin').join(' '));
    const lines = `<w:r><w:t>${'a'.repeat(20)}</w:t></w:r><m:oMathPara/>`.repeat(150_000);
    const text = await textOf(extractDocx, writeWord(`<w:p>${lines}</w:p>`));
    assert.equal(text, Array(150_000).fill('a'.repeat(20)).join('\n'));
  });

  it('is refused if anything in it is nested too deeply', async () => {
    const nested = [
      repeated('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>'),
      repeated('<w:p><w:r><w:txbxContent>', '</w:txbxContent></w:r></w:p>'),
      repeated('<mc:AlternateContent><mc:Choice>', '</mc:Choice></mc:AlternateContent>'),
      repeated('<m:oMath><m:f><m:num>', '</m:num></m:f></m:oMath>'),
      repeated('<w:del>', '</w:del>'),
      repeated('<w:pPr>', '</w:pPr>'),
    ];
    for (const body of nested) assert.equal((await faultOf(extractDocx, writeWord(body))).code, 'too_deep');
  });

  it('has all its text if 20,000 fields are open, or end without a beginning', async () => {
    const begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'.repeat(20_000);
    const end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'.repeat(20_000);
    assert.equal(
      await textOf(extractDocx, writeWord(paragraph(begin + run('a') + end) + paragraph(run('b')))),
      'b',
    );
    assert.equal(await textOf(extractDocx, writeWord(paragraph(begin + run('a')))), 'a');
    assert.equal(await textOf(extractDocx, writeWord(paragraph(end + run('a')))), 'a');
  });

  it('is read if its styles or lists are based on each other', async () => {
    const styles = Array.from(
      { length: 20_000 },
      (_, index) =>
        `<w:style w:type="paragraph" w:styleId="S${index}"><w:basedOn w:val="S${(index + 1) % 20_000}"/></w:style>`,
    );
    const links = [0, 1]
      .map(
        (id) =>
          `<w:abstractNum w:abstractNumId="${id}"><w:styleLink w:val="L${id}"/><w:numStyleLink w:val="L${1 - id}"/></w:abstractNum><w:num w:numId="${id + 1}"><w:abstractNumId w:val="${id}"/></w:num>`,
      )
      .join('');
    const body = styles
      .map((_, index) => paragraph(run('a'), `<w:pStyle w:val="S${index}"/>`))
      .concat(numbered('b'), numbered('c', 0, '2'));
    const text = await textOf(
      extractDocx,
      writeWord(body.join(''), part('styles', styles.join('')), part('numbering', links)),
    );
    assert.ok(text.endsWith('a\n\nb\n\nc'));
  });

  it('is refused if a few parts make more text than can be stored', async () => {
    const times = 101;
    const chunk: WordPart = { type: 'aFChunk', name: 'a.txt', content: 'x'.repeat(1_000_000), id: 'c1' };
    const content = writeWord('<w:altChunk r:id="c1"/>'.repeat(times), chunk);
    assert.equal((await faultOf(extractDocx, content)).code, 'too_many_chunks');
    const points = Array.from(
      { length: 1_000 },
      (_, idx) => `<c:pt idx="${idx}"><c:v>${'9'.repeat(200)}</c:v></c:pt>`,
    );
    const chart: WordPart = {
      type: 'chart',
      name: 'chart.xml',
      content: `<c:chartSpace><c:ser><c:cat><c:strLit>${points.join('')}</c:strLit></c:cat></c:ser></c:chartSpace>`,
      id: 'g1',
    };
    const charts = writeWord('<w:p><w:r><c:chart r:id="g1"/></w:r></w:p>'.repeat(600), chart);
    assert.equal((await faultOf(extractDocx, charts)).code, 'too_many_chunks');
  });

  it('has a short number for each of very many paragraphs', async () => {
    const body = numbered('a').repeat(2_000);
    const text = await textOf(extractDocx, writeWord(body, numbering(`${'%1'.repeat(1_000)}x`)));
    const last = text.slice(text.lastIndexOf('\n') + 1);
    assert.match(last, /^(?:2000){25} a$/);
  });

  it('is read if its parts are missing or it refers to itself', async () => {
    const itself: WordPart[] = ['aFChunk', 'chart', 'diagramData', 'footnotes', 'comments', 'styles'].map(
      (type) => ({
        type,
        name: 'document.xml',
        content: '',
        id: type,
      }),
    );
    const missing = wordMembersWith(`${BODY}<w:altChunk r:id="aFChunk"/>`, itself).filter(
      ({ content }) => content !== '',
    );
    const members = [...wordMembers(BODY).filter(({ name }) => name === 'word/document.xml'), ...missing];
    assert.match(await textOf(extractDocx, writeZip(members)), /^a/);
  });

  it('is read, or refused with a reported fault, whatever is damaged', async () => {
    await assertDamagedMembersAreTold(extractDocx, wordMembersWith(BODY, PARTS));
    await assertDamageIsTold(extractDocx, writeWord(BODY, ...PARTS));
  });

  it('is read, or refused with a reported fault, whatever its order of elements', async () => {
    const names =
      'w:p w:r w:t w:tbl w:tr w:tc w:txbxContent w:pPr w:rPr w:tcPr w:sdt w:sdtPr w:sdtContent mc:AlternateContent mc:Choice mc:Fallback m:oMath m:oMathPara m:f m:e m:num w:del w:fldChar w:numPr w:numId w:vMerge w:footnoteReference w:altChunk constructor'.split(
        ' ',
      );
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 8 },
        fc.constant('text'),
        fc
          .tuple(
            fc.constantFrom(...names),
            fc.constantFrom('0', '1', 'begin', 'restart'),
            fc.array(tie('tree'), { maxLength: 3 }),
          )
          .map(
            ([name, value, inner]) =>
              `<${name} w:val="${value}" w:id="${value}" w:fldCharType="${value}">${inner.join('')}</${name}>`,
          ),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { maxLength: 5 }), async (body) => {
        const { parts } = await extracted(extractDocx, writeWord(body.join(''), ...PARTS));
        assert.equal(parts.length, 1);
      }),
      { numRuns: 200 },
    );
  });
});
