import { examplesOf, linkedFiles, PAGE_FILES, readPage, startBlock } from './page.ts';

/** The page that lists the pages of the guide in the order in which they are read. */
export const GUIDE = 'docs/guide/README.md';

/** The pages with examples in the order in which a reader meets them: README.md, the guide, then all others. */
export function pagesInReadingOrder(): string[] {
  const inGuide = linkedFiles(readPage(GUIDE)).filter((file) => file.startsWith('docs/guide/'));
  const files = new Set(['README.md', GUIDE, ...inGuide, ...PAGE_FILES]);
  return [...files].filter((file) => examplesOf(readPage(file)).length > 0);
}

/** The pages with a block `sh start`: README.md, and those that need another start. */
export const startPages = (): string[] =>
  pagesInReadingOrder().filter((file) => startBlock(readPage(file)) !== null);

/** The page whose block `sh start` is in force on a page: its own, else that of README.md. */
export const startPageOf = (file: string): string => (startPages().includes(file) ? file : 'README.md');
