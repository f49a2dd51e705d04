import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { anchorsOf, linksOf, PAGE_FILES, readPage } from '../support/documents/page.ts';
import { ROOT } from '../support/processes.ts';

/** Pages that are being written. A link to one of them is not followed before the page exists. */
const NOT_WRITTEN_YET = [
  ...['CHANGELOG', 'CONTRIBUTING', 'SECURITY'].map((name) => `${name}.md`),
  'docs/architecture.md',
  'docs/contributing/README.md',
  ...['deploy', 'upgrade', 'back-up', 'monitor', 'scale'].map((name) => `docs/operations/${name}.md`),
  ...['audit-events', 'configuration', 'errors', 'limits', 'terminal-client'].map(
    (name) => `docs/reference/${name}.md`,
  ),
];

describe('the links of the pages', () => {
  for (const file of PAGE_FILES) {
    test(`every link and picture of ${file} leads to a file of the repository and to a heading in it`, () => {
      const broken = linksOf(readPage(file)).filter((link) => {
        if (link.file === null) return false;
        if (!existsSync(join(ROOT, link.file))) return !NOT_WRITTEN_YET.includes(link.file);
        if (link.anchor === null) return false;
        return !link.file.endsWith('.md') || !anchorsOf(readPage(link.file)).has(link.anchor);
      });
      assert.deepEqual(
        broken.map(({ line, target }) => `${file}:${line}: ${target}`),
        [],
      );
    });
  }
});
