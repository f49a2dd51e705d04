import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractOdt } from '../../../../worker/extract/office/odt.ts';
import { extractOdp } from '../../../../worker/extract/office/slides/odp.ts';
import { writeZip } from '../../../support/zip-writer.ts';
import { assertDamagedMembersAreTold, testTexts, textOf } from '../extraction.ts';
import { openDocumentMembers, writeOpenDocument } from './sheet-writer.ts';

const level = (number: number, attributes: string, { kind = 'list-level-style-number', follow = '' } = {}) =>
  `<text:${kind} text:level="${number}" ${attributes}>${follow === '' ? '' : `<style:list-level-properties><style:list-level-label-alignment text:label-followed-by="${follow}"/></style:list-level-properties>`}</text:${kind}>`;
const style = (name: string, ...levels: string[]) =>
  `<text:list-style style:name="${name}">${levels.join('')}</text:list-style>`;
const list = (attributes: string, ...items: string[]) =>
  `<text:list ${attributes}>${items.join('')}</text:list>`;
const of = (name: string, more = '') => `text:style-name="${name}" ${more}`;
const item = (content: string, attributes = '') =>
  `<text:list-item ${attributes}>${content}</text:list-item>`;
const p = (text: string, name = '') => `<text:p text:style-name="${name}">${text}</text:p>`;
const h = (text: string, number: number, attributes = '') =>
  `<text:h text:outline-level="${number}" ${attributes}>${text}</text:h>`;

/** A contract has articles, clauses with two numbers, and points with letters. */
const CONTRACT = style(
  'Contract',
  level(1, 'style:num-format="1" style:num-prefix="Article "'),
  level(2, 'style:num-format="1" text:display-levels="2"'),
  level(3, 'style:num-format="a" style:num-prefix="(" style:num-suffix=")"'),
  level(4, 'style:num-format="" style:num-prefix="Note: "'),
  level(5, 'style:num-format="i" text:display-levels="5"'),
);
const STEPS = style('Steps', level(1, 'style:num-format="1" style:num-suffix="."'));
const OUTLINE =
  '<text:outline-style style:name="Outline">' +
  level(1, 'style:num-format="I" style:num-suffix="."', { kind: 'outline-level-style' }) +
  level(2, 'style:num-format="1" text:display-levels="2"', { kind: 'outline-level-style' }) +
  level(3, 'style:num-format=""', { kind: 'outline-level-style' }) +
  '</text:outline-style>';
const NO_NUMBER = '<style:style style:name="Plain" style:family="paragraph" style:list-style-name=""/>';

const odt = (body: string, styles = '') =>
  writeOpenDocument('text', body, { styles: CONTRACT + STEPS + OUTLINE + NO_NUMBER + styles });
/** The first numbers of a list of one level with these attributes. */
const numbered = (attributes: string, count = 2) =>
  odt(
    list(of('Own'), ...Array.from({ length: count }, (_, index) => item(p(`t${index + 1}`)))),
    style('Own', level(1, attributes)),
  );

