import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ExpressionRun, unfinished } from './expression-run.ts';
import { EXPRESSIONS, type TableEntry } from './expression-table.ts';
import { expressionsIn, findExpressions } from './expressions.ts';

const MIB = 1024 * 1024;
/** What is quadratic needs many minutes for 1 MiB, what is linear some milliseconds. */
const SECONDS = 30;

const entryOf = (entry: TableEntry) => (entry instanceof RegExp ? { expression: entry } : entry);

const runOf = ({ source, flags }: RegExp, length = MIB, known: ExpressionRun['known'] = []) => ({
  source,
  flags,
  length,
  known,
});

/** The expressions that do not finish. */
async function slowOf(runs: readonly ExpressionRun[], seconds: number): Promise<string[]> {
  return (await unfinished(runs, seconds)).map(({ run, on }) => `/${run.source}/${run.flags} on ${on}`);
}

/** The entries of the table by the first two folders of their files. */
const byFolder = new Map<string, TableEntry[]>();
for (const [file, entries] of Object.entries(EXPRESSIONS)) {
  const folder = file.split('/').slice(0, -1).slice(0, 2).join('/');
  byFolder.set(folder, [...(byFolder.get(folder) ?? []), ...entries]);
}

describe('the regular expressions of product code', () => {
  it('every regular expression is in the table, and the table has no others', () => {
    const listed = Object.entries(EXPRESSIONS).flatMap(([file, entries]) =>
      entries.map((entry) => `${file} ${entryOf(entry).expression}`),
    );
    const found = findExpressions().map(({ file, written }) => `${file} ${written}`);
    assert.deepEqual(
      {
        withoutEntry: found.filter((each) => !listed.includes(each)),
        withoutExpression: listed.filter((each) => !found.includes(each)),
      },
      { withoutEntry: [], withoutExpression: [] },
    );
    assert.equal(listed.length, new Set(listed).size, 'each is listed once');
  });

  // By folder: the longest that one test can take does not depend on how many expressions there are.
  for (const [folder, entries] of byFolder) {
    it(`the expressions of ${folder} finish in time on their worst case of 1 MiB or of their longest input`, async () => {
      const runs = entries.flatMap((entry) => {
        const { expression, examples = [], known, atMost } = entryOf(entry);
        const all = typeof expression === 'string' ? examples : [expression];
        assert.ok(all.length > 0, `${expression} has examples`);
        return all.map((each) => runOf(each, atMost, known));
      });
      assert.deepEqual(await slowOf(runs, SECONDS), []);
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

  it('an expression that takes more than linear time is stopped', async () => {
    const slow = [
      /<([A-Za-z][\w:.-]*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/g,
      /\s*<a href="#[^"]*note-ref-[^"]*">↑<\/a>/g,
      /([\p{L}\p{M}]*\p{Ll})[-‐]$/u,
      /\s*\n\s*/g,
      /(a+)+b/,
    ];
    const runs = slow.map((expression) => runOf(expression));
    assert.equal((await slowOf(runs, 0.2)).length, slow.length);
  });
});
