import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PAGES, REFERENCE_FOLDER } from './write.ts';

describe('the generated pages of docs/reference', () => {
  for (const [file, page] of Object.entries(PAGES)) {
    it(`${file} is what npm run docs writes`, () => {
      const written = readFileSync(join(REFERENCE_FOLDER, file), 'utf8');
      assert.equal(written, page(), 'run npm run docs and commit its changes');
    });
  }
});
