import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extractDocx } from '../../../../../worker/extract/office/docx.ts';
import { testTexts, textOf } from '../../extraction.ts';
import { paragraph, part, run, writeWord } from './word-writer.ts';

const text = (runs: string, properties = '') => writeWord(paragraph(runs, properties));
const style = (id: string, name: string, content: string, type = 'paragraph', basedOn = '') =>
  `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${name}"/>${basedOn === '' ? '' : `<w:basedOn w:val="${basedOn}"/>`}${content}</w:style>`;
const VANISH = '<w:vanish/>';
const styles = part(
  'styles',
  style('Hidden', 'Hidden', `<w:rPr>${VANISH}</w:rPr>`, 'character') +
    style('Secret', 'Secret', `<w:rPr>${VANISH}</w:rPr>`) +
    style('Child', 'Child', '', 'paragraph', 'Secret') +
    style('Clause', 'Clause', '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>') +
    style('Contents', 'TOC Heading', '<w:pPr><w:outlineLvl w:val="9"/></w:pPr>', 'paragraph', 'Clause') +
    style('Cycle', 'Cycle', '', 'paragraph', 'Cycle2') +
    style('Cycle2', 'Cycle2', '', 'paragraph', 'Cycle') +
    style('Code', 'HTML Preformatted', '') +
    `<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>`,
);
const styled = (runs: string, id: string) => paragraph(runs, `<w:pStyle w:val="${id}"/>`);
const character = (field: string) => `<w:r><w:fldChar w:fldCharType="${field}"/></w:r>`;
const code = (instruction: string) => `<w:r><w:instrText>${instruction}</w:instrText></w:r>`;
const form = (data: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="x"/>${data}</w:ffData></w:fldChar></w:r>${code('FORM')}${character('separate')}${character('end')}`;
const box = (content: string) => `<w:txbxContent>${content}</w:txbxContent>`;
const shape = (content: string) =>
  `<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx>${box(content)}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>`;
const picture = (content: string) =>
  `<w:pict><v:shape><v:textbox>${box(content)}</v:textbox></v:shape></w:pict>`;
const copies = (choice: string, fallback: string) =>
  `<mc:AlternateContent><mc:Choice Requires="wps">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
const control = (properties: string, content: string) =>
  `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
const checkbox = (isChecked: number, content: string) =>
  control(`<w14:checkbox><w14:checked w14:val="${isChecked}"/></w14:checkbox>`, content);

describe('the text of a Word document', () => {
  testTexts(extractDocx, {
    'is within elements that only mark it': [
      text(
        ['smartTag', 'customXml', 'hyperlink', 'ins', 'moveTo', 'dir', 'bdo', 'fldSimple', 'unknown']
          .map((name) => `<w:${name}>${run(`${name} `)}</w:${name}>`)
          .join('') + control('<w:alias w:val="x"/>', run('control')),
      ),
      'smartTag customXml hyperlink ins moveTo dir bdo fldSimple unknown control',
    ],
    'is not what was deleted or moved away, nor former properties': [
      text(
        `${run('kept', `<w:rPrChange w:id="1"><w:rPr>${VANISH}</w:rPr></w:rPrChange>`)}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom>${run('moved')}</w:moveFrom>`,
        '<w:pPrChange w:id="2"><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange>',
      ),
      'kept',
    ],
    'continues after a paragraph mark that is deleted': [
      writeWord(
        paragraph(run('one '), '<w:outlineLvl w:val="0"/><w:rPr><w:del w:id="1"/></w:rPr>') +
          paragraph(run('line')) +
          paragraph(run('last'), '<w:rPr><w:del w:id="1"/></w:rPr>'),
      ),
      'one line\n\nlast',
    ],
    'has the large letter at its beginning within its word': [
      writeWord(paragraph(run('T'), '<w:framePr w:dropCap="drop" w:lines="3"/>') + paragraph(run('he pump'))),
      'The pump',
    ],
    'has breaks, tabs, hyphens and symbols': [
      text(
        `<w:r><w:t>a</w:t><w:cr/><w:t>b</w:t><w:br/><w:t>c</w:t><w:tab/><w:t>d</w:t><w:ptab w:alignment="left"/><w:t>e</w:t><w:noBreakHyphen/><w:t>f</w:t><w:softHyphen/><w:t>g&#xad;h</w:t><w:br w:type="page"/><w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Other" w:char="00A7"/><w:sym w:font="Other" w:char="F0A7"/></w:r>${run('\uf062', '<w:rFonts w:ascii="Symbol"/>')}`,
      ),
      'a\nb\nc d e-fgh\n🗹α§β',
    ],
    'has one space where the file has more, but none in code': [
      writeWord(
        `${paragraph(run('a  b\n c&#xa0;d'))}${styled(run('x  = 1'), 'Code')}${styled(run('  ``` y'), 'Code')}`,
        styles,
      ),
      'a b c d\n\n````\nx  = 1\n  ``` y\n````',
    ],
    'marks what is struck out, and raised numbers': [
      text(
        run('4 ', '<w:strike/>') +
          run('€', '<w:dstrike/>') +
          run(' 5 € 10') +
          run('6', '<w:vertAlign w:val="superscript"/>') +
          run(' 10') +
          run('3', '<w:position w:val="8"/>') +
          run(' the 1') +
          run('st', '<w:vertAlign w:val="superscript"/>'),
      ),
      '~~4 €~~ 5 € 10^6 10^3 the 1st',
    ],
    'does not become a heading or a list by its first characters': [text(run('# 4 pumps')), '\\# 4 pumps'],
  });

  testTexts(extractDocx, {
    'has headings by the outline of a style, of a paragraph, and by names': [
      writeWord(
        styled(run('A'), 'Clause') +
          styled(run('B'), 'Contents') +
          paragraph(run('C'), '<w:outlineLvl w:val="1"/>') +
          paragraph(run('D'), '<w:pStyle w:val="Clause"/><w:outlineLvl w:val="9"/>') +
          styled(run('E'), 'Heading3') +
          styled(run('F'), 'Cycle') +
          styled(run('g'.repeat(301)), 'Clause'),
        styles,
      ),
      `### A\n\nB\n\n## C\n\nD\n\n### E\n\nF\n\n${'g'.repeat(301)}`,
    ],
  });

  it('keeps each text once and in order, within any marks', async () => {
    const marks = fc.constantFrom(
      'ins',
      'sdt',
      'sdtContent',
      'hyperlink',
      'smartTag',
      'fldSimple',
      'bdo',
      'x',
    );
    const nested = fc.array(marks, { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(nested, { minLength: 1, maxLength: 8 }), async (all) => {
        const body = all.map((names, index) =>
          names.reduce((inner, name) => `<w:${name}>${inner}</w:${name}>`, run(`t${index} `)),
        );
        const wanted = all.map((_, index) => `t${index}`).join(' ');
        assert.equal(await textOf(extractDocx, text(body.join(''))), wanted);
      }),
      { numRuns: 50 },
    );
  });
});

