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

  test('begins every page with what the reader has at its end', () => {
    const without = guidePages.filter(
      (file) => file !== GUIDE && !readPage(file).lines[2]?.startsWith('At the end of this page, '),
    );
    assert.deepEqual(without, []);
  });

  test('shows no null and no error of jq as an answer, and an error only where the block fails on purpose', () => {
    const faults = guidePages.flatMap((file) =>
      examplesOf(readPage(file)).flatMap(({ line, exitCode, output }) =>
        (output?.text.split('\n') ?? [])
          .filter(
            (text) => /^(?:null$|jq: )/.test(text) || (exitCode === 0 && /^(?:api|memory|curl): /.test(text)),
          )
          .map((text) => `${file}:${line}: ${text}`),
      ),
    );
    assert.deepEqual(faults, []);
  });

  test('installs the command memory on every page that uses it, from the address of the service', () => {
    const without = guidePages.filter((file) => {
      const commands = examplesOf(readPage(file));
      const first = commands.findIndex(({ commands: text }) => /(?:^|[|(] *)memory /m.test(text));
      const loaded = commands.findIndex(({ commands: text }) => text.includes('. docs/guide/api.sh'));
      return first !== -1 && !commands.slice(loaded + 1, first).some(({ installs }) => installs);
    });
    assert.deepEqual(without, []);
  });

  test('shows the script that it runs', () => {
    const blocks = readPage('docs/guide/script.md').blocks.map(({ text }) => text);
    assert.ok(blocks.includes(readFileSync(join(ROOT, 'docs/guide/script.ts'), 'utf8').trimEnd()));
  });
});
