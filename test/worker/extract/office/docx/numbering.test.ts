import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extractDocx } from '../../../../../worker/extract/office/docx.ts';
import { showListNumber } from '../../../../../worker/extract/office/list-numbers.ts';
import { extracted, testTexts } from '../../extraction.ts';
import { cell, numbered, paragraph, part, run, writeWord } from './word-writer.ts';

const level = (ilvl: number, format: string, text: string, more = '', start = 1) =>
  `<w:lvl w:ilvl="${ilvl}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
const definition = (id: number, levels: string, more = '') =>
  `<w:abstractNum w:abstractNumId="${id}">${more}${levels}</w:abstractNum>`;
const list = (numId: number, id: number, overrides = '') =>
  `<w:num w:numId="${numId}"><w:abstractNumId w:val="${id}"/>${overrides}</w:num>`;
const startAt = (ilvl: number, start: number) =>
  `<w:lvlOverride w:ilvl="${ilvl}"><w:startOverride w:val="${start}"/></w:lvlOverride>`;

const CLAUSES =
  level(0, 'decimal', 'Article %1') + level(1, 'decimal', '%1.%2') + level(2, 'lowerLetter', '(%3)');
const clauses = (body: string, lists = list(1, 0), more = '') =>
  writeWord(body, part('numbering', definition(0, CLAUSES, more) + lists));
const simple = (levels: string, ...paragraphs: string[]) =>
  writeWord(paragraphs.join(''), part('numbering', definition(0, levels) + list(1, 0)));

const style = (id: string, content: string, basedOn = '') =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/>${basedOn === '' ? '' : `<w:basedOn w:val="${basedOn}"/>`}<w:pPr>${content}</w:pPr></w:style>`;
const styled = (text: string, id: string, more = '') =>
  paragraph(run(text), `<w:pStyle w:val="${id}"/>${more}`);

