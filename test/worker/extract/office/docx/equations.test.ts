import { describe } from 'node:test';
import { extractDocx } from '../../../../../worker/extract/office/docx.ts';
import { testTexts } from '../../extraction.ts';
import { paragraph, writeWord } from './word-writer.ts';

const r = (text: string, properties = '') => `<m:r>${properties}<m:t>${text}</m:t></m:r>`;
const upright = (text: string) => r(text, '<m:rPr><m:sty m:val="p"/></m:rPr><w:rPr><w:i/></w:rPr>');
const e = (name: string, content: string) => `<m:${name}>${content}</m:${name}>`;
const equation = (content: string) => writeWord(paragraph(e('oMath', content)));
const fraction = (num: string, den: string, more = '') => e('f', more + e('num', num) + e('den', den));
const power = (base: string, exponent: string) => e('sSup', e('e', base) + e('sup', exponent));
const value = (name: string, val: string) => `<m:${name} m:val="${val}"/>`;

describe('an equation of a Word document', () => {
  testTexts(extractDocx, {
    'has fractions with brackets where they are needed': [
      equation(
        fraction(r('a'), r('b')) +
          r('+') +
          fraction(r('a+1'), r('2x')) +
          r('+') +
          fraction(r('12'), power(r('x'), r('2'))),
      ),
      'a/b+(a+1)/(2x)+12/(x^2)',
    ],
    'has powers, indices and roots': [
      equation(
        power(r('x'), r('2')) +
          e('sSub', e('e', r('x')) + e('sub', r('i+1'))) +
          e('sSubSup', e('e', r('y')) + e('sub', r('max')) + e('sup', r('−1'))) +
          e('rad', e('radPr', value('degHide', '1')) + e('deg', '') + e('e', r('x'))) +
          e('rad', e('deg', r('3')) + e('e', r('a+b'))),
      ),
      'x^2x_(i+1)y_max^−1√x√[3](a+b)',
    ],
    'has sums, brackets, matrices and functions': [
      equation(
        e('nary', e('naryPr', value('chr', '∑')) + e('sub', r('i=1')) + e('sup', r('n')) + e('e', r('x'))) +
          e('d', e('dPr', value('begChr', '[') + value('endChr', ']')) + e('e', r('a')) + e('e', r('b'))) +
          e('m', e('mr', e('e', r('1')) + e('e', r('2'))) + e('mr', e('e', r('3')) + e('e', r('4')))) +
          e('func', e('fName', upright('sin')) + e('e', r('x'))) +
          upright('cos') +
          r('y'),
      ),
      '∑_(i=1)^n x[a|b]1, 2; 3, 4 sin x cos y',
    ],
    'has limits, accents, binomials and lines': [
      equation(
        e('limLow', e('e', upright('lim')) + e('lim', r('x→0'))) +
          e('acc', e('accPr', value('chr', '\u0303')) + e('e', r('z'))) +
          e('d', e('e', fraction(r('n'), r('k'), e('fPr', value('type', 'noBar'))))) +
          e('eqArr', e('e', r('a=b')) + e('e', r('c=d'))),
      ),
      'lim_(x→0) z\u0303(n¦k)a=b\nc=d',
    ],
    'has letters that a search finds, and nothing that was deleted': [
      equation(
        r('𝑣=𝟓') +
          e('box', e('e', r(' m'))) +
          fraction(e('borderBox', e('e', r('a'))), r('b')) +
          '<w:del><m:r><m:t>gone</m:t></m:r></w:del>',
      ),
      'v=5 ma/b',
    ],
    'that stands alone is a line of its own': [
      writeWord(
        `<w:p><w:r><w:t>So</w:t></w:r>${e('oMathPara', e('oMath', r('a=b')))}<w:r><w:t>holds</w:t></w:r></w:p>`,
      ),
      'So\na=b\nholds',
    ],
  });
});
