import { describe, it } from 'node:test';
import { assertGenerated } from '../../support/generated.ts';
import { PAGES } from './pages.ts';

describe('the generated pages of docs/reference', () => {
  for (const [file, page] of Object.entries(PAGES)) {
    it(`${file} is what npm run generate writes`, () => assertGenerated(file, page()));
  }
});
