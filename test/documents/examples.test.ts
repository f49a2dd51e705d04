import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endProcesses } from '../support/needs/process.ts';
import { type GuideService, openGuideService, withoutCurl } from './guide-service.ts';
import { createNormalizer } from './normalize.ts';
import { examplesOf, type Page, readPage, startBlock } from './page.ts';
import { pagesInReadingOrder, startPageOf, startPages } from './reading-order.ts';

/*
 * A page works by itself, and whatever was read before it: the pages are run in the reverse of the order in which they are
 * printed, in one terminal, in which the functions and variables of each page stay. So a page that needs an earlier one, or
 * is disturbed by a later one, differs. README.md comes first for every reader, and a page that needs another start has its own.
 */

after(endProcesses);

const START = 'README.md';

/** Asserts that each example of a page prints what the page shows, and nothing else. */
async function assertPrints(guide: GuideService, page: Page): Promise<void> {
  const examples = examplesOf(page);
  const printed = await guide.run(page);
  const [normalizePrinted, normalizeWritten] = [createNormalizer(), createNormalizer()];
  assert.deepEqual(
    examples.map(({ line }, index) => {
      const { output = '', exitCode } = printed[index] ?? {};
      return { line, exitCode, output: normalizePrinted(output).split('\n') };
    }),
    examples.map(({ line, exitCode, output }) => ({
      line,
      exitCode,
      output: normalizeWritten(output?.text ?? '').split('\n'),
    })),
  );
}

for (const start of startPages()) {
  describe(`the examples after the start of ${start}`, { skip: withoutCurl }, () => {
    let guide: GuideService;
    before(async () => {
      guide = await openGuideService({ inOneTerminal: true });
      await guide.start(readPage(start));
    });
    after(() => guide.stop());

    if (start === START) {
      test('README.md shows what the service prints when it starts', () => {
        const normalize = createNormalizer();
        // The folder is that of the checkout.
        const compared = (text: string) =>
          normalize(text.replace(/^Data is stored in \S+\/\.data\.$/m, '<data>'));
        assert.equal(compared(guide.announced()), compared(startBlock(readPage(START))?.output ?? ''));
      });
    }
    for (const file of new Set([start, ...pagesInReadingOrder().reverse()])) {
      if (startPageOf(file) !== start) continue;
      test(`${file} shows what its examples print`, () => assertPrints(guide, readPage(file)));
    }
  });
}