describe('fields of a Word document', () => {
  const field = (...pieces: string[]) => character('begin') + pieces.join('') + character('end');
  testTexts(extractDocx, {
    'have their results and not their codes, also within each other': [
      text(
        run('a ') +
          field(
            code('IF '),
            field(code('MERGEFIELD x'), character('separate'), run('inner')),
            code('= 1'),
            character('separate'),
            run('result'),
          ) +
          run(' b'),
      ),
      'a result b',
    ],
    'that never end take no text with them': [
      writeWord(
        paragraph(run('a') + character('begin') + code('REF x')) +
          paragraph(run('b') + character('end') + character('begin')) +
          paragraph(run('c')),
      ),
      'a\n\nb\n\nc',
    ],
    'that end without a beginning are ignored': [
      text(character('end') + character('separate') + run('a')),
      'a',
    ],
    'of forms show boxes and the chosen entry': [
      text(
        form('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>') +
          run(' yes ') +
          form('<w:checkBox><w:default w:val="0"/></w:checkBox>') +
          run(' no ') +
          form(
            '<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>',
          ),
      ),
      '[x] yes [ ] no blue',
    ],
    'of controls show boxes': [
      text(
        checkbox(1, run('☒')) +
          run('yes ') +
          checkbox(0, '<w:r><w:sym w:font="Wingdings" w:char="F0A8"/></w:r>') +
          run(' no ') +
          checkbox(1, ''),
      ),
      '[x] yes [ ] no [x]',
    ],
  });
});

describe('text boxes and drawings of a Word document', () => {
  const inside = paragraph(run('inside'));
  testTexts(extractDocx, {
    'are read once, after their paragraph': [
      writeWord(
        paragraph(`${run('before ')}<w:r>${copies(shape(inside), picture(inside))}</w:r>${run('after')}`) +
          paragraph(run('next')),
      ),
      'before after\n\ninside\n\nnext',
    ],
    'are read in either form': [
      text(
        `<w:r>${shape(inside)}</w:r><w:r>${picture(inside)}</w:r><w:r>${copies('<w:drawing/>', picture(inside))}</w:r>`,
      ),
      'inside\n\ninside\n\ninside',
    ],
    'within a text box are read, with fields of their own': [
      text(
        `${character('begin')}${character('separate')}<w:r>${shape(paragraph(`${run('outer')}${character('end')}<w:r>${shape(inside)}</w:r>`))}</w:r>${run('!')}${character('end')}`,
      ),
      '!\n\nouter\n\ninside',
    ],
    'have descriptions, and texts of WordArt': [
      text(
        '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" descr="a pump&#10;in section"/></wp:inline></w:drawing></w:r><w:r><w:pict><v:shape alt="a valve"><v:textpath string="URGENT"/></v:shape></w:pict></w:r><w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" descr="unseen" hidden="1"/></wp:inline></w:drawing></w:r>',
      ),
      'a pump in section a valve URGENT',
    ],
  });
});

describe('hidden text of a Word document', () => {
  const inside = paragraph(run('inside'));
  testTexts(extractDocx, {
    'is left out, by itself or by its style': [
      writeWord(
        paragraph(
          run('a ') + run('1', VANISH) + run('2', '<w:rStyle w:val="Hidden"/>') + run('b', '<w:webHidden/>'),
        ) +
          styled(run('3'), 'Secret') +
          styled(run('4'), 'Child') +
          paragraph(`<w:r><w:rPr>${VANISH}</w:rPr>${shape(inside)}</w:r>`) +
          `<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>${inside}</w:tc><w:tc>${inside}</w:tc></w:tr><w:tr><w:tc>${paragraph(run('x'))}</w:tc><w:tc>${paragraph(run('y'))}</w:tc></w:tr></w:tbl>`,
        styles,
      ),
      'a b\n\n| x | y |\n| - | - |',
    ],
    'is shown where a run says so, or where two styles cancel each other': [
      writeWord(
        styled(
          run('a', '<w:vanish w:val="0"/>') + run('b', '<w:rStyle w:val="Hidden"/>') + run('c'),
          'Secret',
        ) + paragraph(run('d', '<w:rStyle w:val="Hidden"/><w:vanish w:val="false"/>')),
        styles,
      ),
      'ab\n\nd',
    ],
    'does not hide a text whose paragraph mark alone is hidden': [
      text(run('shown'), `<w:rPr>${VANISH}</w:rPr>`),
      'shown',
    ],
  });
});
