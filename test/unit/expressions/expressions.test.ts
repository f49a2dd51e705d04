import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { slowOf } from './expression-run.ts';
import { SPECIAL_EXPRESSIONS, type SpecialExpression } from './expression-table.ts';
import { expressionsIn, type FoundExpression, findExpressions } from './expressions.ts';

const MIB = 1024 * 1024;
/** What is quadratic needs many minutes for 1 MiB, what is linear some milliseconds. */
const SECONDS = 30;

/** What is said of an expression that was found in product code. */
const specialOf = ({ file, written }: FoundExpression): SpecialExpression | undefined =>
  SPECIAL_EXPRESSIONS[file]?.find((entry) => written.includes(entry.with));

const all = findExpressions();
/** By the first two folders of their files: the longest that one test can take does not depend on how many there are. */
const byFolder = Map.groupBy(all, ({ file }) => file.split('/').slice(0, -1).slice(0, 2).join('/'));

describe('the regular expressions of product code', () => {
  it('the table has examples of each that only running code knows, and each entry is of one expression', () => {
    const unknown = all.filter((each) => each.expression === null && !specialOf(each)?.examples?.length);
    const entries = Object.entries(SPECIAL_EXPRESSIONS).flatMap(([file, special]) =>
      special.map((entry) => ({ file, part: entry.with })),
    );
    const unclear = entries.filter(
      ({ file, part }) =>
        all.filter((each) => each.file === file && each.written.includes(part)).length !== 1,
    );
    assert.deepEqual([unknown, unclear], [[], []]);
  });

  for (const [folder, expressions] of byFolder) {
    it(`the expressions of ${folder} finish in time on their worst case of 1 MiB or of their longest input`, () => {
      const runs = expressions.flatMap((each) => {
        const { examples = [], known, atMost: length = MIB } = specialOf(each) ?? {};
        const made = each.expression === null ? examples : [each.expression];
        return made.map((expression) => ({ expression, length, known }));
      });
      assert.deepEqual(slowOf(runs, SECONDS), []);
    });
  }

  it('expressions are found in every form in which code can write them', () => {
    const source = [
      'const a = /a+$/gi;',
      "const b: RegExp = new RegExp(`b${'c'}`, 'u');",
      "const c = RegExp('c');",
      "text.match('d.e');",
      "Type.String({ pattern: 'f+' });",
      "// /comment/ and 'text /of a/ string'",
    ];
    assert.deepEqual(
      expressionsIn(source.join('\n')).map(({ written }) => written),
      ['/a+$/gi', "new RegExp(`b${'c'}`, 'u')", "RegExp('c')", '/d.e/g', '/f+/u'],
    );
  });

  it('an expression that takes more than linear time is stopped', () => {
    const slow = [
      /<([A-Za-z][\w:.-]*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/g,
      /\s*<a href="#[^"]*note-ref-[^"]*">↑<\/a>/g,
      /([\p{L}\p{M}]*\p{Ll})[-‐]$/u,
      /\s*\n\s*/g,
      /(a+)+b/,
    ];
    const runs = slow.map((expression) => ({ expression, length: MIB }));
    assert.equal(slowOf(runs, 0.2).length, slow.length);
  });
});