describe('numbered paragraphs of a Word document', () => {
  testTexts(extractDocx, {
    'begin again below each paragraph of a higher level': [
      clauses(
        [
          numbered('One'),
          numbered('a', 1),
          numbered('b', 1),
          numbered('x', 2),
          numbered('y', 2),
          numbered('Two'),
          numbered('c', 1),
          numbered('z', 2),
        ].join(''),
      ),
      'Article 1 One\n\n1.1 a\n\n1.2 b\n\n(a) x\n(b) y\n\nArticle 2 Two\n\n2.1 c\n\n(a) z',
    ],
    'show the first number of a higher level that has no paragraph': [
      clauses(numbered('a', 1) + numbered('b', 1) + numbered('One')),
      '1.1 a\n\n1.2 b\n\nArticle 1 One',
    ],
    'continue in another list of the same definition, unless it starts itself': [
      clauses(
        numbered('a') + numbered('b', 0, '2') + numbered('c', 0, '3') + numbered('d', 0, '3'),
        list(1, 0) + list(2, 0) + list(3, 0, startAt(0, 7)),
      ),
      'Article 1 a\n\nArticle 2 b\n\nArticle 7 c\n\nArticle 8 d',
    ],
    'have a level that a list replaces': [
      clauses(
        numbered('a') + numbered('b'),
        list(1, 0, `<w:lvlOverride w:ilvl="0">${level(0, 'upperRoman', '%1 §', '', 4)}</w:lvlOverride>`),
      ),
      'IV § a\n\nV § b',
    ],
    'do not begin again if their level says so': [
      simple(
        level(0, 'decimal', 'Part %1') + level(1, 'decimal', 'Rule %2', '<w:lvlRestart w:val="0"/>'),
        numbered('a'),
        numbered('b', 1),
        numbered('c'),
        numbered('d', 1),
      ),
      'Part 1 a\n\nRule 1 b\n\nPart 2 c\n\nRule 2 d',
    ],
    'begin again only after the level that they name': [
      simple(
        level(0, 'decimal', 'Part %1') +
          level(1, 'decimal', 'Chapter %2') +
          level(2, 'decimal', 'Rule %3', '<w:lvlRestart w:val="1"/>'),
        numbered('a'),
        numbered('b', 1),
        numbered('c', 2),
        numbered('d', 1),
        numbered('e', 2),
        numbered('f'),
        numbered('g', 2),
      ),
      'Part 1 a\n\nChapter 1 b\n\nRule 1 c\n\nChapter 2 d\n\nRule 2 e\n\nPart 2 f\n\nRule 1 g',
    ],
    'are decimal on all levels if they are legal': [
      simple(
        level(0, 'upperRoman', 'Article %1') + level(1, 'decimalZero', 'Section %1.%2', '<w:isLgl/>'),
        numbered('a'),
        numbered('b', 1),
      ),
      'Article I a\n\nSection 1.01 b',
    ],
    'have nothing between number and text if their level says so': [
      simple(level(0, 'decimal', '第%1条', '<w:suff w:val="nothing"/>'), numbered('定义')),
      '第1条定义',
    ],
    'are not glued to a word': [
      simple(level(0, 'decimal', 'Article %1', '<w:suff w:val="nothing"/>'), numbered('Scope')),
      'Article 1 Scope',
    ],
    'are the items of a list if their number is a marker': [
      simple(
        level(0, 'decimal', '%1.') + level(1, 'lowerRoman', '%2)') + level(2, 'bullet', '\uf0b7'),
        numbered('a'),
        numbered('b', 1),
        numbered('c', 2),
        numbered('d'),
      ),
      '1. a\n   i) b\n      - c\n2. d',
    ],
    'are not indented at the beginning of a list': [
      clauses(numbered('x', 2) + numbered('y', 2)),
      '(a) x\n(b) y',
    ],
    'have no number if it is hidden, of no format, or the list is not defined': [
      writeWord(
        numbered('a') + numbered('b', 1) + numbered('c', 0, '9') + numbered('d', 8),
        part(
          'numbering',
          definition(0, level(0, 'decimal', '%1', '<w:rPr><w:vanish/></w:rPr>') + level(1, 'none', '%2')) +
            list(1, 0),
        ),
      ),
      'a\n\nb\n\nc\n\nd',
    ],
    'have the number of their style, on the level that the list gives to the style': [
      writeWord(
        styled('One', 'A') +
          styled('Two', 'B') +
          styled('Three', 'C') +
          styled('None', 'B', '<w:numPr><w:numId w:val="0"/></w:numPr>'),
        part(
          'numbering',
          definition(0, CLAUSES.replace('<w:lvlText w:val="%1.%2"/>', '<w:pStyle w:val="B"/>$&')) +
            list(1, 0),
        ),
        part(
          'styles',
          style('A', '<w:outlineLvl w:val="0"/><w:numPr><w:numId w:val="1"/></w:numPr>') +
            style('B', '<w:outlineLvl w:val="1"/><w:numPr><w:numId w:val="1"/></w:numPr>', 'A') +
            style('C', '', 'A'),
        ),
      ),
      '# Article 1 One\n\n## 1.1 Two\n\n# Article 2 Three\n\n## None',
    ],
    'have the levels of the style that their list links to': [
      writeWord(
        numbered('a', 0, '2') + numbered('b', 1, '2'),
        part(
          'numbering',
          definition(0, CLAUSES, '<w:styleLink w:val="Clauses"/>') +
            definition(1, '', '<w:numStyleLink w:val="Clauses"/>') +
            list(1, 0) +
            list(2, 1),
        ),
      ),
      'Article 1 a\n\n1.1 b',
    ],
    'count without text, and show their number in a cell': [
      writeWord(
        `${numbered('a')}${numbered('')}${numbered('c')}<w:tbl><w:tr>${cell(numbered(''))}${cell(paragraph(run('Ring')))}</w:tr></w:tbl>`,
        part('numbering', definition(0, level(0, 'decimal', '%1')) + list(1, 0)),
      ),
      '1 a\n\n3 c\n\n| 4 | Ring |\n| - | - |',
    ],
    'do not count if all of them is hidden': [
      writeWord(
        numbered('a') +
          paragraph(
            run('hidden', '<w:vanish/>'),
            '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:vanish/></w:rPr>',
          ) +
          numbered('b'),
        part('numbering', definition(0, level(0, 'decimal', '%1')) + list(1, 0)),
      ),
      '1 a\n\n2 b',
    ],
    'have a format of their own': [
      simple(
        '<w:lvl w:ilvl="0"><w:start w:val="9"/><mc:AlternateContent><mc:Choice Requires="w14"><w:numFmt w:val="custom" w:format="001, 002, ..."/></mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent><w:lvlText w:val="REQ-%1"/></w:lvl>',
        numbered('a'),
        numbered('b'),
      ),
      'REQ-009 a\n\nREQ-010 b',
    ],
  });

  it('keeps the numbers of the text if a note has numbered paragraphs too', async () => {
    const note = `<w:footnote w:id="2">${numbered('n')}${numbered('m', 0, '2')}</w:footnote>`;
    const lists = list(1, 0) + list(2, 0, startAt(0, 7));
    const { parts } = await extracted(
      extractDocx,
      writeWord(
        paragraph(`${run('see')}<w:r><w:footnoteReference w:id="2"/></w:r>`) +
          numbered('a') +
          numbered('b', 0, '2'),
        part('numbering', definition(0, level(0, 'decimal', 'No. %1')) + lists),
        part('footnotes', note),
      ),
    );
    assert.equal(parts[0]?.text, 'see[1]\n\n[1] No. 1 n\nNo. 7 m\n\nNo. 1 a\n\nNo. 7 b');
  });
});

