import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../support/root.ts';
import { anchorsOf, linksOf, PAGE_FILES, readPage } from './page.ts';

describe('the links of the pages', () => {
  for (const file of PAGE_FILES) {
    test(`every link and picture of ${file} leads to a file of the repository and to a heading in it`, () => {
      const broken = linksOf(readPage(file)).filter((link) => {
        if (link.file === null) return false;
        if (!existsSync(join(ROOT, link.file))) return true;
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