describe('a list of OpenDocument', () => {
  testTexts(extractOdt, {
    'has the numbers of clauses, which show those of the levels above': [
      odt(
        list(
          of('Contract'),
          item(
            p('Delivery') +
              list('', item(p('To the gate') + list('', item(p('Early')), item(p('Late')))), item(p('Fees'))),
          ),
          item(p('Payment') + list('', item(p('At once')))),
        ),
      ),
      'Article 1 Delivery\n\n1.1 To the gate\n\n(a) Early\n(b) Late\n\n1.2 Fees\n\nArticle 2 Payment\n\n2.1 At once',
    ],
    'leaves out levels without a number, and shows what is around it': [
      odt(
        list(
          of('Contract'),
          item(p('a') + list('', item(list('', item(list('', item(p('d') + list('', item(p('e')))))))))),
        ),
      ),
      'Article 1 a\n\nNote: d\n\n1.1.a.i e',
    ],
    'is a list of Markdown with its own numbers if they are simple': [
      odt(list(of('Steps'), item(p('Open')), item(p('Read'), 'text:start-value="7"'), item(p('Close')))),
      '1. Open\n7. Read\n8. Close',
    ],
    'begins again, or continues the one before it or a named one': [
      odt(
        list(of('Steps', 'xml:id="x"'), item(p('a')), item(p('b'))) +
          p('between') +
          list(of('Steps'), item(p('c'))) +
          p('between') +
          list(of('Steps', 'text:continue-numbering="true"'), item(p('d'))) +
          p('between') +
          list(of('Steps', 'text:continue-list="x"'), item(p('e'))) +
          p('between') +
          list(of('Steps', 'text:continue-list="unknown"'), item(p('f'))),
      ),
      '1. a\n2. b\n\nbetween\n\n1. c\n\nbetween\n\n2. d\n\nbetween\n\n3. e\n\nbetween\n\n1. f',
    ],
    'within an item begins again, unless it continues': [
      odt(
        list(
          of('Contract'),
          item(
            p('one') +
              list('', item(p('a')), item(p('b'))) +
              list('text:continue-numbering="true"', item(p('c'))) +
              list('', item(p('d'))),
          ),
        ),
      ),
      'Article 1 one\n\n1.1 a\n\n1.2 b\n\n1.3 c\n\n1.1 d',
    ],
    'can have the style of another list, of one item, or of its paragraphs': [
      odt(
        list(
          of('Contract'),
          item(p('a')),
          item(p('b') + list(of('Other'), item(p('c')))),
          item(p('d'), 'text:style-override="Other"'),
        ) + list('', item(p('e', 'Listed'))),
        style(
          'Other',
          level(1, 'style:num-format="A" style:num-suffix=")"'),
          level(2, 'style:num-format="A" text:display-levels="2"'),
        ) + '<style:style style:name="Listed" style:family="paragraph" style:list-style-name="Steps"/>',
      ),
      'Article 1 a\n\nArticle 2 b\n\nB.A c\n\nC) d\n1. e',
    ],
    'has items of bullets where it has no numbers': [
      odt(
        list(of('Bullets'), item(p('a') + list('', item(p('b'))))) + list(of('None'), item(p('c'))),
        style(
          'Bullets',
          level(1, 'text:bullet-char="•"', { kind: 'list-level-style-bullet' }),
          level(2, 'style:num-format="" style:num-prefix="-"'),
        ),
      ),
      '- a\n  - b\n- c',
    ],
    'has one number for all paragraphs of an item, and none for its head': [
      odt(
        list(
          of('Steps'),
          `<text:list-header>${p('Before work')}</text:list-header>`,
          item(p('Open') + p('the valve') + list('', item(p('slowly'))) + p('and wait')),
          item(p('')),
          item(p('Close')),
        ),
      ),
      'Before work\n\n1. Open\n   the valve\n   - slowly\n\nand wait\n\n3. Close',
    ],
    'gives no number to what is in a text box, a note or a cell of it': [
      odt(
        list(
          of('Steps'),
          item(
            `<text:p>a<draw:frame><draw:text-box>${p('box')}</draw:text-box></draw:frame><text:note><text:note-body>${p('note')}</text:note-body></text:note></text:p>`,
          ),
          item(p('b')),
        ),
      ),
      '1. a[1]\n\nbox\n\n[1] note\n\n2. b',
    ],
    'gives its number to the paragraph after a table in it': [
      odt(
        list(
          of('Steps'),
          item(
            `<table:table><table:table-row><table:table-cell>${p('x')}</table:table-cell><table:table-cell>${p('y')}</table:table-cell></table:table-row></table:table>${p('a')}`,
          ),
        ),
      ),
      '| x | y |\n| - | - |\n\n1. a',
    ],
    'in the cells of a table gives their numbers': [
      odt(
        `<table:table><table:table-row><table:table-cell>${list(of('Steps'), item(p('')))}</table:table-cell><table:table-cell>${list(of('Contract'), item(p('Pump')))}</table:table-cell></table:table-row></table:table>`,
      ),
      /^\| 1\. \| Article 1 Pump \|/,
    ],
    'can be of paragraphs that are numbered without it': [
      odt(
        [1, 2, 1]
          .map(
            (number) =>
              `<text:numbered-paragraph text:list-id="n" ${of('Contract')} text:level="${number}">${p('x')}</text:numbered-paragraph>`,
          )
          .join(''),
      ),
      'Article 1 x\n\n1.1 x\n\nArticle 2 x',
    ],
    'has what LibreOffice writes around the numbers': [
      numbered('style:num-format="1" style:num-suffix="." loext:num-list-format="Part %1% of 9:"'),
      'Part 1 of 9: t1\n\nPart 2 of 9: t2',
    ],
    'has its number at once before the text if nothing is between them': [
      odt(
        list(of('Own'), item(p('目的')), item(p('Aim'))),
        style(
          'Own',
          level(1, 'style:num-format="1" style:num-prefix="第" style:num-suffix="条"', { follow: 'nothing' }),
        ),
      ),
      '第1条目的\n\n第2条Aim',
    ],
  });

  const formats: [attributes: string, last: RegExp][] = [
    ['style:num-format="a"', /^aa t27$/m],
    ['style:num-format="a" style:num-letter-sync="true"', /^bb t28$/m],
    ['style:num-format="A"', /^AB t28$/m],
    ['style:num-format="I"', /^XXVIII t28$/m],
    ['style:num-format="一, 二, 三, ..." style:num-suffix="、"', /^二十八、 t28$/m],
    ['style:num-format="壹, 贰, 叁, ..."', /^贰拾捌 t28$/m],
    ['style:num-format="constructor"', /^28 t28$/m],
    ['style:num-format="1" text:start-value="0"', /^27 t28$/m],
    ['style:num-format="1" text:start-value="-5"', /^27 t28$/m],
    ['style:num-format="1" text:display-levels="99"', /^28 t28$/m],
  ];
  test('shows each format of numbers', async () => {
    for (const [attributes, wanted] of formats)
      assert.match(await textOf(extractOdt, numbered(attributes, 28)), wanted);
  });

  test('of a slide has its numbers', async () => {
    const body = `<draw:page><draw:frame><draw:text-box>${list(of('Steps'), item(p('Open')), item(p('Close')))}</draw:text-box></draw:frame></draw:page>`;
    const file = writeOpenDocument('presentation', body, { styles: STEPS });
    assert.equal(await textOf(extractOdp, file), '1. Open\n2. Close');
  });
});

