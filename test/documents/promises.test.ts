import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../support/root.ts';
import { readPage } from './page.ts';

/** The pages with a table of promises: the last column names tests, the one before it what keeps the promise, or where it is made. */
const PAGES = ['SECURITY.md', 'docs/operations/promises.md'];
const COLUMNS = 3;

/** A row of a table of promises. */
interface Promised {
  line: number;
  promise: string;
  links: string[];
  /** The tests that fail if it is broken: a file, and a part of the title of a test, as it is written there. */
  tests: { file: string; title: string }[];
}

function promisesOf(page: string): Promised[] {
  return readPage(page).lines.flatMap((text, index) => {
    const cells = text.split(/(?<!\\)\|/).slice(1, -1);
    const [promise = '', second = '', tests = ''] = cells;
    if (cells.length !== COLUMNS || /^ ?(?:-{3}|Promise )/.test(promise)) return [];
    return [
      {
        line: index + 1,
        promise: promise.trim(),
        links: [...second.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link),
        tests: [...tests.matchAll(/\]\(([^)]+)\): ("[^"]+"(?:, "[^"]+")*)/g)].flatMap(
          ([, file = '', titles = '']) =>
            [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({
              file: relative(ROOT, join(ROOT, dirname(page), file)),
              title,
            })),
        ),
      },
    ];
  });
}

for (const page of PAGES) {
  describe(`the promises of ${page}`, () => {
    const rows = promisesOf(page);

    test('are a table that can be read', () => {
      assert.ok(rows.length >= 20, `${rows.length} rows`);
    });

    test('each name what belongs to them and a test that fails if it is broken', () => {
      const incomplete = rows.filter(({ links, tests }) => links.length === 0 || tests.length === 0);
      assert.deepEqual(
        incomplete.map(({ line, promise }) => `${page}:${line}: ${promise}`),
        [],
      );
    });

    test('name tests that exist, by their titles as they are written', () => {
      const missing = rows.flatMap(({ line, tests }) =>
        tests
          .filter(({ file, title }) => {
            const path = join(ROOT, file);
            return (
              !file.startsWith('test/') || !existsSync(path) || !readFileSync(path, 'utf8').includes(title)
            );
          })
          .map(({ file, title }) => `${page}:${line}: ${file}: ${title}`),
      );
      assert.deepEqual(missing, []);
    });
  });
}

test('every page of the operations guide that promises something has a row', () => {
  const pages = ['README', 'upgrade', 'move', 'back-up', 'deploy', 'monitor', 'scale'].map(
    (name) => `${name}.md`,
  );
  const named = promisesOf('docs/operations/promises.md').flatMap(({ links }) =>
    links.map((link) => link.split('#')[0]),
  );
  assert.deepEqual(
    pages.filter((page) => !named.includes(page)),
    [],
  );
});
