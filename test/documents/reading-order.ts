import { examplesOf, linkedFiles, PAGE_FILES, type Page, readPage } from './page.ts';

/** The page that lists the pages of the guide in the order in which they are read. */
export const GUIDE = 'docs/guide/README.md';

/** The pages with examples in the order in which a reader meets them: README.md, the guide, then all others. */
export function pagesInReadingOrder(): string[] {
  const inGuide = linkedFiles(readPage(GUIDE)).filter((file) => file.startsWith('docs/guide/'));
  const files = new Set(['README.md', GUIDE, ...inGuide, ...PAGE_FILES]);
  return [...files].filter((file) => examplesOf(readPage(file)).length > 0);
}

/** The page with the block `sh start` that is in force when a reader meets a page: README.md, then the guide. */
export const startPageOf = (file: string): Page => readPage(file === 'README.md' ? file : GUIDE);