describe('a heading of OpenDocument', () => {
  testTexts(extractOdt, {
    'has the number of its level': [
      odt(h('Scope', 1) + h('Gate', 2) + h('Detail', 3) + h('Fees', 2) + h('Payment', 1) + h('Time', 2)),
      '# I. Scope\n\n## I.1 Gate\n\n### Detail\n\n## I.2 Fees\n\n# II. Payment\n\n## II.1 Time',
    ],
    'has none if its style or itself says so, and can begin again': [
      odt(
        h('Preface', 1, of('Plain')) +
          h('Contents', 1, 'text:is-list-header="true"') +
          h('Scope', 1) +
          h('Fees', 2, 'text:restart-numbering="true" text:start-value="5"') +
          h('Time', 2),
      ),
      '# Preface\n\n# Contents\n\n# I. Scope\n\n## I.5 Fees\n\n## I.6 Time',
    ],
    'in a list of the headings is counted with them, and in another list with that': [
      odt(
        h('a', 1) +
          list(of('Outline'), item(h('b', 1) + list('', item(h('c', 2))))) +
          list(of('Contract'), item(h('d', 1))) +
          h('e', 1),
      ),
      '# I. a\n\n# II. b\n\n## II.1 c\n\n# Article 1 d\n\n# III. e',
    ],
    'that is empty is not shown, but counted': [odt(h('', 1) + h('b', 1)), '# II. b'],
  });

  test('has the numbers of the part with the styles', async () => {
    const members = openDocumentMembers('text', h('Scope', 1));
    const styles = `<s xmlns:style="s" xmlns:text="t">${OUTLINE}</s>`;
    const file = writeZip([...members, { name: 'styles.xml', content: styles }]);
    assert.equal(await textOf(extractOdt, file), '# I. Scope');
  });
});

describe('numbers of a hostile document of OpenDocument', () => {
  test('are read in time, however deeply lists are nested, and have a bound', async () => {
    const deep = `${'<text:list text:style-name="Contract"><text:list-item>'.repeat(300)}${p('x')}${'</text:list-item></text:list>'.repeat(300)}`;
    assert.equal(await textOf(extractOdt, odt(deep)), '- x');
    const long = await textOf(
      extractOdt,
      numbered(`style:num-format="1" style:num-prefix="${'x'.repeat(5_000)}"`, 1),
    );
    assert.ok(long.length < 200);
    const pattern = await textOf(
      extractOdt,
      numbered(`style:num-format="1" loext:num-list-format="${'%1%'.repeat(5_000)}"`, 1),
    );
    assert.ok(pattern.length < 200);
  });

  test('can be damaged, which is told', async () => {
    const body = list(of('Contract', 'xml:id="x"'), item(p('a') + list('', item(p('b'))))) + h('c', 1);
    await assertDamagedMembersAreTold(
      extractOdt,
      openDocumentMembers('text', body, { styles: CONTRACT + OUTLINE }),
    );
  });

  test('are counted in any order of lists', async () => {
    const open = fc
      .constantFrom('Contract', 'Steps', 'Outline')
      .chain((name) =>
        fc
          .constantFrom('', 'text:continue-numbering="true"', 'text:continue-list="x"', 'xml:id="x"')
          .map((more) => of(name, more)),
      );
    const tree = fc.letrec<{ list: string; item: string }>((tie) => ({
      list: fc
        .tuple(open, fc.array(tie('item'), { maxLength: 3 }))
        .map(([attributes, items]) => list(attributes, ...items)),
      item: fc.oneof(
        { depthSize: 'small' },
        fc.constant(item(p('t'))),
        tie('list').map((inner) => item(inner + p('t'))),
      ),
    })).list;
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { maxLength: 3 }), async (lists) => {
        const body = lists.join('');
        const shown = await textOf(extractOdt, odt(body));
        assert.equal(shown.match(/t$/gm)?.length ?? 0, body.split('>t<').length - 1);
      }),
      { numRuns: 60 },
    );
  });
});
