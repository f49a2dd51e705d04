import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../support/root.ts';
import { readPage } from './page.ts';

const PAGE = 'SECURITY.md';
const COLUMNS = 3;

/** A row of the table of promises. */
interface Promised {
  line: number;
  promise: string;
  /** The files that keep the promise. */
  keptBy: string[];
  /** The tests that fail if it is broken: a file, and a part of the title of a test, as it is written there. */
  tests: { file: string; title: string }[];
}

function promises(): Promised[] {
  return readPage(PAGE).lines.flatMap((text, index) => {
    const cells = text.split(/(?<!\\)\|/).slice(1, -1);
    const [promise = '', keptBy = '', tests = ''] = cells;
    if (cells.length !== COLUMNS || /^ ?(?:-{3}|Promise )/.test(promise)) return [];
    return [
      {
        line: index + 1,
        promise: promise.trim(),
        keptBy: [...keptBy.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file),
        tests: [...tests.matchAll(/\]\(([^)]+)\): ("[^"]+"(?:, "[^"]+")*)/g)].flatMap(
          ([, file = '', titles = '']) =>
            [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
        ),
      },
    ];
  });
}

describe('the promises of SECURITY.md', () => {
  const rows = promises();

  test('are a table that can be read', () => {
    assert.ok(rows.length >= 20, `${rows.length} rows`);
  });

  test('each name what keeps it and a test that fails if it is broken', () => {
    const incomplete = rows.filter(({ keptBy, tests }) => keptBy.length === 0 || tests.length === 0);
    assert.deepEqual(
      incomplete.map(({ line, promise }) => `${PAGE}:${line}: ${promise}`),
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
        .map(({ file, title }) => `${PAGE}:${line}: ${file}: ${title}`),
    );
    assert.deepEqual(missing, []);
  });
});
