import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../support/root.ts';
import { examplesOf, linkedFiles, PAGE_FILES, readPage } from './page.ts';
import { GUIDE } from './reading-order.ts';

const MOST_README_LINES = 150;
const guidePages = PAGE_FILES.filter((file) => file.startsWith('docs/guide/'));

describe('the guide', () => {
  test(`README.md has at most ${MOST_README_LINES} lines, and links to the guide`, () => {
    const readme = readPage('README.md');
    assert.ok(readme.lines.length - 1 <= MOST_README_LINES, `${readme.lines.length - 1} lines`);
    assert.ok(linkedFiles(readme).includes(GUIDE));
  });

  test('README.md has only examples that print the detail of an error, and no null', () => {
    const calls = examplesOf(readPage('README.md')).filter(({ commands }) => commands.includes('curl'));
    assert.ok(calls.length > 0);
    for (const { line, commands } of calls)
      assert.match(commands, /curl -sS [^]*\bjq '\.detail \/\/ /, `line ${line}`);
  });

  test('lists each of its pages', () => {
    const listed = new Set([GUIDE, ...linkedFiles(readPage(GUIDE))]);
    assert.deepEqual(
      guidePages.filter((file) => !listed.has(file)),
      [],
    );
  });

  test('has an example with its output on every page', () => {
    const without = guidePages.filter(
      (file) => !examplesOf(readPage(file)).some(({ output }) => output !== null),
    );
    assert.deepEqual(without, []);
  });

  test('shows the function that its examples load', () => {
    const blocks = readPage(GUIDE).blocks.map(({ text }) => text);
    assert.ok(blocks.includes(readFileSync(join(ROOT, 'docs/guide/api.sh'), 'utf8').trimEnd()));
  });

  test('shows the script that it runs', () => {
    const blocks = readPage('docs/guide/script.md').blocks.map(({ text }) => text);
    assert.ok(blocks.includes(readFileSync(join(ROOT, 'docs/guide/script.ts'), 'utf8').trimEnd()));
  });
});