describe('the number of a list', () => {
  it('is shown in its format', () => {
    const shown: Record<string, [value: number, text: string][]> = {
      decimalZero: [
        [7, '07'],
        [12, '12'],
      ],
      upperRoman: [
        [4, 'IV'],
        [1994, 'MCMXCIV'],
        [5000, '5000'],
        [0, '0'],
      ],
      lowerRoman: [[9, 'ix']],
      upperLetter: [
        [1, 'A'],
        [26, 'Z'],
        [27, 'AA'],
        [28, 'BB'],
        [1_000_000, '1000000'],
      ],
      lowerLetter: [[2, 'b']],
      ordinal: [
        [1, '1st'],
        [2, '2nd'],
        [3, '3rd'],
        [11, '11th'],
        [22, '22nd'],
      ],
      cardinalText: [
        [1, 'One'],
        [19, 'Nineteen'],
        [40, 'Forty'],
        [42, 'Forty-two'],
        [100, '100'],
      ],
      ordinalText: [
        [1, 'First'],
        [12, 'Twelfth'],
        [20, 'Twentieth'],
        [23, 'Twenty-third'],
      ],
      chineseCounting: [
        [1, '一'],
        [10, '十'],
        [11, '十一'],
        [20, '二十'],
        [105, '一百零五'],
        [110, '一百一十'],
      ],
      ideographTraditional: [
        [1, '甲'],
        [11, '11'],
      ],
      decimalEnclosedCircle: [
        [1, '①'],
        [21, '㉑'],
        [51, '51'],
      ],
      decimalFullWidth: [[10, '１０']],
      aiueoFullWidth: [[2, 'イ']],
      ganada: [[3, '다']],
      russianUpper: [[4, 'Г']],
      none: [[1, '']],
      unknown: [[3, '3']],
    };
    for (const [format, values] of Object.entries(shown))
      for (const [value, text] of values) assert.equal(showListNumber(value, format), text, format);
    assert.equal(showListNumber(3, 'constructor'), '3');
    assert.equal(showListNumber(5, 'custom', '0001, ...'), '0005');
  });

  it('is short, whatever the file says', () => {
    const format = fc.constantFrom(
      ...'upperRoman lowerLetter chineseCounting ordinalText cardinalText hex aiueo koreanDigital hebrew2 custom'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.nat(2_000_000), format, (value, name) => {
        assert.ok(showListNumber(value, name, '0'.repeat(1000)).length <= 20);
      }),
    );
  });
});
